import type { Deps } from "../deps.ts";
import type { PlatformConnection, PlatformTarget } from "./connection.ts";
import { openCredential, type Credential } from "./credential.ts";

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
