import { copyAsset, copyAssetInput, copyAssetOutput } from "#domain/assets/copy-asset.ts";
import { defineTool } from "../define-tool.ts";

export const copyAssetTool = defineTool({
  name: "copy_asset",
  title: "Copy an asset",
  description:
    "Copy a ready asset to use it on another post: same file, filename, alt text and tags, no extra storage. Pass the new id to attach_asset.",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: copyAssetInput,
  output: copyAssetOutput,
  run: copyAsset,
});
