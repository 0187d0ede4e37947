import {
  requestAssetUpload,
  requestAssetUploadInput,
  requestAssetUploadOutput,
} from "#domain/assets/request-asset-upload.ts";
import { defineTool } from "../define-tool.ts";

export const requestAssetUploadTool = defineTool({
  name: "request_asset_upload",
  title: "Get an upload URL",
  description:
    'Get a presigned URL for one file, valid for 10 minutes. Use it when you can run commands where the file is, for files of 5 MB or more and all videos. PUT the file, for example curl -T file "$uploadUrl", then call attach_asset, which verifies it.',
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uploadGuide:
    'on a machine where you can run commands or send HTTP requests. PUT the file to the uploadUrl (curl -T file "$uploadUrl"), then call attach_asset. Any allowed size.',
  input: requestAssetUploadInput,
  output: requestAssetUploadOutput,
  run: requestAssetUpload,
});
