import { listPosts, listPostsInput, listPostsOutput } from "#domain/posts/list-posts.ts";
import { defineTool } from "../define-tool.ts";

export const listPostsTool = defineTool({
  name: "list_posts",
  title: "List posts",
  description:
    "List the studio's posts, newest first, with an excerpt of each text. Use it to find a post's id; get_post returns the full text.",
  action: "posts.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listPostsInput,
  output: listPostsOutput,
  run: listPosts,
});
