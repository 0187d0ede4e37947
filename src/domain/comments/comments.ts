import { z } from "zod";
import { AppError, notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { toAuthor } from "../changes/editor.ts";
import { recordActivity } from "../changes/record-activity.ts";
import {
  type Comment,
  commentBody,
  type CommentView,
  type ListedComment,
  maxCommentsPerPost,
  maxStoredCommentsPerPost,
  parseCommentId,
  toCommentView,
  visibility,
} from "../model/comment.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { parsePostId } from "../model/post.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";

export const addCommentInput = z.strictObject({ postId: id, body: commentBody });

/** The input of the web app, where users can also reply, and show a comment to guests of review links. */
export const addCommentOrReplyInput = addCommentInput.extend({
  parentId: id.optional(),
  visibility: visibility.optional(),
});

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
    const guestCount = await tx.comments.countByGuests(postId);
    if ((await tx.comments.countWithDeleted(postId)) - guestCount >= maxStoredCommentsPerPost)
      throw new AppError("quota_exceeded:stored_comments", { limit: maxStoredCommentsPerPost });
    if ((await tx.comments.count(postId)) - guestCount >= maxCommentsPerPost)
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
      visibility: input.visibility ?? "team",
      guestName: null,
      reviewLinkId: null,
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

export const listCommentsInput = z.strictObject({ postId: id, ...pageInput });

/** The comments of a page have at most this much text in total. */
const maxTextLength = 200_000;

/** Lists the comments of a post, oldest first, so that a thread's first comment comes before its replies. */
export async function listComments(
  deps: Pick<Deps, "posts" | "comments">,
  caller: Caller,
  input: z.infer<typeof listCommentsInput>,
): Promise<{ comments: CommentView[]; nextCursor: string | null }> {
  authorize(caller, "posts.read");
  const postId = parsePostId(input.postId);
  const listKey = `comments ${postId}`;
  const after = parseCursor(input.cursor, listKey);
  if (!(await deps.posts.find(caller.studio.id, postId))) throw notFoundError("post");
  const rows = await deps.comments.list(postId, { after, limit: input.limit + 1 });
  let textLength = 0;
  const firstBeyond = rows.findIndex(({ body }) => (textLength += body.length) > maxTextLength);
  const limit = firstBeyond < 0 ? input.limit : Math.min(input.limit, firstBeyond);
  const { items, nextCursor } = toPage(rows, limit, listKey);
  return { comments: items.map(toCommentView), nextCursor };
}

/**
 * Reads a comment after locking its post, so that parallel calls change the comments of a post one after the other. With
 * `postId`, finds only comments of this post.
 */
async function lockComment(
  tx: Tx,
  studioId: string,
  { commentId, postId }: { commentId: string; postId?: string | undefined },
): Promise<ListedComment | undefined> {
  const comment = await tx.comments.find(studioId, commentId);
  if (!comment || (postId !== undefined && comment.postId !== postId)) return undefined;
  if (!(await tx.posts.lock(studioId, comment.postId))) return undefined;
  return tx.comments.find(studioId, commentId);
}

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

export const changeCommentInput = z.union([resolveCommentInput, z.strictObject({ visibility })]);

/** Shows a comment of the team to guests of the post's review links, or hides it from them. Only for people. */
export async function setCommentVisibility(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { visibility: Comment["visibility"]; commentId: string; postId?: string | undefined },
): Promise<CommentView> {
  authorize(caller, "posts.write");
  const commentId = parseCommentId(input.commentId);
  return deps.transact(caller, async (tx) => {
    const comment = await lockComment(tx, caller.studio.id, { ...input, commentId });
    if (!comment || comment.isDeleted) throw notFoundError("comment");
    if (comment.reviewLinkId !== null) throw new AppError("invalid_input:guest_comment");
    if (comment.visibility !== input.visibility) {
      await tx.comments.setVisibility(commentId, input.visibility);
      const action = input.visibility === "guests" ? "comment.shown" : "comment.hidden";
      await recordActivity(deps, tx, caller, action, comment.postId, { commentId });
    }
    return toCommentView({ ...comment, visibility: input.visibility });
  });
}

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
    await tx.comments.erase(comment, deps.clock());
    await recordActivity(deps, tx, caller, "comment.deleted", comment.postId, { commentId });
  });
}
