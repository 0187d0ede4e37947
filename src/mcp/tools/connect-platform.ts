import { connectPlatform, connectPlatformInput, connectPlatformOutput } from "#domain/platforms/connect-platform.ts";
import { defineTool } from "../define-tool.ts";

export const connectPlatformTool = defineTool({
  name: "connect_platform",
  title: "Connect a social platform",
  description:
    "Makes a page on which the person connects an account of a social platform to the studio. Give them connectUrl as it is: they open it in a browser where they are signed in, within 15 minutes, and it serves once. " +
    "Owners and admins only. You never see the platform's credentials. When they say that it is done, list_platforms shows the account; connecting the same account again renews it.",
  scope: "studio:write",
  action: "platforms.connect",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: connectPlatformInput,
  output: connectPlatformOutput,
  askToOpen: ({ connectUrl }) => ({
    url: connectUrl,
    message: "Open this page to connect the account. It asks the platform for access; this chat never sees it.",
    declinedCode: "connect_denied",
  }),
  run: connectPlatform,
});
