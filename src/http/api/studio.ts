import { Hono } from "hono";
import { listActivity, searchActivityInput } from "#domain/activity/list-activity.ts";
import { deleteStudio, deleteStudioInput } from "#domain/studios/delete-studio.ts";
import { getStudio } from "#domain/studios/get-studio.ts";
import { updateStudio, updateStudioInput } from "#domain/studios/update-studio.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { validateJson, query } from "./input.ts";

export function createStudioRoutes({ deps, log }: ApiOptions) {
  return (
    new Hono<StudioEnv>()
      .get("/", async (c) => c.json(await getStudio(deps, c.var.caller)))
      .patch("/", validateJson(updateStudioInput), async (c) =>
        c.json(await updateStudio(deps, c.var.caller, c.req.valid("json"))),
      )
      // Not DELETE: it carries the name that was typed, and a body may be lost there on the way (RFC 9110 §9.3.5).
      .post("/deletion", validateJson(deleteStudioInput), async (c) => {
        await deleteStudio(deps, c.var.caller, c.req.valid("json"));
        // The studio's own activity is gone with it, so the operator's log is where this stays.
        log.info({ studioId: c.var.caller.studio.id, userId: c.var.caller.user.id }, "studio deleted");
        return c.body(null, 204);
      })
      .get("/activity", query(searchActivityInput), async (c) =>
        c.json(await listActivity(deps, c.var.caller, c.req.valid("query"))),
      )
  );
}
