import { deleteAsset, deleteAssetInput, deleteAssetOutput } from "#domain/assets/delete-asset.ts";
import { defineTool } from "../define-tool.ts";

export const deleteAssetTool = defineTool({
  name: "delete_asset",
  title: "Delete an asset",
  description:
    "Move an asset to the trash, where users can restore it for 30 days; a pending one is deleted permanently. Ask the user first. Fails with asset_in_use while it is on a post.",
  action: "assets.write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: deleteAssetInput,
  output: deleteAssetOutput,
  run: deleteAsset,
});
