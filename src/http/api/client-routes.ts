import { Hono } from "hono";
import { allowClient, listClients, listClientsInput, revokeAllClients, revokeClient } from "#domain/access/clients.ts";
import { connectPlatform, connectPlatformInput } from "#domain/platforms/connect-platform.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPlatforms, listPlatformsInput, readChoices } from "#domain/platforms/list-platforms.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

/** The AI clients that users have granted access. */
export function createClientRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/clients", validateQuery(listClientsInput), async (c) =>
      jsonWithEtag(c, await listClients(deps, c.var.caller, c.req.valid("query"))),
    )
    .delete("/clients", async (c) => c.json(await revokeAllClients(deps, c.var.caller)))
    .post("/clients/:grantId/allow", async (c) => noContent(c, allowClient(deps, c.var.caller, c.req.param())))
    .delete("/clients/:grantId", async (c) => noContent(c, revokeClient(deps, c.var.caller, c.req.param())));
}

/** A studio's accounts on social platforms. */
export function createPlatformRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/platforms", validateQuery(listPlatformsInput), async (c) =>
      jsonWithEtag(c, await listPlatforms(deps, c.var.caller, c.req.valid("query"))),
    )
    .post("/platforms/connect", validateJson(connectPlatformInput), async (c) =>
      c.json(await connectPlatform(deps, c.var.caller, c.req.valid("json")), 201),
    )
    .get("/platforms/:connectionId/choices", async (c) =>
      jsonWithEtag(c, await readChoices(deps, c.var.caller, c.req.param())),
    )
    .delete("/platforms/:connectionId", async (c) =>
      c.json(await disconnectPlatform(deps, c.var.caller, c.req.param())),
    );
}
