import { Hono, type Context } from "hono";
import {
  addComment,
  addCommentOrReplyInput,
  deleteComment,
  listComments,
  listCommentsInput,
  resolveComment,
  resolveCommentInput,
} from "#domain/comments/comments.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

const commentsQuery = listCommentsInput.omit({ postId: true });
const addCommentBody = addCommentOrReplyInput.omit({ postId: true });

/** A comment has two paths: below its post, like the list of comments, and below the studio. */
export function createCommentRoutes({ deps }: ApiOptions) {
  const remove = (c: Context<StudioEnv>, input: { commentId: string; postId?: string }) =>
    noContent(c, deleteComment(deps, c.var.caller, input));
  return new Hono<StudioEnv>()
    .get("/posts/:postId/comments", validateQuery(commentsQuery), async (c) =>
      jsonWithEtag(c, await listComments(deps, c.var.caller, { ...c.req.valid("query"), ...c.req.param() })),
    )
    .post("/posts/:postId/comments", validateJson(addCommentBody), async (c) =>
      c.json(await addComment(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() }), 201),
    )
    .patch("/posts/:postId/comments/:commentId", validateJson(resolveCommentInput), async (c) =>
      c.json(await resolveComment(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .patch("/comments/:commentId", validateJson(resolveCommentInput), async (c) =>
      c.json(await resolveComment(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .delete("/posts/:postId/comments/:commentId", (c) => remove(c, c.req.param()))
    .delete("/comments/:commentId", (c) => remove(c, c.req.param()));
}
