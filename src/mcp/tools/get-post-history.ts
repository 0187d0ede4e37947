import { getPostHistory, getPostHistoryInput, getPostHistoryOutput } from "#domain/history/get-post-history.ts";
import { defineTool } from "../define-tool.ts";

export const getPostHistoryTool = defineTool({
  name: "get_post_history",
  title: "Get a post's history",
  description:
    "List a post's revisions, newest first: who changed what, through which client, and the text at that time. Use it to find the revision for restore_post.",
  action: "posts.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: getPostHistoryInput,
  output: getPostHistoryOutput,
  run: getPostHistory,
});
