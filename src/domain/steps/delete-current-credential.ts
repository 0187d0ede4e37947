import { notFoundError } from "#lib/errors.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import type { PlatformConnection } from "../model/connection.ts";
import type { Tx } from "../ports/deps.ts";

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
