import { restorePost, restorePostInput, restorePostOutput } from "#domain/history/restore-post.ts";
import { defineTool } from "../define-tool.ts";

export const restorePostTool = defineTool({
  name: "restore_post",
  title: "Restore a revision",
  description:
    "Bring back an earlier revision of a post: text, status and assets. Adds a new revision, so nothing is lost. The result lists assets that could not be restored.",
  action: "posts.write",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: restorePostInput,
  output: restorePostOutput,
  run: restorePost,
});
