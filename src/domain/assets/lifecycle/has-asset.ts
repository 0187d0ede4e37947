import type { Deps } from "../../deps.ts";
import { parseKeyAssetId } from "../model/storage-keys.ts";

/** Whether the asset of a key still exists: an upload URL outlives an asset that was rejected or deleted. */
export async function hasAsset(deps: Pick<Deps, "assets">, key: string): Promise<boolean> {
  const assetId = parseKeyAssetId(key);
  return assetId !== undefined && (await deps.assets.findForSweep([assetId])).length > 0;
}
