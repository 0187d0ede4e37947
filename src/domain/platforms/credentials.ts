import { days, minutes, seconds } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Deps } from "../deps.ts";
import { getAccountLabel, getConfiguredPlatform, type PlatformConnection, type PlatformTarget } from "./connection.ts";
import { PlatformError, throwAsAppError } from "./platform-error.ts";
import type { CredentialTimes, PlatformApp, PlatformTokens } from "./ports.ts";

/** What is sealed: the tokens, and ourselves at the instance that gave them, where we registered there. */
export interface Credential {
  tokens: Pick<PlatformTokens, "accessToken" | "refreshToken">;
  app?: PlatformApp | undefined;
}

type CredentialOwner = Pick<PlatformConnection, "id" | "studioId">;

/** Good in this row of this studio, and nowhere else. */
export function sealCredential(
  { vault }: Pick<Deps, "vault">,
  owner: CredentialOwner,
  { tokens, app }: Credential,
): string {
  const { accessToken, refreshToken } = tokens;
  return vault.seal(
    "platform-credential",
    [owner.id, owner.studioId],
    JSON.stringify({ tokens: { accessToken, refreshToken }, app }),
  );
}

export function openCredential(
  { vault }: Pick<Deps, "vault">,
  owner: CredentialOwner,
  sealedCredential: string,
): Credential {
  return JSON.parse(vault.open("platform-credential", [owner.id, owner.studioId], sealedCredential)) as Credential;
}

/** Ahead of the end by a fifth of its life: five minutes at least where it lives that long, a week at most. */
export function computeCredentialTimes({ expiresInMs }: PlatformTokens, now: number): CredentialTimes {
  if (expiresInMs === undefined) return { expiresAt: null, renewAt: null };
  const preferredLeadMs = Math.min(Math.max(expiresInMs / 5, minutes(5)), days(7));
  const leadMs = Math.min(preferredLeadMs, expiresInMs / 2);
  return { expiresAt: now + expiresInMs, renewAt: now + Math.floor(expiresInMs - leadMs) };
}

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "transact" | "newId" | "clock" | "sleep">;

/** Whoever renews has this long; longer than a platform is given to answer, by more than clocks may differ. */
const renewalLeaseMs = seconds(30);
/** So long others wait for the one who renews. */
const renewalTimeoutMs = seconds(15);
/** A token that ends within this is as good as ended: it has to last for what is done with it. */
const expiryMarginMs = minutes(2);

/**
 * An access token that can be used now. Of all who ask at once, in whatever process, one renews it at the platform;
 * the others wait for what it brings, so that a refresh token that serves once is shown once.
 */
export async function getAccessToken(
  deps: Needs,
  { studioId, connectionId }: { studioId: string; connectionId: string },
): Promise<{ accessToken: string }> {
  const deadline = deps.clock() + renewalTimeoutMs;
  for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 500)) {
    const connection = await deps.platformStore.find(studioId, connectionId);
    if (!connection) throw notFoundError("platform_connection");
    if (connection.credential === null) throw needsReconnectError();
    const credential = openCredential(deps, connection, connection.credential);
    if (connection.expiresAt === null || deps.clock() < connection.expiresAt - expiryMarginMs) return credential.tokens;
    const renewedCredential = await tryRenew(deps, connection, credential);
    if (renewedCredential) return renewedCredential.tokens;
    if (deps.clock() >= deadline) {
      throw new AppError("url_unreachable:refresh");
    }
    await deps.sleep(delayMs);
  }
}

/** Renews it; undefined where someone else is at it, or has changed it meanwhile: read it again. */
export async function tryRenew(
  deps: Needs,
  connection: PlatformConnection,
  credential: Credential,
): Promise<Credential | undefined> {
  const { id, generation } = connection;
  const platformInfo = getConfiguredPlatform(deps, connection.platform);
  const now = deps.clock();
  if (!(await deps.platformStore.acquireRenewal(id, generation, now, now + renewalLeaseMs))) return undefined;
  try {
    const tokens = await deps.platforms.renew(connection, credential.app, credential.tokens);
    if (!tokens) return await useUntilExpiry(deps, connection, credential);
    const refreshToken = tokens.refreshToken ?? credential.tokens.refreshToken;
    const nextCredential = { ...credential, tokens: { accessToken: tokens.accessToken, refreshToken } };
    const sealedCredential = sealCredential(deps, connection, nextCredential);
    if (await deps.platformStore.renew(id, generation, sealedCredential, computeCredentialTimes(tokens, deps.clock())))
      return nextCredential;
    // It was disconnected or connected anew meanwhile, and that has the last word. Where it was connected anew, these
    // are left alone: some platforms revoke all that they gave for an account.
    const currentConnection = await deps.platformStore.find(connection.studioId, id);
    if (currentConnection?.state !== "connected") await revokeCredential(deps, connection, nextCredential);
    return undefined;
  } catch (error) {
    // Where the platform does not know us, the settings are wrong: what we hold may still be good.
    if (error instanceof PlatformError && error.kind === "refused") {
      await markNeedsReconnect(deps, connection);
      throw needsReconnectError();
    }
    // After a breath, so that a platform in trouble is not asked by everyone at once.
    await deps.platformStore.postponeRenewal(id, generation, deps.clock() + minutes(10), deps.clock() + seconds(5));
    return throwAsAppError(error, platformInfo);
  }
}

/** What cannot be renewed serves until its end, and only then needs a person. */
async function useUntilExpiry(
  deps: Needs,
  connection: PlatformConnection,
  credential: Credential,
): Promise<Credential> {
  const { id, generation, expiresAt } = connection;
  if (expiresAt === null || deps.clock() >= expiresAt - expiryMarginMs)
    throw new PlatformError("refused", "the platform has no way to renew them");
  await deps.platformStore.postponeRenewal(id, generation, expiresAt - expiryMarginMs, 0);
  return credential;
}

/** The platform does not honour what we have: it is worth nothing, and only a person can get more. */
async function markNeedsReconnect(
  deps: Needs,
  { id, generation, studioId, platform, account }: PlatformConnection,
): Promise<void> {
  await deps.transact(async (tx) => {
    if (!(await tx.platformStore.wipeCredential(id, "needs_reconnect", generation))) return;
    const detail = { platform, account: getAccountLabel(account) };
    await recordActivity(deps, tx, { studio: { id: studioId } }, "platform.needs_reconnect", id, detail);
  });
}

const needsReconnectError = (): AppError => new AppError("connect_expired:credential");

/** Tells the platform that we will not use the credentials of this connection again, as well as can be. */
export async function revokeAtPlatform(
  deps: Pick<Deps, "platforms" | "vault">,
  connection: PlatformConnection,
): Promise<void> {
  const { credential } = connection;
  if (credential !== null) await revokeBestEffort(deps, connection, () => openCredential(deps, connection, credential));
}

/** The same for credentials that have come too late to be stored. */
export async function revokeCredential(
  deps: Pick<Deps, "platforms">,
  target: PlatformTarget,
  credential: Credential,
): Promise<void> {
  await revokeBestEffort(deps, target, () => credential);
}

/** A platform that is away, has gone from the catalogue, or has forgotten us does not keep a studio from leaving it. */
async function revokeBestEffort(
  { platforms }: Pick<Deps, "platforms">,
  target: PlatformTarget,
  readCredential: () => Credential,
): Promise<void> {
  if (!platforms.find(target.platform)?.isConfigured) return;
  try {
    const { tokens, app } = readCredential();
    await platforms.revoke(target, app, tokens);
  } catch {
    // Nothing can be done about it from here; we keep nothing of it either way.
  }
}
