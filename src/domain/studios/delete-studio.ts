import { z } from "zod";
import { seconds } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { runLongWork } from "../steps/long-work.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import type { PlatformConnection } from "../model/connection.ts";
import { deleteCurrentCredential, revokeSealedCredential } from "../steps/credentials.ts";
import { authorize } from "../policy.ts";
import { purgeStudio } from "../steps/purge-studio.ts";

export const deleteStudioInput = z.strictObject({ name: z.string().max(100) });

/** How long the response waits while rows and files are deleted. The background job deletes those that are left. */
const purgeTimeoutMs = seconds(4);
const pauseMs = 5;

/**
 * Deletes a studio and everything in it. The studio becomes invisible in one transaction; its rows and files are then
 * deleted in batches. Revokes the grants that act on the studio, because a client would otherwise continue its task in
 * another studio of the user. Records no activity, because the studio's activity is deleted too.
 */
export async function deleteStudio(
  deps: Pick<
    Deps,
    "studios" | "transact" | "clock" | "sleep" | "files" | "strayFiles" | "platforms" | "vault" | "longWork"
  >,
  caller: Caller,
  input: z.infer<typeof deleteStudioInput>,
): Promise<void> {
  authorize(caller, "studio.delete");
  const connections = await deps.transact(
    caller,
    async (tx) => {
      const studio = await tx.studios.find(caller.studio.id);
      if (!studio) throw notFoundError("studio");
      if (input.name.trim() !== studio.name) throw new AppError("invalid_input:studio_name", { name: studio.name });
      await tx.grants.revokeInStudio(studio.id, deps.clock());
      const disconnectedAccounts: PlatformConnection[] = [];
      for (const { id } of await tx.platformStore.listConnected(studio.id)) {
        const connection = await deleteCurrentCredential(tx, studio.id, id);
        if (connection) disconnectedAccounts.push(connection);
      }
      await tx.studios.markDeleted(studio.id, deps.clock());
      return disconnectedAccounts;
      // Locks the studio: a parallel request could otherwise add a member or connect an account.
    },
    { changesAccess: true },
  );
  await Promise.all(connections.map((connection) => revokeSealedCredential(deps, connection)));
  // Start right away, because signed URLs of files stay valid while the bytes exist.
  const deadline = deps.clock() + purgeTimeoutMs;
  const options = { pause: () => deps.sleep(pauseMs), shouldStop: () => deps.clock() >= deadline };
  await runLongWork(deps, caller, () => purgeStudio(deps, caller.studio.id, options)).catch(() => {
    // The studio is deleted for its users. The background job retries, and logs errors.
  });
}
