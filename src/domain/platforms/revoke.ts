import type { Deps } from "../deps.ts";
import type { PlatformConnection, PlatformPlace } from "./connection.ts";
import { openCredential, type Credential } from "./credential.ts";

/** Tells the platform that we will not use the credentials of this connection again, as well as can be. */
export async function revokeAtPlatform(
  deps: Pick<Deps, "platforms" | "vault">,
  connection: PlatformConnection,
): Promise<void> {
  const { credential } = connection;
  if (credential !== null) await asWellAsCanBe(deps, connection, () => openCredential(deps, connection, credential));
}

/** The same for credentials that have come too late to be stored. */
export async function giveBack(
  deps: Pick<Deps, "platforms">,
  place: PlatformPlace,
  credential: Credential,
): Promise<void> {
  await asWellAsCanBe(deps, place, () => credential);
}

/** A platform that is away, has gone from the catalogue, or has forgotten us does not keep a studio from leaving it. */
async function asWellAsCanBe(
  { platforms }: Pick<Deps, "platforms">,
  place: PlatformPlace,
  open: () => Credential,
): Promise<void> {
  if (!platforms.find(place.platform)?.configured) return;
  try {
    const { tokens, app } = open();
    await platforms.revoke(place, app, tokens);
  } catch {
    // Nothing can be done about it from here; we keep nothing of it either way.
  }
}
