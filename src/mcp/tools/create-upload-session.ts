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
    "Create a link to a page where the user uploads files from their device to a post; also for large files. Give the url unchanged, only to the user: anyone who has it can upload, for 30 minutes. Files attach by themselves; call get_post to see which are ready.",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uploadGuide:
    "on the user's device, or large. Give the user the link; uploaded files attach to the post automatically.",
  showsChatApp: true,
  input: createUploadSessionInput,
  output: createUploadSessionOutput,
  run: createUploadSession,
});
