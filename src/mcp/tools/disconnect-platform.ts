import {
  disconnectPlatform,
  disconnectPlatformInput,
  disconnectPlatformOutput,
} from "#domain/platforms/disconnect-platform.ts";
import { defineTool } from "../define-tool.ts";

export const disconnectPlatformTool = defineTool({
  name: "disconnect_platform",
  title: "Disconnect a platform account",
  description:
    "Disconnect an account from the studio: its stored credentials are deleted, and revoked at the platform where possible. Owners and admins only. " +
    "Ask the user first, because only they can connect the account again. Find the id with list_platforms; repeating the call changes nothing.",
  scope: "studio:write",
  action: "platforms.disconnect",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: disconnectPlatformInput,
  output: disconnectPlatformOutput,
  run: disconnectPlatform,
});
