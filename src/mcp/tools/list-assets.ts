import { listAssets, listAssetsInput, listAssetsOutput } from "#domain/assets/list-assets.ts";
import { defineTool } from "../define-tool.ts";

export const listAssetsTool = defineTool({
  name: "list_assets",
  title: "List assets",
  description:
    "List the studio's assets, newest first. Use it to find an asset's id, or with unattached for files that are not on a post.",
  action: "assets.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listAssetsInput,
  output: listAssetsOutput,
  run: listAssets,
});
