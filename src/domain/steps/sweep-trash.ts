import { deleteExpiredPost, type UnusedFiles } from "../changes/delete-content.ts";
import { undefinedOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
import { removeAssets, removeFiles } from "./delete-files.ts";
import { type BatchOptions, isolateStudios, runInBatches } from "./run-in-batches.ts";

const batchSize = 50;
/** Rows of a post per transaction: few, so that other writes wait only briefly. */
const detailsPerTransaction = 400;

type SweepDeps = Pick<Deps, "trash" | "strayFiles" | "transact" | "files" | "clock">;

/**
 * Deletes posts and assets that have expired in the trash, with their files. Only unexpired items can be restored and
 * only expired items are swept, so an item is never both restored and deleted. If an item can't be deleted, continues
 * with those of other studios and then throws the error.
 */
export async function sweepTrash(deps: SweepDeps, options: BatchOptions): Promise<{ deletedFromTrash: number }> {
  const { listFailedStudios, processEach, throwFirstError } = isolateStudios();
  const posts = await runInBatches(options, batchSize, async () =>
    processEach(await deps.trash.listExpiredPosts(deps.clock(), listFailedStudios(), batchSize), ({ id }) =>
      deletePostForGood(deps, id),
    ),
  );
  const assets = await runInBatches(options, batchSize, async () =>
    processEach(await deps.trash.listExpiredAssets(deps.clock(), listFailedStudios(), batchSize), (asset) =>
      removeAssets(deps, [asset]),
    ),
  );
  throwFirstError();
  return { deletedFromTrash: posts + assets };
}

/** Deletes the post in one transaction or, if it has many revisions, comments or publications, in several. */
async function deletePostForGood(deps: SweepDeps, postId: string): Promise<void> {
  let deletion: { unusedFiles: UnusedFiles | undefined } | undefined;
  do {
    deletion = await deps
      .transact({ job: "sweep trash" }, async (tx) => ({
        unusedFiles: await deleteExpiredPost(deps, tx, postId, detailsPerTransaction),
      }))
      .catch(undefinedOnConflict);
  } while (deletion && !deletion.unusedFiles);
  if (deletion?.unusedFiles) await removeFiles(deps, deletion.unusedFiles);
}
