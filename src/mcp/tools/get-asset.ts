import { assetDetail } from "#domain/assets/model/asset.ts";
import { getAsset, getAssetInput } from "#domain/assets/get-asset.ts";
import { previewAssets } from "#domain/assets/thumbnails.ts";
import { defineTool } from "../define-tool.ts";

export const getAssetTool = defineTool({
  name: "get_asset",
  title: "Read an asset",
  description:
    "Reads one asset: name, type, size, the post it is on, alt text, measures, and addresses to read the file and its thumbnail from, good for an hour. " +
    "With includePreview you also see the picture (512 px), for instance to write its alt text. Changes nothing.",
  scope: "studio:read",
  action: "assets.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: getAssetInput,
  output: assetDetail,
  run: getAsset,
  previews: async (deps, caller, { includePreview }, { id }) =>
    includePreview ? previewAssets(deps, caller, [id]) : [],
});
