import { copyAsset, copyAssetInput, copyAssetOutput } from "#domain/assets/copy-asset.ts";
import { defineTool } from "../define-tool.ts";

export const copyAssetTool = defineTool({
  name: "copy_asset",
  title: "Copy an asset",
  description:
    "Copy a ready asset to use it on another post. The copy has the same file, filename and alt text, is not on a post, and takes no storage. " +
    "Pass its id to attach_asset.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: copyAssetInput,
  output: copyAssetOutput,
  run: copyAsset,
});
