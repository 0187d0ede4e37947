import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { postView } from "#domain/posts/post.ts";
import { defineTool } from "../define-tool.ts";

export const createPostTool = defineTool({
  name: "create_post",
  title: "Create a post",
  description:
    "Creates a draft in the studio; nothing is published. Use it once for each new piece of content, not to change one (update_post does that). " +
    "Give an idempotencyKey, so that repeating a call whose answer was lost does not make a second post. Show the person the url it answers.",
  scope: "studio:write",
  action: "posts.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: createPostInput,
  output: postView,
  run: createPost,
});
