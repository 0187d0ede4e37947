import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import { retryOnConflict } from "../conflict.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { createTrashMark } from "../trash/trash-mark.ts";
import { changeAsset } from "./lifecycle/change-asset.ts";
import { removeFiles, deleteAssetRecords } from "./lifecycle/delete-files.ts";
import { checkTransition } from "./lifecycle/transitions.ts";
import { parseAssetId } from "./model/asset.ts";

export const deleteAssetInput = z.strictObject({ assetId: id });
export const deleteAssetOutput = z.object({ deleted: z.string().describe("The asset's id.") });

/**
 * Moves a ready asset to the trash. Deletes a pending asset permanently: first its record, then its files. If a file
 * can't be deleted now, the sweeper removes it.
 */
export async function deleteAsset(
  deps: Pick<Deps, "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
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
      await recordActivity(deps, tx, caller, "asset.deleted", assetId, { filename: asset.filename });
      if (asset.status === "pending") return deleteAssetRecords(deps, tx, [asset]);
      await changeAsset(deps, tx, caller, asset, { trash: createTrashMark(deps, caller) });
      return undefined;
    });
    if (unusedFiles) await removeFiles(deps, unusedFiles);
  });
  return { deleted: assetId };
}
