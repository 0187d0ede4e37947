import type { Comment } from "../api/comment-queries.ts";

export interface Thread {
  /** The comment that started it. */
  first: Comment;
  /** Oldest first. */
  replies: Comment[];
}

/** Groups comments, oldest first, into threads, newest first. */
export function groupThreads(comments: readonly Comment[]): Thread[] {
  const commentsByParent = Map.groupBy(comments, ({ parentId }) => parentId);
  const firstComments = commentsByParent.get(null) ?? [];
  return firstComments.map((first) => ({ first, replies: commentsByParent.get(first.id) ?? [] })).toReversed();
}

export const formatOpenThreads = (count: number): string => (count === 1 ? "1 open thread" : `${count} open threads`);

/** The threads that are not resolved, except those whose comments are all deleted. */
export const listOpenThreads = (comments: readonly Comment[]): Thread[] =>
  groupThreads(comments).filter(
    ({ first, replies }) => first.resolvedAt === null && [first, ...replies].some(({ isDeleted }) => !isDeleted),
  );
