import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { changeAsset } from "../changes/change-asset.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { text } from "../model/text.ts";
import { getFile, toFileView, type FileView } from "./file-view.ts";
import type { UploadCaller } from "./upload-link.ts";

export const setAltTextInput = z.strictObject({ altText: text(2000).trim() });

/**
 * How often a file may have changed when its alt text is set through a link. Every change creates a revision, which
 * contains the whole text of the post and outdates what members are editing.
 */
export const maxFileChanges = 100;

/**
 * Sets the alt text of a file during or after its upload. Once the studio has moved the file, the link can no
 * longer change it.
 */
export async function setAltText(
  deps: Pick<Deps, "uploads" | "transact" | "files" | "signer" | "newId" | "clock" | "limits" | "baseUrl">,
  caller: UploadCaller,
  input: z.infer<typeof setAltTextInput> & { fileId: string },
): Promise<FileView> {
  authorize(caller, "assets.write");
  const altText = input.altText === "" ? null : input.altText;
  const file = await retryOnConflict(async () => {
    const currentFile = await getFile(deps, caller, input.fileId);
    if (currentFile.asset.postId !== caller.link.postId) throw notFoundError("file");
    if (currentFile.asset.changeCount >= maxFileChanges)
      throw new AppError("quota_exceeded:file_changes", { limit: maxFileChanges });
    const asset = await deps.transact(caller, (tx) =>
      changeAsset(deps, tx, caller.uploader, currentFile.asset, {
        change: { altText },
        keepsApproval: tx.mayPublish,
        activity: ({ filename }) => ({
          action: "asset.updated",
          detail: { fields: ["altText"], filename },
          actor: caller,
        }),
      }),
    );
    return { ...currentFile, asset };
  });
  return toFileView(deps, caller, file);
}
