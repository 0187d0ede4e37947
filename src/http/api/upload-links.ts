import { Hono } from "hono";
import { createUploadLink, createUploadLinkInput } from "#domain/uploads/create-upload-session.ts";
import { listUploadLinks } from "#domain/uploads/list-upload-sessions.ts";
import { withdrawUploadLink } from "#domain/uploads/withdraw-upload-session.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { validateJson } from "./input.ts";

const createUploadLinkBody = createUploadLinkInput.omit({ postId: true });

/** The links with which files are sent to a post. */
export function createUploadLinkRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/posts/:postId/upload-links", async (c) =>
      c.json(await listUploadLinks(deps, c.var.caller, { postId: c.req.param("postId") })),
    )
    .post("/posts/:postId/upload-links", validateJson(createUploadLinkBody), async (c) =>
      c.json(
        await createUploadLink(deps, c.var.caller, { ...c.req.valid("json"), postId: c.req.param("postId") }),
        201,
      ),
    )
    .delete("/posts/:postId/upload-links/:linkId", async (c) => {
      const { postId, linkId } = c.req.param();
      await withdrawUploadLink(deps, c.var.caller, { postId, linkId });
      return c.body(null, 204);
    });
}
