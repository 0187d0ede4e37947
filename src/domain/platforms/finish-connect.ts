import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller, SignedInUser } from "../caller.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { authorizeConnectLink, getOrRegisterApp, unsealTokenKey } from "./connect-link.ts";
import { getAccountLabel, type PlatformTarget } from "../model/connection.ts";
import { computeCredentialTimes, revokeCredential, sealCredential } from "../steps/credentials.ts";
import { PlatformError, throwAsAppError } from "../model/platform-error.ts";
import type { GrantedAccount, PlatformApp, SealedPendingConnect } from "../ports/platforms.ts";
import type { PlatformInfo } from "../model/platform.ts";

/** Maximum number of connected accounts per studio, because reading a post validates it against all of them. */
export const maxConnections = 100;

type ConnectDeps = Pick<Deps, "platforms" | "platformStore" | "vault" | "memberships" | "transact" | "newId" | "clock">;

export interface FinishConnectInput {
  /** The URL that the platform redirected the browser to. */
  callback: URL;
  /** What `startConnect` stored in the browser; undefined if the browser has nothing stored for this state. */
  pending: SealedPendingConnect | undefined;
}

export interface ConnectResult {
  studio: Caller["studio"];
  platform: string;
  accounts: readonly string[];
}

/** Handles the platform's callback and stores the accounts. Works once, and only in the browser that started it. */
export async function finishConnect(
  deps: ConnectDeps,
  signedInUser: SignedInUser,
  input: FinishConnectInput,
): Promise<ConnectResult> {
  const { callback, pending } = input;
  if (!pending) throw new AppError("connect_expired:page");
  const stateHash = sha256(pending.state);
  const link = await deps.platformStore.findConnectLink({ stateHash }, deps.clock());
  // Prevent mix-up attacks (RFC 9700 §4.4): the callback must be to the redirect URI of the link's platform instance.
  if (!link || `${callback.origin}${callback.pathname}` !== deps.platforms.getRedirectUri(link))
    throw new AppError("connect_expired:page");
  const { platformInfo, caller } = await authorizeConnectLink(deps, signedInUser, link);
  if (!(await deps.platformStore.consumeConnectLink(stateHash, deps.clock())))
    throw new AppError("connect_expired:page");
  const { app, grantedAccounts } = await exchangeCode(deps, platformInfo, link, callback, pending);
  try {
    await deps.transact(caller, async (tx) => {
      for (const grantedAccount of grantedAccounts)
        await storeConnection(deps, tx, caller, link, { ...grantedAccount, app });
    });
  } catch (error) {
    await Promise.all(grantedAccounts.map(({ tokens }) => revokeCredential(deps, link, () => ({ tokens, app }))));
    throw error;
  }
  return {
    studio: caller.studio,
    platform: platformInfo.name,
    accounts: grantedAccounts.map(({ account }) => getAccountLabel(account)),
  };
}

async function exchangeCode(
  deps: ConnectDeps,
  platformInfo: PlatformInfo,
  target: PlatformTarget,
  callback: URL,
  sealedPending: SealedPendingConnect,
) {
  try {
    const app = await getOrRegisterApp(deps, platformInfo, target);
    const pending = { ...sealedPending, tokenKey: unsealTokenKey(deps, sealedPending) };
    return { app, grantedAccounts: await deps.platforms.finishAuthorization(target, app, callback, pending) };
  } catch (error) {
    // The platform instance no longer recognizes our app, so the next attempt has to register it again.
    if (error instanceof PlatformError && error.kind === "unknown_app") await deps.platformStore.deleteApp(target);
    return throwAsAppError(error, platformInfo);
  }
}

async function storeConnection(
  deps: Pick<Deps, "vault" | "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  { platform, instance }: PlatformTarget,
  { account, tokens, limits, app }: GrantedAccount & { app: PlatformApp | undefined },
): Promise<void> {
  const now = deps.clock();
  const studioId = caller.studio.id;
  const row = { id: deps.newId("platformConnection"), studioId, platform, instance, account, limits, connectedAt: now };
  // Reconnecting an account reuses its row, so seal the credential for the id that `insertOrUpdate` returns.
  const id = await tx.platformStore.insertOrUpdate(row, maxConnections);
  if (id === undefined) throw new AppError("quota_exceeded:connections", { limit: maxConnections });
  const sealedCredential = sealCredential(deps, { id, studioId }, { tokens, app });
  await tx.platformStore.connect(id, sealedCredential, computeCredentialTimes(tokens, now), {
    userId: caller.user.id,
    at: now,
  });
  const detail = { platform, account: getAccountLabel(account), ...(instance === "" ? {} : { instance }) };
  await recordActivity(deps, tx, caller, "platform.connected", id, detail);
}
