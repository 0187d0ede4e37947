import { Hono } from "hono";
import { listClients, listClientsInput } from "#domain/access/list-clients.ts";
import { revokeAllClients } from "#domain/access/revoke-all-clients.ts";
import { revokeClient } from "#domain/access/revoke-client.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { query } from "./input.ts";
import { jsonWithEtag } from "./unless-known.ts";

/** The AI clients that people let in. */
export function createClientRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/clients", query(listClientsInput), async (c) =>
      jsonWithEtag(c, await listClients(deps, c.var.caller, c.req.valid("query"))),
    )
    .delete("/clients", async (c) => c.json(await revokeAllClients(deps, c.var.caller)))
    .delete("/clients/:grantId", async (c) => {
      await revokeClient(deps, c.var.caller, { grantId: c.req.param("grantId") });
      return c.body(null, 204);
    });
}
