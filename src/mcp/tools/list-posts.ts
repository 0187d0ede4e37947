import { listPosts, listPostsInput, listPostsOutput } from "#domain/posts/list-posts.ts";
import { defineTool } from "../define-tool.ts";

export const listPostsTool = defineTool({
  name: "list_posts",
  title: "List posts",
  description:
    "Lists the studio's posts, newest first, optionally only those in one status or with some text in title or body. " +
    "Use it to find a post's id. Bodies come along, so ask for few at a time (limit); nextCursor, when not null, continues the list; a search can return few posts or none and still have more to search, so continue while there is a nextCursor. Changes nothing.",
  scope: "studio:read",
  action: "posts.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listPostsInput,
  output: listPostsOutput,
  run: listPosts,
});
