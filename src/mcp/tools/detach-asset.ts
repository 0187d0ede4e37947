import { detachAsset, detachAssetInput, detachAssetOutput } from "#domain/assets/detach-asset.ts";
import { defineTool } from "../define-tool.ts";

export const detachAssetTool = defineTool({
  name: "detach_asset",
  title: "Take an asset off a post",
  description:
    "Takes an asset off a post. The file is kept and stays in the library: attach_asset can put it on another post, delete_asset removes it for good. " +
    "If it is not on that post you get not_attached, and nothing changes.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: detachAssetInput,
  output: detachAssetOutput,
  run: detachAsset,
});
