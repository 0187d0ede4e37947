import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { postView } from "#domain/model/post.ts";
import { defineTool } from "../define-tool.ts";

export const createPostTool = defineTool({
  name: "create_post",
  title: "Create a post",
  description:
    "Create a draft; nothing is published. Use update_post to change an existing post. Then show the user its url, and add files with attach_asset or create_upload_session.",
  action: "posts.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  showsChatApp: true,
  input: createPostInput,
  output: postView,
  run: createPost,
});
