import {
  createUploadSession,
  createUploadSessionInput,
  createUploadSessionOutput,
} from "#domain/uploads/create-upload-link.ts";
import { defineTool } from "../define-tool.ts";

export const createUploadSessionTool = defineTool({
  name: "create_upload_session",
  title: "Make an upload link",
  description:
    "Makes a link to a page where the person sends files from their own device to this post: drag, choose, camera; any number, any size. Give them the url as it is; it needs no sign-in, so only to them. " +
    "Files can be begun there for 30 minutes, and each one attaches itself to the post when it has arrived: do not call attach_asset. get_post shows what has come (status ready) and what is on its way (pending).",
  scope: "studio:write",
  action: "assets.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uploadGuide:
    "the person has the file on their device, or it is large: give them the link; files they send there are on the post by themselves.",
  input: createUploadSessionInput,
  output: createUploadSessionOutput,
  run: createUploadSession,
});
