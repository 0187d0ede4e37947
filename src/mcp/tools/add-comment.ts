import { addComment, addCommentInput } from "#domain/comments/comments.ts";
import { commentView } from "#domain/model/comment.ts";
import { defineTool } from "../define-tool.ts";

export const addCommentTool = defineTool({
  name: "add_comment",
  title: "Comment on a post",
  description:
    "Add a comment to a post, for the team only; it is never published. Use it for questions and suggestions instead of changing the text. " +
    "Call get_post with includeComments first to see what was said.",
  action: "posts.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: addCommentInput,
  output: commentView,
  run: addComment,
});
