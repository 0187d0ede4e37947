import type { Deps } from "../deps.ts";
import type { PlatformConnection } from "./connection.ts";
import { openCredential } from "./credential.ts";

/**
 * Tells the platform that we will not use these credentials again. As well as can be: a platform that is away, has
 * gone from the catalogue, or has forgotten us does not keep a studio from leaving it.
 */
export async function revokeAtPlatform(
  deps: Pick<Deps, "platforms" | "vault">,
  connection: PlatformConnection,
): Promise<void> {
  if (connection.credential === null || !deps.platforms.find(connection.platform)?.configured) return;
  try {
    const { tokens, app } = openCredential(deps, connection, connection.credential);
    await deps.platforms.revoke(connection, app, tokens);
  } catch {
    // Nothing can be done about it from here; the credential is wiped either way.
  }
}
