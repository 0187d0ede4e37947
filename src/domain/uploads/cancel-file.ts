import { AppError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import { isUploading } from "../assets/model/asset.ts";
import { removeFiles, deleteAssetRecords } from "../assets/lifecycle/delete-files.ts";
import type { Deps } from "../deps.ts";
import { undefinedOnConflict } from "../conflict.ts";
import { authorize } from "../policy.ts";
import { getFile } from "./file-view.ts";
import type { UploadCaller } from "./upload-link.ts";

const maxAttempts = 10;

/** Cancels an upload: deletes its parts and releases its position on the post. */
export async function cancelFile(
  deps: Pick<Deps, "uploads" | "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: UploadCaller,
  input: { fileId: string },
): Promise<void> {
  authorize(caller, "assets.write");
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { asset } = await getFile(deps, caller, input.fileId);
    if (!isUploading(asset)) throw new AppError("already_attached:file");
    const unusedFiles = await deps
      .transact(caller, async (tx) => {
        const files = await deleteAssetRecords(deps, tx, [asset]);
        await recordActivity(deps, tx, caller, "asset.deleted", asset.id, { filename: asset.filename });
        return files;
      })
      .catch(undefinedOnConflict);
    if (!unusedFiles) continue; // a parallel call reserved a part or completed the file
    await removeFiles(deps, unusedFiles);
    return;
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}
