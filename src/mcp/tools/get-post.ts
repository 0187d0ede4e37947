import { getPost, getPostInput } from "#domain/posts/get-post.ts";
import { postView } from "#domain/posts/post.ts";
import { defineTool } from "../tool.ts";

export const getPostTool = defineTool({
  name: "get_post",
  title: "Read a post",
  description:
    "Reads one post whole: title, body, status, revision, its assets and the address of its page in the web app. " +
    "Use it before update_post, and give the revision it answers along with the change. Take the id from list_posts. Costs nothing and changes nothing.",
  scope: "studio:read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: getPostInput,
  output: postView,
  run: getPost,
});
