import { listPosts, listPostsInput, listPostsOutput } from "#domain/posts/list-posts.ts";
import { defineTool } from "../define-tool.ts";

export const listPostsTool = defineTool({
  name: "list_posts",
  title: "List posts",
  description:
    "List the studio's posts, newest first. Use it to find the id for get_post or update_post; filter by status, tag or words in title, body and tags. " +
    "Results include full bodies, so keep limit small. Pass nextCursor as cursor until it is null: with query or tag, a page can be short or empty while later pages still have matches.",
  scope: "studio:read",
  action: "posts.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listPostsInput,
  output: listPostsOutput,
  run: listPosts,
});
