import {
  cancelRequestedPublications,
  getPublishProgress,
  publishPost,
  publishPostInput,
  publishPostOutput,
} from "#domain/publishing/publish-post.ts";
import { defineTool } from "../define-tool.ts";

export const publishPostTool = defineTool({
  name: "publish_post",
  title: "Publish a post",
  description:
    "Publish a post to connected accounts, now or at a time. Unless you may publish without asking, it is proposed: tell the user to approve it in the web app. First fix what get_post's validation rejects; follow up with list_publications.",
  action: "publications.request",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: publishPostInput,
  output: publishPostOutput,
  followUp: { getProgress: getPublishProgress, cancel: cancelRequestedPublications },
  run: publishPost,
});
