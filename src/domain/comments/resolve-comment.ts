import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { type CommentView, parseCommentId, toCommentView } from "../model/comment.ts";
import { lockComment } from "./lock-comment.ts";

export const resolveCommentInput = z.strictObject({ resolved: z.boolean() });

/** Resolves or reopens the thread that a comment started. Only for people: no tool calls this verb. */
export async function resolveComment(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof resolveCommentInput> & { commentId: string; postId?: string | undefined },
): Promise<CommentView> {
  authorize(caller, "posts.write");
  const commentId = parseCommentId(input.commentId);
  const updatedComment = await deps.transact(caller, async (tx) => {
    const comment = await lockComment(tx, caller.studio.id, { ...input, commentId });
    if (!comment) throw notFoundError("comment");
    if (comment.parentId !== null) throw new AppError("invalid_input:reply");
    if ((comment.resolvedAt !== null) === input.resolved) return comment;
    const resolution = input.resolved ? { at: deps.clock(), by: caller.user.id } : null;
    await tx.comments.setResolved(commentId, resolution);
    const action = input.resolved ? "comment.resolved" : "comment.reopened";
    await recordActivity(deps, tx, caller, action, comment.postId, { commentId });
    return {
      ...comment,
      resolvedAt: resolution?.at ?? null,
      resolvedBy: resolution?.by ?? null,
      resolvedByName: resolution ? caller.user.name : null,
    };
  });
  return toCommentView(updatedComment);
}
