import { whoAmI, whoAmIInput, whoAmIOutput } from "#domain/access/who-am-i.ts";
import { defineTool } from "../define-tool.ts";

export const whoamiTool = defineTool({
  name: "whoami",
  title: "Who am I",
  description:
    "Tells whom you act for, in which studio and with which role, what this connection may do, and every limit and allowed file type. " +
    "Use it when an error speaks of role, scope or limits, or before you upload a file. Costs nothing and changes nothing.",
  scope: "studio:read",
  action: "studio.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: whoAmIInput,
  output: whoAmIOutput,
  run: whoAmI,
});
