import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { changeAsset } from "../changes/change-asset.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { id, tags, text } from "../model/text.ts";
import { type AssetDetail, parseAssetId } from "../model/asset.ts";
import { describeAsset, needsUrls } from "../steps/describe-asset.ts";
import { requiredFilename } from "../steps/content/filename.ts";
import type { AssetChange } from "../ports/assets.ts";

export const updateAssetInput = z.strictObject({
  assetId: id,
  altText: text(2000)
    .trim()
    .optional()
    .describe("Describes the image to people who can't see it; empty to remove. Up to 2,000 characters."),
  filename: requiredFilename.optional().describe("Display name, such as team.jpg."),
  tags: tags.optional(),
});

/** Updates the alt text, filename or tags of an asset; the stored bytes never change. */
export async function updateAsset(
  deps: Pick<Deps, "assets" | "transact" | "newId" | "clock" | "limits" | "platforms" | "files" | "signer" | "baseUrl">,
  caller: Caller,
  input: z.infer<typeof updateAssetInput>,
): Promise<AssetDetail> {
  authorize(caller, "assets.write");
  const assetId = parseAssetId(input.assetId);
  const change: AssetChange = {
    ...(input.altText === undefined ? {} : { altText: input.altText === "" ? null : input.altText }),
    ...(input.filename === undefined ? {} : { filename: input.filename }),
    ...(input.tags === undefined ? {} : { tags: input.tags }),
  };
  if (Object.keys(change).length === 0) {
    throw new AppError("invalid_input:no_changes", { fields: "altText, filename or tags" });
  }
  const asset = await retryOnConflict(async () => {
    const currentAsset = await deps.assets.find(caller.studio.id, assetId);
    if (!currentAsset) throw notFoundError("asset");
    return deps.transact(caller, (tx) =>
      changeAsset(deps, tx, caller, currentAsset, {
        change,
        keepsApproval: tx.mayPublish,
        activity: ({ filename }) => ({ action: "asset.updated", detail: { fields: Object.keys(change), filename } }),
      }),
    );
  });
  return describeAsset(deps, asset, needsUrls(caller));
}
