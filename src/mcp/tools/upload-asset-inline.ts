import { checkInlineSize } from "#domain/steps/content/base64.ts";
import { storedAssetOutput, uploadAssetInline, uploadAssetInlineInput } from "#domain/assets/upload-asset-inline.ts";
import { defineTool } from "../define-tool.ts";

export const uploadAssetInlineTool = defineTool({
  name: "upload_asset_inline",
  title: "Upload a small file",
  description:
    "Upload a file that you have as base64, less than 5 MB (5242880 bytes) decoded. It uses tokens of your context: prefer request_asset_upload or create_upload_session. The asset is ready at once; then call attach_asset.",
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
