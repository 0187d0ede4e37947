import { listAssets, listAssetsInput, listAssetsOutput } from "#domain/assets/list-assets.ts";
import { defineTool } from "../define-tool.ts";

export const listAssetsTool = defineTool({
  name: "list_assets",
  title: "List assets",
  description:
    "Lists the studio's files, newest first, optionally only one kind or only those that are on no post (unattached). Use it to find an asset's id; " +
    "get_asset tells more of one. nextCursor, when not null, continues the list. Changes nothing.",
  scope: "studio:read",
  action: "assets.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listAssetsInput,
  output: listAssetsOutput,
  run: listAssets,
});
