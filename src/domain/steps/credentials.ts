import { days, minutes, seconds, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import { getAccountLabel, type PlatformConnection, type PlatformTarget } from "../model/connection.ts";
import { PlatformError, throwAsAppError } from "../model/platform-error.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import type { AccessToken, CredentialTimes, PlatformApp, PlatformTokens } from "../ports/platforms.ts";
import { getConfiguredPlatform } from "./configured-platform.ts";

/** What is sealed: the tokens and, if a platform instance issued them, the app that we registered there. */
export interface Credential {
  tokens: Omit<PlatformTokens, "expiresInMs">;
  app?: PlatformApp | undefined;
}

type CredentialOwner = Pick<PlatformConnection, "id" | "studioId">;

/** Binds the sealed credential to this connection and studio. */
export function sealCredential(
  { vault }: Pick<Deps, "vault">,
  owner: CredentialOwner,
  { tokens, app }: Credential,
): string {
  const { accessToken, refreshToken, binding } = tokens;
  return vault.seal(
    "platform-credential",
    [owner.id, owner.studioId],
    JSON.stringify({ tokens: { accessToken, refreshToken, binding }, app }),
  );
}

export function unsealCredential(
  { vault }: Pick<Deps, "vault">,
  owner: CredentialOwner,
  sealedCredential: string,
): Credential {
  return JSON.parse(vault.open("platform-credential", [owner.id, owner.studioId], sealedCredential)) as Credential;
}

/**
 * Renewal is due when a fifth of the lifetime is left, but at least five minutes and at most a week before expiry. For
 * very short lifetimes, it is due when half of the lifetime is left.
 */
export function computeCredentialTimes({ expiresInMs }: PlatformTokens, now: number): CredentialTimes {
  if (expiresInMs === undefined) return { expiresAt: null, renewAt: null };
  const preferredLeadMs = Math.min(Math.max(expiresInMs / 5, minutes(5)), days(7));
  const leadMs = Math.min(preferredLeadMs, expiresInMs / 2);
  return { expiresAt: now + expiresInMs, renewAt: now + Math.floor(expiresInMs - leadMs) };
}

type CredentialDeps = Pick<Deps, "platforms" | "platformStore" | "vault" | "transact" | "newId" | "clock" | "sleep">;

/** Lease for one renewal: longer than its two steps of 10 s plus the clock skew between Atelier servers. */
const renewalLeaseMs = seconds(30);
/** How long a caller waits while another caller renews the credential: longer than a renewal takes. */
const maxRenewalWaitMs = seconds(25);
/** A token counts as expired this long before its expiry, so that it does not expire during the caller's requests. */
const expiryMarginMs = minutes(2);

/**
 * Returns a valid access token. If the stored token has expired, one caller across all processes renews it and the
 * others wait, because many refresh tokens can be used only once.
 */
export function getAccessToken(deps: CredentialDeps, target: CredentialTarget): Promise<AccessToken> {
  return getUsableToken(
    deps,
    target,
    ({ tokenExpiresAt }) => tokenExpiresAt === null || deps.clock() < tokenExpiresAt - expiryMarginMs,
  );
}

/** Renews an access token that the platform rejects although it has not expired. */
export function renewAccessToken(
  deps: CredentialDeps,
  target: CredentialTarget,
  rejectedToken: string,
): Promise<AccessToken> {
  return getUsableToken(deps, target, (_, { tokens }) => tokens.accessToken !== rejectedToken, { isRejected: true });
}

interface CredentialTarget {
  studioId: string;
  connectionId: string;
}

async function getUsableToken(
  deps: CredentialDeps,
  { studioId, connectionId }: CredentialTarget,
  isUsable: (connection: PlatformConnection, credential: Credential) => boolean,
  renewalOptions?: { isRejected: boolean },
): Promise<AccessToken> {
  const deadline = deps.clock() + maxRenewalWaitMs;
  for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 500)) {
    const connection = await deps.platformStore.find(studioId, connectionId);
    if (!connection) throw notFoundError("platform_connection");
    if (connection.credential === null) throw new AppError("connect_expired:credential");
    const credential = unsealCredential(deps, connection, connection.credential);
    if (isUsable(connection, credential)) return credential.tokens;
    const renewedCredential = await tryRenew(deps, connection, credential, renewalOptions);
    if (renewedCredential) return renewedCredential.tokens;
    if (deps.clock() >= deadline) {
      throw new AppError("url_unreachable:refresh");
    }
    await deps.sleep(delayMs);
  }
}

/**
 * Renews a credential. Returns undefined if another caller is renewing or has changed the credential; this caller then
 * reads it again. `isRejected`: the platform does not accept the access token, although the token has not expired.
 */
export async function tryRenew(
  deps: CredentialDeps,
  connection: PlatformConnection,
  credential: Credential,
  { isRejected } = { isRejected: false },
): Promise<Credential | undefined> {
  const { id, credentialGeneration: generation } = connection;
  const platformInfo = getConfiguredPlatform(deps, connection.platform);
  const now = deps.clock();
  if (!(await deps.platformStore.acquireRenewal(id, generation, now, now + renewalLeaseMs))) return undefined;
  try {
    const tokens = await deps.platforms.renew(connection, credential.app, credential.tokens);
    if (!tokens && isRejected) throw new PlatformError("rejected", "the platform does not support renewal");
    if (!tokens) return await keepUntilExpiry(deps, connection, credential);
    const refreshToken = tokens.refreshToken ?? credential.tokens.refreshToken;
    const binding = tokens.binding ?? credential.tokens.binding;
    const nextCredential = { ...credential, tokens: { accessToken: tokens.accessToken, refreshToken, binding } };
    const sealedCredential = sealCredential(deps, connection, nextCredential);
    if (await deps.platformStore.renew(id, generation, sealedCredential, computeCredentialTimes(tokens, deps.clock())))
      return nextCredential;
    // Another caller disconnected or reconnected the account. After a reconnect, do not revoke: some platforms would
    // revoke all tokens of the account, including the new ones.
    const currentConnection = await deps.platformStore.find(connection.studioId, id);
    if (currentConnection?.state !== "connected") await revokeCredential(deps, connection, () => nextCredential);
    return undefined;
  } catch (error) {
    // Only `rejected` invalidates the credential. After `unknown_app`, for example, it may still be valid: the platform
    // does not know our app.
    if (error instanceof PlatformError && error.kind === "rejected") {
      await markNeedsReconnect(deps, connection);
      throw new AppError("connect_expired:credential");
    }
    // Keep the lease for five seconds, so that the waiting callers do not retry immediately.
    await deps.platformStore.postponeRenewal(id, generation, deps.clock() + minutes(10), deps.clock() + seconds(5));
    return throwAsAppError(error, platformInfo);
  }
}

/** How long before the end of an access its users are warned for the last time. */
const lastWarningMs = days(1);

/**
 * Keeps using a credential that the platform can't renew: returns it, and records when the access ends, a second time
 * on the last day. Schedules the next attempt for then, and the last one shortly before the end. Throws if that time has come, or if the credential has no expiry: the user must reconnect.
 */
async function keepUntilExpiry(
  deps: CredentialDeps,
  connection: PlatformConnection,
  credential: Credential,
): Promise<Credential> {
  const { id, studioId, platform, account, credentialGeneration: generation, tokenExpiresAt } = connection;
  const now = deps.clock();
  if (tokenExpiresAt === null || now >= tokenExpiresAt - expiryMarginMs)
    throw new PlatformError("rejected", "the platform does not support renewal");
  const isLastDay = now >= tokenExpiresAt - lastWarningMs;
  const nextAttempt = tokenExpiresAt - (isLastDay ? expiryMarginMs : lastWarningMs);
  await deps.transact({ job: "renew credentials" }, async (tx) => {
    if (!(await tx.platformStore.keepUntilExpiry(id, generation, nextAttempt, tokenExpiresAt))) return;
    const detail = { platform, account: getAccountLabel(account), expiresAt: toIsoTime(tokenExpiresAt) };
    await recordActivity(deps, tx, { studio: { id: studioId } }, "platform.expires_soon", id, detail);
  });
  return credential;
}

/** Deletes a credential that the platform rejects. Only a user can reconnect the account. */
async function markNeedsReconnect(
  deps: CredentialDeps,
  { id, credentialGeneration, studioId, platform, account }: PlatformConnection,
): Promise<void> {
  await deps.transact({ job: "renew credentials" }, async (tx) => {
    if (!(await tx.platformStore.deleteCredential(id, "needs_reconnect", credentialGeneration))) return;
    const detail = { platform, account: getAccountLabel(account) };
    await recordActivity(deps, tx, { studio: { id: studioId } }, "platform.needs_reconnect", id, detail);
  });
}

/** Revokes the stored credential of a connection at the platform, best effort. */
export async function revokeSealedCredential(
  deps: Pick<Deps, "platforms" | "vault">,
  connection: PlatformConnection,
): Promise<void> {
  const { credential } = connection;
  if (credential !== null)
    await revokeCredential(deps, connection, () => unsealCredential(deps, connection, credential));
}

/** Ignores errors, so that a studio can disconnect even if the platform is unreachable or rejects the request. */
export async function revokeCredential(
  { platforms }: Pick<Deps, "platforms">,
  target: PlatformTarget,
  readCredential: () => Credential,
): Promise<void> {
  if (!platforms.find(target.platform)?.isConfigured) return;
  try {
    const { tokens, app } = readCredential();
    await platforms.revoke(target, app, tokens);
  } catch {
    // Nothing is left to do: Atelier has deleted this credential or never stored it.
  }
}

/**
 * Deletes the credential and returns the connection as it was before, so that the credential can be revoked. Retries if
 * another call has renewed the credential, so that the newest one is revoked. Undefined if already disconnected.
 */
export async function deleteCurrentCredential(
  tx: Tx,
  studioId: string,
  connectionId: string,
): Promise<PlatformConnection | undefined> {
  return retryOnConflict(async () => {
    const currentConnection = await tx.platformStore.find(studioId, connectionId);
    if (!currentConnection) throw notFoundError("platform_connection");
    const { id: currentId, state, credentialGeneration } = currentConnection;
    if (state === "disconnected") return undefined;
    if (!(await tx.platformStore.deleteCredential(currentId, "disconnected", credentialGeneration)))
      throw new ConflictError();
    return currentConnection;
  });
}
