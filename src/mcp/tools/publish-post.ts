import { publishPost, publishPostInput, publishPostOutput } from "#domain/publishing/publish-post.ts";
import { defineTool } from "../define-tool.ts";

export const publishPostTool = defineTool({
  name: "publish_post",
  title: "Publish a post",
  description:
    "Publish a post to connected accounts, now or at a time. Unless you may publish without asking, it is proposed: a person approves it in the web app, so tell the user. " +
    "Call get_post first and fix what validation rejects. Follow up with list_publications.",
  scope: "studio:write",
  action: "publications.request",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: publishPostInput,
  output: publishPostOutput,
  run: publishPost,
});
