import { z } from "zod";
import { AppError, notFound } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { id, text } from "../text.ts";
import { knownAssetId, type AssetDetail } from "./asset.ts";
import { describeAsset } from "./describe.ts";
import { filenameChange } from "./filename.ts";
import type { AssetChange } from "./ports.ts";

export const updateAssetInput = z.strictObject({
  assetId: id,
  altText: text(2000)
    .trim()
    .optional()
    .describe("What the picture shows, for people who cannot see it. Empty removes it."),
  filename: filenameChange.optional().describe("What people see, such as team.jpg."),
});

/** Changes what is said about a file; never the file. */
export async function updateAsset(
  deps: Pick<Deps, "transact" | "newId" | "clock" | "files" | "signer" | "base">,
  caller: Caller,
  input: z.infer<typeof updateAssetInput>,
): Promise<AssetDetail> {
  authorize(caller, "assets.write");
  const assetId = knownAssetId(input.assetId);
  const change: AssetChange = {
    ...(input.altText === undefined ? {} : { altText: input.altText === "" ? null : input.altText }),
    ...(input.filename === undefined ? {} : { filename: input.filename }),
  };
  if (Object.keys(change).length === 0) {
    throw new AppError("invalid_input:no_changes", { fields: "altText or filename" });
  }
  const asset = await deps.transact(async (tx) => {
    const updated = await tx.assets.update(caller.studio.id, assetId, change);
    if (!updated) throw notFound("asset");
    await recordActivity(deps, tx, caller, "asset.updated", assetId, {
      fields: Object.keys(change),
      filename: updated.filename,
    });
    return updated;
  });
  return describeAsset(deps, asset);
}
