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
    "Disconnect an account and delete its credentials; owners and admins only. Ask the user first: only they can connect it again.",
  action: "platforms.disconnect",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: disconnectPlatformInput,
  output: disconnectPlatformOutput,
  run: disconnectPlatform,
});
