import { Hono } from "hono";
import { listActivity, listActivityInput } from "#domain/activity/list-activity.ts";
import { getStudio } from "#domain/studios/get-studio.ts";
import type { ApiParts, InStudio } from "./context.ts";
import { query } from "./input.ts";

export function studioRoutes({ deps }: ApiParts) {
  return new Hono<InStudio>()
    .get("/", async (c) => c.json(await getStudio(deps, c.var.caller)))
    .get("/activity", query(listActivityInput), async (c) =>
      c.json(await listActivity(deps, c.var.caller, c.req.valid("query"))),
    );
}
