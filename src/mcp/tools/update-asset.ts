import { assetDetail } from "#domain/model/asset.ts";
import { updateAsset, updateAssetInput } from "#domain/assets/update-asset.ts";
import { defineTool } from "../define-tool.ts";

export const updateAssetTool = defineTool({
  name: "update_asset",
  title: "Update asset details",
  description:
    "Change an asset's alt text, filename or tags; omitted fields stay. Before you write alt text, look at the image with get_asset, then describe it in one sentence.",
  action: "assets.write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: updateAssetInput,
  output: assetDetail,
  run: updateAsset,
});
