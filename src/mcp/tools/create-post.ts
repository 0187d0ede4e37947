import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { postView } from "#domain/posts/post.ts";
import { defineTool } from "../define-tool.ts";

export const createPostTool = defineTool({
  name: "create_post",
  title: "Create a post",
  description:
    "Create a draft post in the studio; nothing is published. Use it once per new piece of content, and update_post to change an existing post. " +
    "Pass an idempotencyKey so that a retry does not create a second post. Then show the user the returned url, and add files with attach_asset or create_upload_session.",
  scope: "studio:write",
  action: "posts.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: createPostInput,
  output: postView,
  run: createPost,
});
