import { Hono } from "hono";
import { createUploadLink, createUploadLinkInput } from "#domain/uploads/create-upload-session.ts";
import { listUploadSessions } from "#domain/uploads/list-upload-sessions.ts";
import { withdrawUploadSession } from "#domain/uploads/withdraw-upload-session.ts";
import type { ApiParts, InStudio } from "./context.ts";
import { jsonBody } from "./input.ts";

const newLink = createUploadLinkInput.omit({ postId: true });

/** The links with which files are sent to a post. */
export function uploadLinkRoutes({ deps }: ApiParts) {
  return new Hono<InStudio>()
    .get("/posts/:postId/upload-links", async (c) =>
      c.json(await listUploadSessions(deps, c.var.caller, { postId: c.req.param("postId") })),
    )
    .post("/posts/:postId/upload-links", jsonBody(newLink), async (c) =>
      c.json(
        await createUploadLink(deps, c.var.caller, { ...c.req.valid("json"), postId: c.req.param("postId") }),
        201,
      ),
    )
    .delete("/posts/:postId/upload-links/:linkId", async (c) => {
      const { postId, linkId } = c.req.param();
      await withdrawUploadSession(deps, c.var.caller, { postId, linkId });
      return c.body(null, 204);
    });
}
