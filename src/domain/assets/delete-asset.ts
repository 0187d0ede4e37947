import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { changeAsset } from "../changes/change-asset.ts";
import { deletePendingAsset } from "../changes/delete-content.ts";
import { retryOnConflict } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../model/text.ts";
import { createTrashMark } from "../changes/editor.ts";
import { removeFiles } from "../steps/delete-files.ts";
import { checkTransition } from "../model/asset-transitions.ts";
import { parseAssetId } from "../model/asset.ts";

export const deleteAssetInput = z.strictObject({ assetId: id });
export const deleteAssetOutput = z.object({ deleted: z.string().describe("The asset's id.") });

/**
 * Moves a ready asset to the trash. Deletes a pending asset permanently: first its record, then its files. If a file
 * can't be deleted now, the sweeper removes it.
 */
export async function deleteAsset(
  deps: Pick<Deps, "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock" | "limits" | "platforms">,
  caller: Caller,
  input: z.infer<typeof deleteAssetInput>,
): Promise<z.infer<typeof deleteAssetOutput>> {
  authorize(caller, "assets.write");
  const assetId = parseAssetId(input.assetId);
  await retryOnConflict(async () => {
    const asset = await deps.assets.find(caller.studio.id, assetId);
    if (!asset) throw notFoundError("asset");
    checkTransition("delete", asset);
    const unusedFiles = await deps.transact(caller, async (tx) => {
      const activity = { action: "asset.deleted", detail: { filename: asset.filename } } as const;
      if (asset.status === "pending") return deletePendingAsset(deps, tx, caller, asset, activity);
      const change = { trash: createTrashMark(deps, caller) };
      await changeAsset(deps, tx, caller, asset, { change, keepsApproval: tx.mayPublish, activity: () => activity });
      return undefined;
    });
    if (unusedFiles) await removeFiles(deps, unusedFiles);
  });
  return { deleted: assetId };
}
