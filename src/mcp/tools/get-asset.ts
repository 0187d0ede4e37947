import { assetDetail } from "#domain/model/asset.ts";
import { getAsset, getAssetInput } from "#domain/assets/get-asset.ts";
import { previewAssets } from "#domain/assets/thumbnails.ts";
import { defineTool } from "../define-tool.ts";

export const getAssetTool = defineTool({
  name: "get_asset",
  title: "Get an asset",
  description:
    "Get an asset's name, type, size, post, alt text and media metadata. Set includePreview to see an image, for example before you write its alt text.",
  action: "assets.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: getAssetInput,
  output: assetDetail,
  run: getAsset,
  getPreviews: async (deps, caller, { includePreview }, { id }) =>
    includePreview ? previewAssets(deps, caller, [id]) : [],
});
