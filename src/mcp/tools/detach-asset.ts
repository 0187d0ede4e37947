import { detachAsset, detachAssetInput, detachAssetOutput } from "#domain/assets/detach-asset.ts";
import { defineTool } from "../define-tool.ts";

export const detachAssetTool = defineTool({
  name: "detach_asset",
  title: "Remove an asset from a post",
  description:
    "Remove an asset from a post; the file stays in the library. Use it before attach_asset to move the asset to another post, or before delete_asset. " +
    "If the asset is not on this post, the call fails with not_attached and changes nothing.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: detachAssetInput,
  output: detachAssetOutput,
  run: detachAsset,
});
