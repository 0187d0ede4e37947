import { deleteAssets, type UnusedFiles } from "../changes/delete-content.ts";
import type { Asset } from "../model/asset.ts";
import { undefinedOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";

/** Deletes assets, each in its own transaction, and their files. Skips assets that changed since they were read. */
export async function removeAssets(
  deps: Pick<Deps, "files" | "strayFiles" | "transact" | "clock">,
  assets: readonly Asset[],
): Promise<void> {
  for (const asset of assets) {
    const unusedFiles = await deps
      .transact({ job: "remove assets" }, (tx) => deleteAssets(deps, tx, [asset]))
      .catch(undefinedOnConflict);
    if (unusedFiles) await removeFiles(deps, unusedFiles);
  }
}

/**
 * Removes files that `deleteAssets` returned. The sweeper retries failures, and removes `keysToDeleteTwice` once
 * more in case a write was still in progress.
 */
export async function removeFiles(
  deps: Pick<Deps, "files" | "strayFiles">,
  { keysToDelete, keysToDeleteTwice, multipartUploads }: UnusedFiles,
): Promise<void> {
  try {
    for (const upload of multipartUploads) await deps.files.parts.abort(upload);
    await Promise.all([...keysToDelete, ...keysToDeleteTwice].map((key) => deps.files.remove(key)));
    await deps.strayFiles.deleteRecords(keysToDelete);
  } catch {
    // The keys are marked for deletion, so the sweeper removes the bytes.
  }
}
