import { postView } from "#domain/posts/post.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { defineTool } from "../define-tool.ts";

export const updatePostTool = defineTool({
  name: "update_post",
  title: "Update a post",
  description:
    "Update a post's title, body, status, tags or asset order; omitted fields stay unchanged. A new title or body replaces the old text completely, so call get_post first. " +
    "Pass the revision from get_post, which is required for title and body: if the post changed since, the call fails with revision_conflict and changes nothing. " +
    "Status ready means finished; archived hides a post that is no longer needed.",
  scope: "studio:write",
  action: "posts.write",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: updatePostInput,
  output: postView,
  run: updatePost,
});
