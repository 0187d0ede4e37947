import { listCurrentPlatforms, listPlatformsInput, listPlatformsOutput } from "#domain/platforms/list-platforms.ts";
import { defineTool } from "../define-tool.ts";

export const listPlatformsTool = defineTool({
  name: "list_platforms",
  title: "List platforms and connections",
  description:
    "List the supported social platforms and the studio's connected accounts. Use it to find connection ids and to confirm a new connection. If one is needs_reconnect, call connect_platform.",
  action: "platforms.read",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  input: listPlatformsInput,
  output: listPlatformsOutput,
  run: listCurrentPlatforms,
});
