import { postView } from "#domain/model/post.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { defineTool } from "../define-tool.ts";

export const updatePostTool = defineTool({
  name: "update_post",
  title: "Update a post",
  description:
    "Change a post's title, body, status, tags, texts or files per account, or asset order; omitted fields stay. A new title or body replaces the old text, so call get_post first and pass its revision. Status ready means finished; archived hides the post.",
  action: "posts.write",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  showsChatApp: true,
  input: updatePostInput,
  output: postView,
  run: (deps, caller, input) => updatePost(deps, caller, input),
});
