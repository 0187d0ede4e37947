import type { Comment } from "../api/comment-queries.ts";

export interface Thread {
  /** The comment that started it. */
  first: Comment;
  /** Oldest first. */
  replies: Comment[];
}

/** Groups comments, oldest first, into threads, newest first. */
export function groupThreads(comments: readonly Comment[]): Thread[] {
  const replies = Map.groupBy(comments, ({ parentId }) => parentId);
  const threads = (replies.get(null) ?? []).map((first) => ({ first, replies: replies.get(first.id) ?? [] }));
  return threads.toReversed();
}

export const countComments = (comments: readonly Comment[]): number =>
  comments.filter(({ isDeleted }) => !isDeleted).length;
