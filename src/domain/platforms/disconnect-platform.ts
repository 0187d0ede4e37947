import { z } from "zod";
import type { Caller } from "../caller.ts";
import { cancelBatchSize, cancelPublications } from "../changes/change-publication.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { getAccountLabel, parseConnectionId } from "../model/connection.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { deleteCurrentCredential, revokeSealedCredential } from "../steps/credentials.ts";

export const disconnectPlatformInput = z.strictObject({ connectionId: id });

export const disconnectPlatformOutput = z.object({ disconnected: z.string().describe("Id of the connection.") });

/**
 * Deletes an account's credential, cancels its proposed and scheduled publications, and revokes the credential at the
 * platform if the platform supports revocation. Idempotent.
 */
export async function disconnectPlatform(
  deps: Pick<Deps, "platforms" | "platformStore" | "vault" | "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof disconnectPlatformInput>,
): Promise<z.infer<typeof disconnectPlatformOutput>> {
  authorize(caller, "platforms.disconnect");
  const connectionId = parseConnectionId(input.connectionId);
  await cancelMostPublications(deps, caller, connectionId);
  const connection = await deps.transact(caller, async (tx) => {
    const currentConnection = await deleteCurrentCredential(tx, caller.studio.id, connectionId);
    if (!currentConnection) return undefined;
    const { platform, account } = currentConnection;
    const detail = { platform, account: getAccountLabel(account) };
    while (await cancelNextPublications(deps, tx, caller, connectionId));
    await recordActivity(deps, tx, caller, "platform.disconnected", currentConnection.id, detail);
    return currentConnection;
  });
  // Revoke after deleting our copy, so that the deletion does not depend on the platform.
  if (connection) await revokeSealedCredential(deps, connection);
  return { disconnected: connectionId };
}

/**
 * Cancels publications in small transactions until few are left, so that the transaction that deletes the credential and
 * cancels the rest is short.
 */
async function cancelMostPublications(
  deps: Pick<Deps, "platformStore" | "transact" | "newId" | "clock">,
  caller: Caller,
  connectionId: string,
): Promise<void> {
  const connection = await deps.platformStore.find(caller.studio.id, connectionId);
  if (!connection || connection.state === "disconnected") return;
  while (await deps.transact(caller, (tx) => cancelNextPublications(deps, tx, caller, connectionId)));
}

/** Cancels proposed and scheduled publications of the account. Returns whether there may be more. */
async function cancelNextPublications(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  caller: Caller,
  connectionId: string,
): Promise<boolean> {
  const states = ["proposed", "scheduled"] as const;
  const publications = await tx.publications.listByConnection(connectionId, states, cancelBatchSize);
  await cancelPublications(deps, tx, caller, publications);
  return publications.length === cancelBatchSize;
}
