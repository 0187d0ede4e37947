import { checkInlineSize } from "#domain/assets/content/base64.ts";
import { storedAssetOutput, uploadAssetInline, uploadAssetInlineInput } from "#domain/assets/upload-asset-inline.ts";
import { defineTool } from "../define-tool.ts";

export const uploadAssetInlineTool = defineTool({
  name: "upload_asset_inline",
  title: "Upload a small file",
  description:
    "Upload a file that you have as base64; it must decode to less than 5 MB (5242880 bytes). Use it only for small files, because the base64 uses tokens of your context: otherwise call request_asset_upload, or create_upload_session to let the user upload the file. " +
    "The asset is ready at once; call attach_asset to add it to a post. Each call stores a new asset.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uploadGuide:
    "only in your context as base64, less than 5 MB. Pass it in the call, then call attach_asset. Uses tokens.",
  acceptsFile: true,
  input: uploadAssetInlineInput,
  output: storedAssetOutput,
  precheck: ({ base64 }) => {
    if (typeof base64 === "string") checkInlineSize(base64);
  },
  run: uploadAssetInline,
});
