import { assetView } from "#domain/assets/model/asset.ts";
import { attachAsset, attachAssetInput } from "#domain/assets/attach-asset.ts";
import { defineTool } from "../define-tool.ts";

export const attachAssetTool = defineTool({
  name: "attach_asset",
  title: "Put an asset on a post",
  description:
    "Puts an asset at the end of a post's assets. After request_asset_upload this is also where the sent file is checked: too large or of another type than declared, and it is deleted. " +
    "not_uploaded means that nothing was PUT yet: send the file and call again. An asset is on one post at a time; detach_asset frees it. " +
    "Repeating the call for the same post changes nothing. update_post with assetIds changes the order.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: attachAssetInput,
  output: assetView,
  run: attachAsset,
});
