import type { Tool } from "./define-tool.ts";
import { addCommentTool } from "./tools/add-comment.ts";
import { attachAssetTool } from "./tools/attach-asset.ts";
import { attachFileTool } from "./tools/attach-file.ts";
import { cancelPublicationTool } from "./tools/cancel-publication.ts";
import { connectPlatformTool } from "./tools/connect-platform.ts";
import { copyAssetTool } from "./tools/copy-asset.ts";
import { createPostTool } from "./tools/create-post.ts";
import { createUploadSessionTool } from "./tools/create-upload-session.ts";
import { createReviewLinkTool } from "./tools/create-review-link.ts";
import { deleteAssetTool } from "./tools/delete-asset.ts";
import { deletePostTool } from "./tools/delete-post.ts";
import { detachAssetTool } from "./tools/detach-asset.ts";
import { disconnectPlatformTool } from "./tools/disconnect-platform.ts";
import { getAssetTool } from "./tools/get-asset.ts";
import { getPostTool } from "./tools/get-post.ts";
import { getPostHistoryTool } from "./tools/get-post-history.ts";
import { importAssetFromUrlTool } from "./tools/import-asset-from-url.ts";
import { listActivityTool } from "./tools/list-activity.ts";
import { listAssetsTool } from "./tools/list-assets.ts";
import { listPlatformsTool } from "./tools/list-platforms.ts";
import { listPublicationsTool } from "./tools/list-publications.ts";
import { listPostsTool } from "./tools/list-posts.ts";
import { publishPostTool } from "./tools/publish-post.ts";
import { requestAssetUploadTool } from "./tools/request-asset-upload.ts";
import { reschedulePublicationTool } from "./tools/reschedule-publication.ts";
import { restorePostTool } from "./tools/restore-post.ts";
import { undoChangesTool } from "./tools/undo-changes.ts";
import { updateAssetTool } from "./tools/update-asset.ts";
import { updatePostTool } from "./tools/update-post.ts";
import { uploadAssetInlineTool } from "./tools/upload-asset-inline.ts";
import { whoamiTool } from "./tools/whoami.ts";

/** All tools for models, in the order that `tools/list` returns them. */
export const tools: readonly Tool[] = [
  whoamiTool,
  listPostsTool,
  getPostTool,
  createPostTool,
  updatePostTool,
  getPostHistoryTool,
  restorePostTool,
  deletePostTool,
  addCommentTool,
  createReviewLinkTool,
  createUploadSessionTool,
  requestAssetUploadTool,
  uploadAssetInlineTool,
  importAssetFromUrlTool,
  attachFileTool,
  attachAssetTool,
  detachAssetTool,
  listAssetsTool,
  getAssetTool,
  updateAssetTool,
  copyAssetTool,
  deleteAssetTool,
  publishPostTool,
  listPublicationsTool,
  reschedulePublicationTool,
  cancelPublicationTool,
  undoChangesTool,
  listPlatformsTool,
  connectPlatformTool,
  disconnectPlatformTool,
  listActivityTool,
];
