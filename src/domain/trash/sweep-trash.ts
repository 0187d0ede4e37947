import { deleteAssetRecords, removeAssets, removeFiles } from "../assets/lifecycle/delete-files.ts";
import { undefinedOnConflict, ConflictError } from "../conflict.ts";
import type { Deps } from "../deps.ts";
import { runInBatches, type BatchOptions } from "../housekeeping/batches.ts";

const batchSize = 50;

type SweepDeps = Pick<Deps, "trash" | "posts" | "assets" | "strayFiles" | "transact" | "files" | "clock">;

/**
 * Deletes posts and assets that have expired in the trash, with their files. Only unexpired items can be restored and
 * only expired items are swept, so an item is never both restored and deleted.
 */
export async function sweepTrash(deps: SweepDeps, options: BatchOptions): Promise<{ deletedFromTrash: number }> {
  const posts = await runInBatches(options, batchSize, async () => {
    const expiredPosts = await deps.trash.listExpiredPosts(deps.clock(), batchSize);
    for (const { id } of expiredPosts) await deletePostForGood(deps, id);
    return expiredPosts.length;
  });
  const assets = await runInBatches(options, batchSize, async () => {
    const expiredAssets = await deps.trash.listExpiredAssets(deps.clock(), batchSize);
    await removeAssets(deps, expiredAssets);
    return expiredAssets.length;
  });
  return { deletedFromTrash: posts + assets };
}

async function deletePostForGood(deps: SweepDeps, postId: string): Promise<void> {
  const unusedFiles = await deps
    .transact({ job: "sweep trash" }, async (tx) => {
      if (!(await tx.posts.lockExpired(postId, deps.clock()))) throw new ConflictError();
      const files = await deleteAssetRecords(deps, tx, await tx.assets.listByPosts([postId]));
      await tx.posts.remove(postId);
      return files;
    })
    .catch(undefinedOnConflict);
  if (unusedFiles) await removeFiles(deps, unusedFiles);
}
