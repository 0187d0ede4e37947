import { checkInlineSize } from "#domain/assets/content/base64.ts";
import { storedAssetOutput, uploadAssetInline, uploadAssetInlineInput } from "#domain/assets/upload-asset-inline.ts";
import { defineTool } from "../define-tool.ts";

export const uploadAssetInlineTool = defineTool({
  name: "upload_asset_inline",
  title: "Upload a small file",
  description:
    "Stores a file whose bytes you have as base64; it must decode to less than 5 MB (5242880 bytes). The asset is ready at once and on no post: attach_asset puts it on one. " +
    "Base64 passes through your context, so it costs tokens: for anything but small files use request_asset_upload, or create_upload_session to let the person send it. " +
    "Calling it twice stores the file twice.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uploadGuide:
    "only in your context, as base64, below 5 MB: send it along with the call, then attach_asset. Costs tokens.",
  acceptsFile: true,
  input: uploadAssetInlineInput,
  output: storedAssetOutput,
  precheck: ({ base64 }) => void (typeof base64 === "string" && checkInlineSize(base64)),
  run: uploadAssetInline,
});
