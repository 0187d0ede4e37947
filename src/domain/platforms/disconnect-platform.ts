import { z } from "zod";
import type { Caller } from "../caller.ts";
import { cancelBatchSize, cancelPublications } from "../changes/change-publication.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { getAccountLabel, parseConnectionId } from "../model/connection.ts";
import { isKeptOnlyWhileConnected } from "../model/results.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { deleteCurrentCredential, revokeSealedCredential } from "../steps/credentials.ts";

/** How many posts lose their results in one transaction; most have eight readings. */
const resultBatchSize = 20;

export const disconnectPlatformInput = z.strictObject({ connectionId: id });

export const disconnectPlatformOutput = z.object({ disconnected: z.string().describe("Id of the connection.") });

/**
 * Deletes an account's credential, and its results if the platform's terms say so; cancels its proposed and scheduled
 * publications, and revokes the credential at the platform if the platform supports revocation. Idempotent.
 */
export async function disconnectPlatform(
  deps: Pick<Deps, "platforms" | "platformStore" | "vault" | "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof disconnectPlatformInput>,
): Promise<z.infer<typeof disconnectPlatformOutput>> {
  authorize(caller, "platforms.disconnect");
  const connectionId = parseConnectionId(input.connectionId);
  await prepareDisconnect(deps, caller, connectionId);
  const connection = await deps.transact(caller, async (tx) => {
    const currentConnection = await deleteCurrentCredential(tx, caller.studio.id, connectionId);
    if (!currentConnection) return undefined;
    const { platform, account } = currentConnection;
    const detail = { platform, account: getAccountLabel(account) };
    while (await cancelNextPublications(deps, tx, caller, connectionId));
    if (isKeptOnlyWhileConnected(platform)) while (await tx.results.deleteNext(connectionId, resultBatchSize));
    await recordActivity(deps, tx, caller, "platform.disconnected", currentConnection.id, detail);
    return currentConnection;
  });
  // Revoke after deleting our copy, so that the deletion does not depend on the platform.
  if (connection) await revokeSealedCredential(deps, connection);
  return { disconnected: connectionId };
}

/**
 * Cancels publications, and deletes the results that may not be kept, in small transactions until few are left, so that
 * the transaction that deletes the credential and the rest is short.
 */
async function prepareDisconnect(
  deps: Pick<Deps, "platformStore" | "transact" | "newId" | "clock">,
  caller: Caller,
  connectionId: string,
): Promise<void> {
  const connection = await deps.platformStore.find(caller.studio.id, connectionId);
  if (!connection || connection.state === "disconnected") return;
  while (await deps.transact(caller, (tx) => cancelNextPublications(deps, tx, caller, connectionId)));
  if (!isKeptOnlyWhileConnected(connection.platform)) return;
  while (await deps.transact(caller, (tx) => tx.results.deleteNext(connectionId, resultBatchSize)));
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
