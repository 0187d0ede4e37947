import { detachAsset, detachAssetInput, detachAssetOutput } from "#domain/assets/attach-asset.ts";
import { defineTool } from "../define-tool.ts";

export const detachAssetTool = defineTool({
  name: "detach_asset",
  title: "Remove an asset from a post",
  description:
    "Remove an asset from a post; the file stays in the library. Needed before you attach it to another post or delete it.",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: detachAssetInput,
  output: detachAssetOutput,
  run: detachAsset,
});
