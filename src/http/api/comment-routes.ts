import { Hono, type Context } from "hono";
import type { z } from "zod";
import {
  addComment,
  addCommentOrReplyInput,
  deleteComment,
  listComments,
  listCommentsInput,
  changeCommentInput,
  resolveComment,
  setCommentVisibility,
} from "#domain/comments/comments.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

type CommentChange = z.output<typeof changeCommentInput>;

const commentsQuery = listCommentsInput.omit({ postId: true });
const addCommentBody = addCommentOrReplyInput.omit({ postId: true });

/** A comment has two paths: below its post, like the list of comments, and below the studio. */
export function createCommentRoutes({ deps }: ApiOptions) {
  const remove = (c: Context<StudioEnv>, input: { commentId: string; postId?: string }) =>
    noContent(c, deleteComment(deps, c.var.caller, input));
  const change = (c: Context<StudioEnv>, input: { commentId: string; postId?: string }, body: CommentChange) =>
    "visibility" in body
      ? setCommentVisibility(deps, c.var.caller, { ...input, ...body })
      : resolveComment(deps, c.var.caller, { ...input, ...body });
  return new Hono<StudioEnv>()
    .get("/posts/:postId/comments", validateQuery(commentsQuery), async (c) =>
      jsonWithEtag(c, await listComments(deps, c.var.caller, { ...c.req.valid("query"), ...c.req.param() })),
    )
    .post("/posts/:postId/comments", validateJson(addCommentBody), async (c) =>
      c.json(await addComment(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() }), 201),
    )
    .patch("/posts/:postId/comments/:commentId", validateJson(changeCommentInput), async (c) =>
      c.json(await change(c, c.req.param(), c.req.valid("json"))),
    )
    .patch("/comments/:commentId", validateJson(changeCommentInput), async (c) =>
      c.json(await change(c, c.req.param(), c.req.valid("json"))),
    )
    .delete("/posts/:postId/comments/:commentId", (c) => remove(c, c.req.param()))
    .delete("/comments/:commentId", (c) => remove(c, c.req.param()));
}
