import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { resolveStudioCaller } from "../studios/get-studio.ts";
import { getOrRegisterApp } from "./platform-app.ts";
import { throwAsAppError } from "./platform-error.ts";
import { getConfiguredPlatform } from "./connection.ts";
import type { ConnectPage, PendingConnect, PlatformInfo } from "./ports.ts";

/** How long a person may take at the platform. */
const platformTimeoutMs = minutes(10);

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "memberships" | "clock">;

interface OpenedPage {
  page: ConnectPage;
  platformInfo: PlatformInfo;
  caller: Caller;
}

/** The page of this token, for the person it was made for, while they may still do what it does. */
export async function openConnectPage(
  deps: Needs,
  person: SignedInUser,
  { token }: { token: string },
): Promise<OpenedPage> {
  const page = await deps.platformStore.findPage({ tokenHash: sha256(token) }, deps.clock());
  if (!page) throw connectExpiredError();
  return authorizeConnectPage(deps, person, page);
}

/** Checks again all that made the page good: it was made minutes ago, and may be in someone else's hands. */
export async function authorizeConnectPage(deps: Needs, person: SignedInUser, page: ConnectPage): Promise<OpenedPage> {
  if (page.userId !== person.user.id) {
    throw new AppError("forbidden:connect_page");
  }
  const caller = await resolveStudioCaller(deps, person, page.studioId);
  authorize(caller, "platforms.connect");
  const client = page.client ? { client: page.client } : {};
  return { page, platformInfo: getConfiguredPlatform(deps, page.platform), caller: { ...caller, ...client } };
}

/** Sends the browser to the platform. What it carries with it is known to this browser only. */
export async function startConnect(
  deps: Needs,
  person: SignedInUser,
  input: { token: string },
): Promise<{ location: string } & PendingConnect> {
  const { page, platformInfo } = await openConnectPage(deps, person, input);
  const authorization = await startAuthorization(deps, platformInfo, page).catch((error: unknown) =>
    throwAsAppError(error, platformInfo),
  );
  const now = deps.clock();
  // The last attempt counts: whoever goes back and begins again may.
  if (!(await deps.platformStore.startPage(page.tokenHash, sha256(authorization.state), now, now + platformTimeoutMs)))
    throw connectExpiredError();
  return authorization;
}

async function startAuthorization(
  deps: Needs,
  platformInfo: PlatformInfo,
  page: ConnectPage,
): ReturnType<Deps["platforms"]["startAuthorization"]> {
  return deps.platforms.startAuthorization(page, await getOrRegisterApp(deps, platformInfo, page));
}

export const connectExpiredError = (): AppError => new AppError("connect_expired:page");
