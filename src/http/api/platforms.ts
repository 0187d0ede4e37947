import { Hono } from "hono";
import { connectPlatform, connectPlatformInput } from "#domain/platforms/connect-platform.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { validateJson } from "./input.ts";
import { jsonWithEtag } from "./unless-known.ts";

/** A studio's accounts on social platforms. */
export function createPlatformRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/platforms", async (c) => jsonWithEtag(c, await listPlatforms(deps, c.var.caller)))
    .post("/platforms/connect", validateJson(connectPlatformInput), async (c) =>
      c.json(await connectPlatform(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .delete("/platforms/:connectionId", async (c) =>
      c.json(await disconnectPlatform(deps, c.var.caller, { connectionId: c.req.param("connectionId") })),
    );
}
