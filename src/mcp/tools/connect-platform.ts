import { connectPlatform, connectPlatformInput, connectPlatformOutput } from "#domain/platforms/connect-platform.ts";
import { defineTool } from "../define-tool.ts";

export const connectPlatformTool = defineTool({
  name: "connect_platform",
  title: "Connect a platform account",
  description:
    "Create a page where the user connects a social account to the studio; owners and admins only. Give the user connectUrl unchanged: it works once, within 15 minutes, in a browser where they are signed in to Atelier. Then confirm with list_platforms.",
  action: "platforms.connect",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: connectPlatformInput,
  output: connectPlatformOutput,
  getPageToOpen: ({ connectUrl }) => ({
    url: connectUrl,
    message:
      "Open this page to connect the account. The platform asks you to allow access; this chat never sees your credentials.",
    declinedCode: "connect_denied",
  }),
  run: connectPlatform,
});
