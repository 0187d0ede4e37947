import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { authorize } from "../policy.ts";
import { resolveStudioCaller } from "../studios/get-studio.ts";
import { getOrRegisterApp } from "./platform-app.ts";
import { connectExpiredError, authorizeConnectPage } from "./connect-page.ts";
import { getAccountLabel, type Account, type PlatformTarget } from "./connection.ts";
import { computeCredentialTimes, revokeCredential, sealCredential } from "./credentials.ts";
import { throwAsAppError, PlatformError } from "./platform-error.ts";
import type { ConnectPage, PendingConnect, PlatformApp, PlatformInfo, PlatformTokens } from "./ports.ts";

/** Accounts that a studio may have connected: every look at a post goes through all of them. */
export const maxConnections = 100;

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "memberships" | "transact" | "newId" | "clock">;

export interface FinishConnectInput {
  /** Where the platform sent the browser, with its answer. */
  callback: URL;
  /** What this browser kept since it left; undefined where it kept nothing of this state. */
  pending: PendingConnect | undefined;
}

export interface ConnectResult {
  studio: Caller["studio"];
  platform: string;
  accounts: readonly string[];
}

/** Takes the platform's answer, in the browser that left for it, once, and stores what it gave for that one studio. */
export async function finishConnect(
  deps: Needs,
  person: SignedInUser,
  input: FinishConnectInput,
): Promise<ConnectResult> {
  const { callback, pending } = input;
  if (!pending) throw connectExpiredError();
  const stateHash = sha256(pending.state);
  const page = await deps.platformStore.findPage({ stateHash }, deps.clock());
  // An answer at another platform's or instance's address is not this one's, whatever its state says (RFC 9700 §4.4).
  if (!page || `${callback.origin}${callback.pathname}` !== deps.platforms.redirectUri(page))
    throw connectExpiredError();
  const { platformInfo, caller } = await authorizeConnectPage(deps, person, page);
  if (!(await deps.platformStore.usePage(stateHash, deps.clock()))) throw connectExpiredError();
  const { app, granted: grantedAccounts } = await exchangeCode(deps, platformInfo, page, callback, pending);
  try {
    await deps.transact(async (tx) => {
      // The platform took its time; the person may have lost the role meanwhile.
      authorize(await resolveStudioCaller(tx, person, page.studioId), "platforms.connect");
      for (const { account, tokens } of grantedAccounts)
        await storeConnection(deps, tx, caller, page, { account, tokens, app });
    });
  } catch (error) {
    await Promise.all(grantedAccounts.map(({ tokens }) => revokeCredential(deps, page, { tokens, app })));
    throw error;
  }
  return {
    studio: caller.studio,
    platform: platformInfo.name,
    accounts: grantedAccounts.map(({ account }) => getAccountLabel(account)),
  };
}

async function exchangeCode(
  deps: Needs,
  platformInfo: PlatformInfo,
  page: ConnectPage,
  callback: URL,
  pending: PendingConnect,
) {
  try {
    const app = await getOrRegisterApp(deps, platformInfo, page);
    return { app, granted: await deps.platforms.finishAuthorization(page, app, callback, pending) };
  } catch (error) {
    // The instance has forgotten us: the next attempt registers anew.
    if (error instanceof PlatformError && error.kind === "unknown_app") await deps.platformStore.deleteApp(page);
    return throwAsAppError(error, platformInfo);
  }
}

async function storeConnection(
  deps: Pick<Deps, "vault" | "newId" | "clock">,
  tx: Stores,
  caller: Caller,
  { platform, instance }: PlatformTarget,
  { account, tokens, app }: { account: Account; tokens: PlatformTokens; app: PlatformApp | undefined },
): Promise<void> {
  const now = deps.clock();
  const studioId = caller.studio.id;
  const row = { id: deps.newId("platformConnection"), studioId, platform, instance, account, connectedAt: now };
  // The same account again is the same row: the credential is sealed for the id that it has.
  const id = await tx.platformStore.claim(row, maxConnections);
  if (id === undefined) throw tooManyConnectionsError();
  const sealedCredential = sealCredential(deps, { id, studioId }, { tokens, app });
  await tx.platformStore.connect(id, sealedCredential, computeCredentialTimes(tokens, now), {
    userId: caller.user.id,
    at: now,
  });
  const detail = { platform, account: getAccountLabel(account), ...(instance === "" ? {} : { instance }) };
  await recordActivity(deps, tx, caller, "platform.connected", id, detail);
}

const tooManyConnectionsError = (): AppError => new AppError("quota_exceeded:connections", { limit: maxConnections });
