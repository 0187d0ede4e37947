import { AppError } from "#lib/errors.ts";
import { isUploading } from "../model/asset.ts";
import { removeFiles } from "../steps/delete-files.ts";
import { deletePendingAsset } from "../changes/delete-content.ts";
import type { Deps } from "../ports/deps.ts";
import { retryOnConflict } from "../model/conflict.ts";
import { authorize } from "../policy.ts";
import { getFile } from "./file-view.ts";
import type { UploadCaller } from "./upload-link.ts";

/** Cancels an upload: deletes its parts and releases its position on the post. */
export async function cancelFile(
  deps: Pick<Deps, "uploads" | "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: UploadCaller,
  input: { fileId: string },
): Promise<void> {
  authorize(caller, "assets.write");
  // A parallel call may reserve a part or complete the file.
  const unusedFiles = await retryOnConflict(async () => {
    const { asset } = await getFile(deps, caller, input.fileId);
    if (!isUploading(asset)) throw new AppError("already_attached:file");
    const activity = { action: "asset.deleted", detail: { filename: asset.filename } } as const;
    return deps.transact(caller, (tx) => deletePendingAsset(deps, tx, caller, asset, activity));
  });
  await removeFiles(deps, unusedFiles);
}
