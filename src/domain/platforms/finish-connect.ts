import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller, SignedIn } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { authorize } from "../policy.ts";
import { enterStudio } from "../studios/enter-studio.ts";
import { ourApp } from "./app.ts";
import { connectExpired, enterPage } from "./connect-page.ts";
import { accountLabel, type Account, type PlatformPlace } from "./connection.ts";
import { sealCredential, timesOf } from "./credential.ts";
import { explainFailure, PlatformFailure } from "./failure.ts";
import { giveBack } from "./revoke.ts";
import type { ConnectPage, PendingConnect, PlatformApp, PlatformFacts, PlatformTokens } from "./ports.ts";

/** Accounts that a studio may have connected: every look at a post goes through all of them. */
export const mostConnections = 100;

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "memberships" | "transact" | "newId" | "clock">;

export interface FinishConnectInput {
  /** Where the platform sent the browser, with its answer. */
  callback: URL;
  /** What this browser kept since it left; undefined where it kept nothing of this state. */
  pending: PendingConnect | undefined;
}

export interface Connected {
  studio: Caller["studio"];
  platform: string;
  accounts: readonly string[];
}

/** Takes the platform's answer, in the browser that left for it, once, and stores what it gave for that one studio. */
export async function finishConnect(deps: Needs, person: SignedIn, input: FinishConnectInput): Promise<Connected> {
  const { callback, pending } = input;
  if (!pending) throw connectExpired();
  const stateHash = sha256(pending.state);
  const page = await deps.platformStore.findPage({ stateHash }, deps.clock());
  // An answer at another platform's or instance's address is not this one's, whatever its state says (RFC 9700 §4.4).
  if (!page || `${callback.origin}${callback.pathname}` !== deps.platforms.redirectUri(page)) throw connectExpired();
  const { facts, caller } = await enterPage(deps, person, page);
  if (!(await deps.platformStore.usePage(stateHash, deps.clock()))) throw connectExpired();
  const { app, granted } = await redeem(deps, facts, page, callback, pending);
  try {
    await deps.transact(async (tx) => {
      // The platform took its time; the person may have lost the role meanwhile.
      authorize(await enterStudio(tx, person, page.studioId), "platforms.connect");
      for (const { account, tokens } of granted) await store(deps, tx, caller, page, { account, tokens, app });
    });
  } catch (error) {
    await Promise.all(granted.map(({ tokens }) => giveBack(deps, page, { tokens, app })));
    throw error;
  }
  return {
    studio: caller.studio,
    platform: facts.name,
    accounts: granted.map(({ account }) => accountLabel(account)),
  };
}

async function redeem(deps: Needs, facts: PlatformFacts, page: ConnectPage, callback: URL, pending: PendingConnect) {
  try {
    const app = await ourApp(deps, facts, page);
    return { app, granted: await deps.platforms.finish(page, app, callback, pending) };
  } catch (error) {
    // The instance has forgotten us: the next attempt registers anew.
    if (error instanceof PlatformFailure && error.kind === "unknown_app") await deps.platformStore.deleteApp(page);
    return explainFailure(error, facts);
  }
}

async function store(
  deps: Pick<Deps, "vault" | "newId" | "clock">,
  tx: Stores,
  caller: Caller,
  { platform, instance }: PlatformPlace,
  { account, tokens, app }: { account: Account; tokens: PlatformTokens; app: PlatformApp | undefined },
): Promise<void> {
  const now = deps.clock();
  const studioId = caller.studio.id;
  const row = { id: deps.newId("platformConnection"), studioId, platform, instance, account, connectedAt: now };
  // The same account again is the same row: the credential is sealed for the id that it has.
  const id = await tx.platformStore.claim(row, mostConnections);
  if (id === undefined) throw tooManyConnections();
  const sealed = sealCredential(deps, { id, studioId }, { tokens, app });
  await tx.platformStore.connect(id, sealed, timesOf(tokens, now), { userId: caller.user.id, at: now });
  const detail = { platform, account: accountLabel(account), ...(instance === "" ? {} : { instance }) };
  await recordActivity(deps, tx, caller, "platform.connected", id, detail);
}

const tooManyConnections = (): AppError => new AppError("quota_exceeded:connections", { limit: mostConnections });
