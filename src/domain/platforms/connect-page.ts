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

/** How long a user may stay on the platform's consent page. */
const platformTimeoutMs = minutes(10);

type ConnectDeps = Pick<Deps, "platforms" | "platformStore" | "vault" | "memberships" | "clock">;

interface AuthorizedPage {
  page: ConnectPage;
  platformInfo: PlatformInfo;
  caller: Caller;
}

/** Finds the page of this token and checks that the user may use it. */
export async function openConnectPage(
  deps: ConnectDeps,
  signedInUser: SignedInUser,
  { token }: { token: string },
): Promise<AuthorizedPage> {
  const page = await deps.platformStore.findPage({ tokenHash: sha256(token) }, deps.clock());
  if (!page) throw connectExpiredError();
  return authorizeConnectPage(deps, signedInUser, page);
}

/** Repeats the checks of the page's creation: roles may have changed since, and another user may have the link. */
export async function authorizeConnectPage(
  deps: ConnectDeps,
  signedInUser: SignedInUser,
  page: ConnectPage,
): Promise<AuthorizedPage> {
  if (page.userId !== signedInUser.user.id) {
    throw new AppError("forbidden:connect_page");
  }
  const caller = await resolveStudioCaller(deps, signedInUser, page.studioId);
  authorize(caller, "platforms.connect");
  const client = page.client ? { client: page.client } : {};
  return { page, platformInfo: getConfiguredPlatform(deps, page.platform), caller: { ...caller, ...client } };
}

/** Returns the platform's authorization URL, with the state and PKCE verifier that only this browser stores. */
export async function startConnect(
  deps: ConnectDeps,
  signedInUser: SignedInUser,
  input: { token: string },
): Promise<{ location: string } & PendingConnect> {
  const { page, platformInfo } = await openConnectPage(deps, signedInUser, input);
  const authorization = await startAuthorization(deps, platformInfo, page).catch((error: unknown) =>
    throwAsAppError(error, platformInfo),
  );
  const now = deps.clock();
  // A new attempt replaces the state of the previous one, so that users can go back and start again.
  if (!(await deps.platformStore.startPage(page.tokenHash, sha256(authorization.state), now, now + platformTimeoutMs)))
    throw connectExpiredError();
  return authorization;
}

async function startAuthorization(
  deps: ConnectDeps,
  platformInfo: PlatformInfo,
  page: ConnectPage,
): ReturnType<Deps["platforms"]["startAuthorization"]> {
  return deps.platforms.startAuthorization(page, await getOrRegisterApp(deps, platformInfo, page));
}

export const connectExpiredError = (): AppError => new AppError("connect_expired:page");
