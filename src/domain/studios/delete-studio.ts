import { z } from "zod";
import { seconds } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Asset } from "../assets/model/asset.ts";
import { listUnusedFiles, markForDeletion, removeFiles } from "../assets/lifecycle/delete-files.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Stores } from "../deps.ts";
import { revokeSealedCredential } from "../platforms/credentials.ts";
import { authorize } from "../policy.ts";

export const deleteStudioInput = z.strictObject({ name: z.string().max(100) });

const batchSize = 500;
/** How long the response waits while files are removed. The sweeper removes those that are left. */
const fileRemovalTimeoutMs = seconds(4);

/**
 * Deletes a studio and everything in it. Revokes the grants that act on the studio, because a client would otherwise
 * continue its task in another studio of the user. Records no activity, because the studio's activity is deleted too.
 */
export async function deleteStudio(
  deps: Pick<Deps, "transact" | "clock" | "files" | "strayFiles" | "platforms" | "vault">,
  caller: Caller,
  input: z.infer<typeof deleteStudioInput>,
): Promise<void> {
  authorize(caller, "studio.delete");
  const { assets, connections } = await deps.transact(async (tx) => {
    // Without the lock, a parallel request could add an asset. The asset would prevent the deletion of its post, or its
    // file would never be deleted.
    await tx.studios.lock(caller.studio.id);
    const studio = await tx.studios.find(caller.studio.id);
    if (!studio) throw notFoundError("studio");
    if (input.name.trim() !== studio.name) throw new AppError("invalid_input:studio_name", { name: studio.name });
    const deletedContent = {
      assets: await markStudioFilesForDeletion(deps, tx, studio.id),
      connections: await tx.platformStore.listConnected(studio.id),
    };
    await tx.grants.revokeInStudio(studio.id, deps.clock());
    await tx.studios.delete(studio.id);
    return deletedContent;
  });
  await Promise.all(connections.map((connection) => revokeSealedCredential(deps, connection)));
  // Remove the files right away, because signed URLs stay valid while the bytes exist.
  const deadline = deps.clock() + fileRemovalTimeoutMs;
  for (const asset of assets) {
    if (deps.clock() >= deadline) return;
    await removeFiles(deps, listUnusedFiles([asset]));
  }
}

/** Also returns all assets of the studio. */
async function markStudioFilesForDeletion(deps: Pick<Deps, "clock">, tx: Stores, studioId: string): Promise<Asset[]> {
  const allAssets: Asset[] = [];
  for (let page = await tx.assets.list(studioId, { withTrash: true, limit: batchSize }); page.length > 0;) {
    allAssets.push(...page);
    await markForDeletion(deps, tx, listUnusedFiles(page));
    page = await tx.assets.list(studioId, { withTrash: true, before: page.at(-1)?.id, limit: batchSize });
  }
  return allAssets;
}
