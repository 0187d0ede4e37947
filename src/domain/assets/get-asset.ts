import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { id } from "../model/text.ts";
import { type AssetDetail, parseAssetId } from "../model/asset.ts";
import { parseKeyAssetId } from "../model/storage-keys.ts";
import { describeAsset, includeUrlsInput, needsUrls } from "../steps/describe-asset.ts";

export const getAssetInput = z.strictObject({
  assetId: id,
  includePreview: z.boolean().optional().describe("See the image, 512 px."),
  includeUrls: includeUrlsInput,
});

export async function getAsset(
  deps: Pick<Deps, "assets" | "files" | "signer" | "clock" | "baseUrl">,
  caller: Caller,
  input: z.infer<typeof getAssetInput>,
): Promise<AssetDetail> {
  authorize(caller, "assets.read");
  const asset = await deps.assets.find(caller.studio.id, parseAssetId(input.assetId));
  if (!asset) throw notFoundError("asset");
  return describeAsset(deps, asset, needsUrls(caller, input.includeUrls));
}

/**
 * Whether the asset that an upload URL writes to still exists outside the trash. The signature of the URL stays valid
 * after the asset is deleted.
 */
export async function hasAsset(deps: Pick<Deps, "assets">, key: string): Promise<boolean> {
  const [asset] = await deps.assets.findInAllStudios([parseKeyAssetId(key) ?? ""]);
  return asset?.trashExpiresAt === null;
}
