import { z } from "zod";
import { notFound } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { text } from "../text.ts";
import { findFile, viewFile, type FileView } from "./file-view.ts";
import type { UploadVisitor } from "./visit.ts";

export const setAltTextInput = z.strictObject({ altText: text(2000).trim() });

/**
 * Says what a file shows, while it is on its way or after it has arrived, and is where the link leads. Once it was
 * taken off that post, it is the studio's matter alone.
 */
export async function setAltText(
  deps: Pick<Deps, "uploads" | "transact" | "files" | "signer" | "newId" | "clock" | "base">,
  visitor: UploadVisitor,
  input: z.infer<typeof setAltTextInput> & { fileId: string },
): Promise<FileView> {
  authorize(visitor, "assets.write");
  const file = await findFile(deps, visitor, input.fileId);
  if (file.asset.postId !== visitor.link.postId) throw notFound("file");
  const asset = await deps.transact(async (tx) => {
    const updated = await tx.assets.update(visitor.studio.id, file.asset.id, {
      altText: input.altText === "" ? null : input.altText,
    });
    if (!updated) throw notFound("file");
    await recordActivity(deps, tx, visitor, "asset.updated", updated.id, {
      fields: ["altText"],
      filename: updated.filename,
    });
    return updated;
  });
  return viewFile(deps, visitor, { ...file, asset });
}
