import { Hono } from "hono";
import { connectPlatform, connectPlatformInput } from "#domain/platforms/connect-platform.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import type { ApiParts, InStudio } from "./context.ts";
import { jsonBody } from "./input.ts";
import { jsonUnlessKnown } from "./unless-known.ts";

/** A studio's accounts on social platforms. */
export function platformRoutes({ deps }: ApiParts) {
  return new Hono<InStudio>()
    .get("/platforms", async (c) => jsonUnlessKnown(c, await listPlatforms(deps, c.var.caller)))
    .post("/platforms/connect", jsonBody(connectPlatformInput), async (c) =>
      c.json(await connectPlatform(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .delete("/platforms/:connectionId", async (c) =>
      c.json(await disconnectPlatform(deps, c.var.caller, { connectionId: c.req.param("connectionId") })),
    );
}
