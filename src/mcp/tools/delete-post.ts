import { deletePost, deletePostInput, deletePostOutput } from "#domain/posts/delete-post.ts";
import { defineTool } from "../define-tool.ts";

export const deletePostTool = defineTool({
  name: "delete_post",
  title: "Delete a post",
  description:
    "Move a post and its assets to the trash; users can restore them for 30 days. Ask the user first. To hide a post, call update_post with status archived instead.",
  action: "posts.write",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: deletePostInput,
  output: deletePostOutput,
  run: deletePost,
});
