import { listAssets, listAssetsInput, listAssetsOutput } from "#domain/assets/list-assets.ts";
import { defineTool } from "../define-tool.ts";

export const listAssetsTool = defineTool({
  name: "list_assets",
  title: "List assets",
  description:
    "List the studio's assets, newest first. Use it to find the id for get_asset, attach_asset or delete_asset; filter by kind, tag, words in filename, alt text and tags, or by unattached for assets that are not on a post. " +
    "Pass nextCursor as cursor until it is null: with query or tag, a page can be short or empty while later pages still have matches.",
  scope: "studio:read",
  action: "assets.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listAssetsInput,
  output: listAssetsOutput,
  run: listAssets,
});
