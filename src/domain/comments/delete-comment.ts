import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { parseCommentId } from "../model/comment.ts";
import { lockComment } from "./lock-comment.ts";

/** Deletes a comment that the caller, or an AI client for the caller, wrote. Replies by others stay. */
export async function deleteComment(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { commentId: string; postId?: string | undefined },
): Promise<void> {
  authorize(caller, "posts.write");
  const commentId = parseCommentId(input.commentId);
  await deps.transact(caller, async (tx) => {
    const comment = await lockComment(tx, caller.studio.id, { ...input, commentId });
    if (!comment || comment.isDeleted) throw notFoundError("comment");
    if (comment.userId !== caller.user.id) throw new AppError("forbidden:comment_author");
    await tx.comments.erase(commentId, deps.clock());
    await recordActivity(deps, tx, caller, "comment.deleted", comment.postId, { commentId });
  });
}
