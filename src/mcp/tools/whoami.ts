import { whoAmI, whoAmIInput, whoAmIOutput } from "#domain/access/who-am-i.ts";
import { defineTool } from "../define-tool.ts";

export const whoamiTool = defineTool({
  name: "whoami",
  title: "Show the current user and limits",
  description:
    "Get the user you act for, the studio, your role and scopes, all limits and allowed file types. Call it before you upload, or when an error mentions a role, scope or limit.",
  action: "studio.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: whoAmIInput,
  output: whoAmIOutput,
  run: whoAmI,
});
