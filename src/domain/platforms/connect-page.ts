import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import type { Caller, SignedIn } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { enterStudio } from "../studios/enter-studio.ts";
import { ourApp } from "./app.ts";
import { explainFailure } from "./failure.ts";
import { configuredPlatform } from "./known-platform.ts";
import type { ConnectPage, PendingConnect, PlatformFacts } from "./ports.ts";

/** How long a person may take at the platform. */
const platformPatience = minutes(10);

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "memberships" | "clock">;

interface OpenedPage {
  page: ConnectPage;
  facts: PlatformFacts;
  caller: Caller;
}

/** The page of this token, for the person it was made for, while they may still do what it does. */
export async function openConnectPage(
  deps: Needs,
  person: SignedIn,
  { token }: { token: string },
): Promise<OpenedPage> {
  const page = await deps.platformStore.findPage({ tokenHash: sha256(token) }, deps.clock());
  if (!page) throw connectExpired();
  return enterPage(deps, person, page);
}

/** Checks again all that made the page good: it was made minutes ago, and may be in someone else's hands. */
export async function enterPage(deps: Needs, person: SignedIn, page: ConnectPage): Promise<OpenedPage> {
  if (page.userId !== person.user.id) {
    throw new AppError("forbidden:connect_page");
  }
  const caller = await enterStudio(deps, person, page.studioId);
  authorize(caller, "platforms.connect");
  const client = page.client ? { client: page.client } : {};
  return { page, facts: configuredPlatform(deps, page.platform), caller: { ...caller, ...client } };
}

/** Sends the browser to the platform. What it carries with it is known to this browser only. */
export async function startConnect(
  deps: Needs,
  person: SignedIn,
  input: { token: string },
): Promise<{ location: string } & PendingConnect> {
  const { page, facts } = await openConnectPage(deps, person, input);
  const begun = await begin(deps, facts, page).catch((error: unknown) => explainFailure(error, facts));
  const now = deps.clock();
  // The last attempt counts: whoever goes back and begins again may.
  if (!(await deps.platformStore.startPage(page.tokenHash, sha256(begun.state), now, now + platformPatience)))
    throw connectExpired();
  return begun;
}

async function begin(deps: Needs, facts: PlatformFacts, page: ConnectPage): ReturnType<Deps["platforms"]["begin"]> {
  return deps.platforms.begin(page, await ourApp(deps, facts, page));
}

export const connectExpired = (): AppError => new AppError("connect_expired:page");
