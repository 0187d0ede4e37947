import { minutes, seconds } from "#lib/clock.ts";
import { AppError, notFound } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Deps } from "../deps.ts";
import { accountLabel, type PlatformConnection } from "./connection.ts";
import { openCredential, sealCredential, timesOf, type Credential } from "./credential.ts";
import { explainFailure, PlatformFailure } from "./failure.ts";
import { configuredPlatform } from "./known-platform.ts";
import { giveBack } from "./revoke.ts";

type Needs = Pick<Deps, "platforms" | "platformStore" | "vault" | "transact" | "newId" | "clock" | "sleep">;

/** Whoever renews has this long; longer than a platform is given to answer, by more than clocks may differ. */
const renewalLease = seconds(30);
/** So long others wait for the one who renews. */
const patience = seconds(15);
/** A token that ends within this is as good as ended: it has to last for what is done with it. */
const margin = minutes(2);

/**
 * An access token that can be used now. Of all who ask at once, in whatever process, one renews it at the platform;
 * the others wait for what it brings, so that a refresh token that serves once is shown once.
 */
export async function useCredential(
  deps: Needs,
  { studioId, connectionId }: { studioId: string; connectionId: string },
): Promise<{ accessToken: string }> {
  const end = deps.clock() + patience;
  for (let wait = 50; ; wait = Math.min(wait * 2, 500)) {
    const connection = await deps.platformStore.find(studioId, connectionId);
    if (!connection) throw notFound("platform_connection");
    if (connection.credential === null) throw needsReconnect();
    const credential = openCredential(deps, connection, connection.credential);
    if (connection.expiresAt === null || deps.clock() < connection.expiresAt - margin) return credential.tokens;
    const renewed = await renewIfFree(deps, connection, credential);
    if (renewed) return renewed.tokens;
    if (deps.clock() >= end) {
      throw new AppError("url_unreachable:refresh");
    }
    await deps.sleep(wait);
  }
}

/** Renews it; undefined where someone else is at it, or has changed it meanwhile: read it again. */
export async function renewIfFree(
  deps: Needs,
  connection: PlatformConnection,
  credential: Credential,
): Promise<Credential | undefined> {
  const { id, generation } = connection;
  const facts = configuredPlatform(deps, connection.platform);
  const now = deps.clock();
  if (!(await deps.platformStore.takeRenewal(id, generation, now, now + renewalLease))) return undefined;
  try {
    const tokens = await deps.platforms.renew(connection, credential.app, credential.tokens);
    if (!tokens) return await useToTheEnd(deps, connection, credential);
    const refreshToken = tokens.refreshToken ?? credential.tokens.refreshToken;
    const next = { ...credential, tokens: { accessToken: tokens.accessToken, refreshToken } };
    const sealed = sealCredential(deps, connection, next);
    if (await deps.platformStore.renew(id, generation, sealed, timesOf(tokens, deps.clock()))) return next;
    // It was disconnected or connected anew meanwhile, and that has the last word. Where it was connected anew, these
    // are left alone: some platforms revoke all that they gave for an account.
    const left = await deps.platformStore.find(connection.studioId, id);
    if (left?.state !== "connected") await giveBack(deps, connection, next);
    return undefined;
  } catch (error) {
    // Where the platform does not know us, the settings are wrong: what we hold may still be good.
    if (error instanceof PlatformFailure && error.kind === "refused") {
      await giveUp(deps, connection);
      throw needsReconnect();
    }
    // After a breath, so that a platform in trouble is not asked by everyone at once.
    await deps.platformStore.postpone(id, generation, deps.clock() + minutes(10), deps.clock() + seconds(5));
    return explainFailure(error, facts);
  }
}

/** What cannot be renewed serves until its end, and only then needs a person. */
async function useToTheEnd(deps: Needs, connection: PlatformConnection, credential: Credential): Promise<Credential> {
  const { id, generation, expiresAt } = connection;
  if (expiresAt === null || deps.clock() >= expiresAt - margin)
    throw new PlatformFailure("refused", "the platform has no way to renew them");
  await deps.platformStore.postpone(id, generation, expiresAt - margin, 0);
  return credential;
}

/** The platform does not honour what we have: it is worth nothing, and only a person can get more. */
async function giveUp(deps: Needs, { id, generation, studioId, platform, account }: PlatformConnection): Promise<void> {
  await deps.transact(async (tx) => {
    if (!(await tx.platformStore.wipe(id, "needs_reconnect", generation))) return;
    const detail = { platform, account: accountLabel(account) };
    await recordActivity(deps, tx, { studio: { id: studioId } }, "platform.needs_reconnect", id, detail);
  });
}

const needsReconnect = (): AppError => new AppError("connect_expired:credential");
