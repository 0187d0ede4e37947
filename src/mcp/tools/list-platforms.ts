import { listPlatforms, listPlatformsInput, listPlatformsOutput } from "#domain/platforms/list-platforms.ts";
import { defineTool } from "../define-tool.ts";

export const listPlatformsTool = defineTool({
  name: "list_platforms",
  title: "List platforms and connections",
  description:
    "Shows which social platforms this server can connect, and the accounts the studio has connected with their state. " +
    "needs_reconnect means that the platform no longer accepts the connection: connect_platform renews it. get_post says what each connected platform would refuse of a post. Costs nothing and changes nothing.",
  scope: "studio:read",
  action: "platforms.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: listPlatformsInput,
  output: listPlatformsOutput,
  run: listPlatforms,
});
