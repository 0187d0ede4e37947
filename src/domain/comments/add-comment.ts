import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller } from "../caller.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { toAuthor } from "../changes/editor.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../model/post.ts";
import { id } from "../model/text.ts";
import {
  type Comment,
  commentBody,
  type CommentView,
  maxCommentsPerPost,
  parseCommentId,
  toCommentView,
} from "../model/comment.ts";

export const addCommentInput = z.strictObject({ postId: id, body: commentBody });

/** The input of the web app, where users can also reply. */
export const addCommentOrReplyInput = addCommentInput.extend({ parentId: id.optional() });

export async function addComment(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof addCommentOrReplyInput>,
): Promise<CommentView> {
  authorize(caller, "posts.write");
  const postId = parsePostId(input.postId);
  const parentId = input.parentId === undefined ? undefined : parseCommentId(input.parentId);
  const { undoId: _, ...author } = toAuthor(caller);
  const comment = await deps.transact(caller, async (tx) => {
    // The lock prevents parallel calls from exceeding the limit or moving the post to the trash.
    if (!(await tx.posts.lock(caller.studio.id, postId))) throw notFoundError("post");
    const threadId = parentId === undefined ? null : await findThreadId(tx, caller, postId, parentId);
    if ((await tx.comments.count(postId)) >= maxCommentsPerPost)
      throw new AppError("quota_exceeded:comments", { limit: maxCommentsPerPost });
    const newComment: Comment = {
      ...author,
      id: deps.newId("comment"),
      studioId: caller.studio.id,
      postId,
      parentId: threadId,
      body: input.body,
      createdAt: deps.clock(),
      resolvedAt: null,
      resolvedBy: null,
      isDeleted: false,
      changeCount: caller.client ? 1 : 0,
    };
    await tx.comments.insert(newComment);
    // Recorded for undo, which only covers changes by AI clients.
    if (caller.client) await tx.comments.recordChange(newComment, newComment.createdAt, toAuthor(caller));
    await recordActivity(deps, tx, caller, "comment.added", postId, { commentId: newComment.id });
    return newComment;
  });
  return toCommentView({ ...comment, userName: caller.user.name, resolvedByName: null });
}

/** Returns the comment that started the parent's thread, because a thread has only one level of replies. */
async function findThreadId(tx: Tx, caller: Caller, postId: string, parentId: string): Promise<string> {
  const parent = await tx.comments.find(caller.studio.id, parentId);
  if (parent?.postId !== postId) throw notFoundError("comment");
  return parent.parentId ?? parent.id;
}
