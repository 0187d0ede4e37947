import { deleteAsset, deleteAssetInput, deleteAssetOutput } from "#domain/assets/delete-asset.ts";
import { defineTool } from "../define-tool.ts";

export const deleteAssetTool = defineTool({
  name: "delete_asset",
  title: "Delete an asset",
  description:
    "Removes an asset and its file for good; there is no way back, so ask the person first. Refused with asset_in_use while it is on a post: detach_asset takes it off. " +
    "Deleting one that is gone already answers not_found and does no harm.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: deleteAssetInput,
  output: deleteAssetOutput,
  run: deleteAsset,
});
