import { listActivity, listActivityInput, listActivityOutput } from "#domain/activity/list-activity.ts";
import { defineTool } from "../define-tool.ts";

export const listActivityTool = defineTool({
  name: "list_activity",
  title: "List activity",
  description:
    "List who changed what in the studio, through which AI client, newest first; owners and admins only. Use it to find who made a change.",
  action: "activity.list",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listActivityInput,
  output: listActivityOutput,
  run: listActivity,
});
