import { deleteAsset, deleteAssetInput, deleteAssetOutput } from "#domain/assets/delete-asset.ts";
import { defineTool } from "../define-tool.ts";

export const deleteAssetTool = defineTool({
  name: "delete_asset",
  title: "Delete an asset",
  description:
    "Move an asset to the trash, where users can restore it for 30 days; a pending asset is deleted permanently. Ask the user first. " +
    "If the asset is on a post, the call fails with asset_in_use: call detach_asset first. Find the id with list_assets.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: deleteAssetInput,
  output: deleteAssetOutput,
  run: deleteAsset,
});
