import {
  requestAssetUpload,
  requestAssetUploadInput,
  requestAssetUploadOutput,
} from "#domain/assets/request-asset-upload.ts";
import { defineTool } from "../define-tool.ts";

export const requestAssetUploadTool = defineTool({
  name: "request_asset_upload",
  title: "Get an upload address",
  description:
    "Answers an address to which a file can be sent with one plain HTTP PUT, within 10 minutes. Use it when you can run commands or make HTTP requests where the file is, " +
    'for any file of 5 MB or more, and for every video: curl -T file "$uploadUrl" needs no other header. Then call attach_asset, which checks size and type and makes the asset ready. ' +
    "Asking twice makes two assets; one that nothing was sent to goes away by itself.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uploadGuide:
    'on a machine where you can run a command or make HTTP requests: ask for an address, PUT the file there (curl -T file "$uploadUrl"), then attach_asset. Any allowed size.',
  input: requestAssetUploadInput,
  output: requestAssetUploadOutput,
  run: requestAssetUpload,
});
