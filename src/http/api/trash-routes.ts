import { Hono } from "hono";
import { emptyTrash, listTrash, listTrashInput, restoreFromTrash } from "#domain/trash/trash.ts";
import { undoClientChanges, undoClientChangesInput, undoUndo, undoUndoInput } from "#domain/undo/undo-changes.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { noContent } from "./responses.ts";
import { validateJson, validateOptionalJson, validateQuery } from "./validate-input.ts";

/** Routes that bring back earlier content: the trash, and undoing an AI client's changes. */
export function createTrashRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/trash", validateQuery(listTrashInput), async (c) =>
      c.json(await listTrash(deps, c.var.caller, c.req.valid("query"))),
    )
    .delete("/trash", async (c) => noContent(c, emptyTrash(deps, c.var.caller)))
    .post("/trash/:id/restore", async (c) => c.json(await restoreFromTrash(deps, c.var.caller, c.req.param())))
    .post("/clients/:grantId/undo", validateJson(undoClientChangesInput), async (c) =>
      c.json(await undoClientChanges(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .post("/undos/:undoId/undo", validateOptionalJson(undoUndoInput), async (c) =>
      c.json(await undoUndo(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    );
}
