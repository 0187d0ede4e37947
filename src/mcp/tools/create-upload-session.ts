import {
  createUploadSession,
  createUploadSessionInput,
  createUploadSessionOutput,
} from "#domain/uploads/create-upload-link.ts";
import { defineTool } from "../define-tool.ts";

export const createUploadSessionTool = defineTool({
  name: "create_upload_session",
  title: "Create an upload link",
  description:
    "Create a link to a page where the user uploads files from their own device to a post. Use it when the user has the files, or for large files. " +
    "Give the url, unchanged, only to the user: anyone who has it can upload without signing in. New uploads can start for 30 minutes, and each file is attached when it arrives, so do not call attach_asset. " +
    "Call get_post to see which files are ready and which are still pending.",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uploadGuide:
    "on the user's device, or large. Give the user the link; uploaded files attach to the post automatically.",
  input: createUploadSessionInput,
  output: createUploadSessionOutput,
  run: createUploadSession,
});
