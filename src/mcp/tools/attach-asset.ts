import { assetView } from "#domain/assets/model/asset.ts";
import { attachAsset, attachAssetInput } from "#domain/assets/attach-asset.ts";
import { defineTool } from "../define-tool.ts";

export const attachAssetTool = defineTool({
  name: "attach_asset",
  title: "Attach an asset to a post",
  description:
    "Attach an asset to the end of a post. After request_asset_upload this also verifies the file: if it is too large or does not match its declared type, the asset is deleted. If the error is not_uploaded, PUT the file and call again. " +
    "An asset can be on one post at a time: call copy_asset to use it on several, or detach_asset first to move it. Call update_post with assetIds to change the order.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: attachAssetInput,
  output: assetView,
  run: attachAsset,
});
