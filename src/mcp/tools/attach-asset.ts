import { assetView } from "#domain/model/asset.ts";
import { attachAsset, attachAssetInput } from "#domain/assets/attach-asset.ts";
import { defineTool } from "../define-tool.ts";

export const attachAssetTool = defineTool({
  name: "attach_asset",
  title: "Attach an asset to a post",
  description:
    "Add an asset to the end of a post. After request_asset_upload this verifies the file: if it is not what was declared, the asset is deleted. An asset is on one post at a time: use copy_asset for another post, or detach_asset to move it.",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: attachAssetInput,
  output: assetView,
  run: attachAsset,
});
