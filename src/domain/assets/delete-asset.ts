import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { undefinedOnConflict } from "../conflict.ts";
import { authorize } from "../policy.ts";
import { id } from "../text.ts";
import { parseAssetId } from "./model/asset.ts";
import { removeFiles, deleteRecord } from "./lifecycle/delete-files.ts";
import { checkTransition } from "./lifecycle/transitions.ts";

export const deleteAssetInput = z.strictObject({ assetId: id });
export const deleteAssetOutput = z.object({ deleted: z.string().describe("The asset's id.") });

/** Deletes an asset permanently. The record goes first, so that a failure leaves an orphaned file for the sweeper. */
export async function deleteAsset(
  deps: Pick<Deps, "assets" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof deleteAssetInput>,
): Promise<z.infer<typeof deleteAssetOutput>> {
  authorize(caller, "assets.write");
  const assetId = parseAssetId(input.assetId);
  for (;;) {
    const asset = await deps.assets.find(caller.studio.id, assetId);
    if (!asset) throw notFoundError("asset");
    checkTransition("delete", asset);
    const wasRemoved = await deps
      .transact(async (tx) => {
        await deleteRecord(deps, tx, asset);
        await recordActivity(deps, tx, caller, "asset.deleted", assetId, { filename: asset.filename });
        return true;
      })
      .catch(undefinedOnConflict);
    if (!wasRemoved) continue;
    await removeFiles(deps, asset);
    return { deleted: assetId };
  }
}
