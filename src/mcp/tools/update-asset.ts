import { assetDetail } from "#domain/assets/model/asset.ts";
import { updateAsset, updateAssetInput } from "#domain/assets/update-asset.ts";
import { defineTool } from "../define-tool.ts";

export const updateAssetTool = defineTool({
  name: "update_asset",
  title: "Describe an asset",
  description:
    "Changes the alt text or the shown name of an asset; what you leave out stays, and the file itself never changes. " +
    "For alt text, look at the picture first (get_asset with includePreview) and say in a sentence what it shows.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: updateAssetInput,
  output: assetDetail,
  run: updateAsset,
});
