import { listPlatforms, listPlatformsInput, listPlatformsOutput } from "#domain/platforms/list-platforms.ts";
import { defineTool } from "../define-tool.ts";

export const listPlatformsTool = defineTool({
  name: "list_platforms",
  title: "List platforms and connections",
  description:
    "List the social platforms that this server supports and the accounts that the studio has connected. Use it before connect_platform or disconnect_platform, and to confirm that a new connection works. " +
    "The state needs_reconnect means that the platform no longer accepts the connection: call connect_platform. Call get_post to check a post against the rules of each connected platform.",
  scope: "studio:read",
  action: "platforms.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listPlatformsInput,
  output: listPlatformsOutput,
  run: listPlatforms,
});
