import {
  disconnectPlatform,
  disconnectPlatformInput,
  disconnectPlatformOutput,
} from "#domain/platforms/disconnect-platform.ts";
import { defineTool } from "../define-tool.ts";

export const disconnectPlatformTool = defineTool({
  name: "disconnect_platform",
  title: "Disconnect a social platform",
  description:
    "Ends the studio's access to an account: the stored credentials are wiped, and revoked at the platform where it can be done. Only the person can connect it again, so ask first. " +
    "Owners and admins only. Take the id from list_platforms. Repeating it changes nothing.",
  scope: "studio:write",
  action: "platforms.disconnect",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: disconnectPlatformInput,
  output: disconnectPlatformOutput,
  run: disconnectPlatform,
});
