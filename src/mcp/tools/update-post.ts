import { postView } from "#domain/posts/post.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { defineTool } from "../define-tool.ts";

export const updatePostTool = defineTool({
  name: "update_post",
  title: "Change a post",
  description:
    "Changes title, body, status or the order of the assets of a post; what you leave out stays. A given title or body replaces the old one whole, so read the post first (get_post) and " +
    "give its revision: if someone changed it meanwhile, nothing happens and you get revision_conflict. Status ready means finished, archived means put away.",
  scope: "studio:write",
  action: "posts.write",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: updatePostInput,
  output: postView,
  run: updatePost,
});
