import type { Comment, CommentStep, ListedComment } from "../model/comment.ts";
import type { Author } from "../model/revision.ts";
import type { ChangeSelection, ListChangedIds } from "./history.ts";

export interface CommentStore {
  insert(comment: Comment): Promise<void>;
  /** Finds no comment on a post in the trash, and a deleted one only if it started a thread that has replies. */
  find(studioId: string, commentId: string): Promise<ListedComment | undefined>;
  /** Also finds deleted comments, and those on posts in the trash. */
  findWithDeleted(studioId: string, commentId: string): Promise<Comment | undefined>;
  /** Oldest first. A deleted comment is included if it started a thread that has replies. */
  list(postId: string, filter: { after?: string | undefined; limit: number }): Promise<ListedComment[]>;
  /** Newest first, without deleted comments. */
  listNewest(postId: string, limit: number): Promise<ListedComment[]>;
  /**
   * Those that guests of this review link see, oldest first, without deleted ones: the newest whose texts have at most
   * this length together.
   */
  listForGuests(postId: string, linkId: string, maxLength: number): Promise<ListedComment[]>;
  /** Without deleted comments. */
  count(postId: string): Promise<number>;
  /** Comments through review links, which do not count toward the limits of the post. */
  countByGuests(postId: string): Promise<number>;
  countWithDeleted(postId: string): Promise<number>;
  setResolved(commentId: string, resolution: { at: number; by: string } | null): Promise<void>;
  setVisibility(commentId: string, visibility: Comment["visibility"]): Promise<void>;
  /**
   * Deletes the comment for good, with its recorded changes, so that no undo restores it. If it has replies, an empty
   * comment that is marked as deleted stays.
   */
  erase(comment: Pick<Comment, "id" | "postId">, now: number): Promise<void>;
  /** Sets or clears the time of deletion and counts the change; false if another change came first. */
  setDeleted(comment: Pick<Comment, "id" | "postId" | "changeCount">, deletedAt: number | null): Promise<boolean>;
  /** Records that the comment was added, deleted or restored. */
  recordChange(comment: Comment, at: number, author: Author): Promise<void>;
  listChangedIds: ListChangedIds;
  /** All changes from the first selected one on, oldest first. */
  listSteps(commentId: string, selection: ChangeSelection): Promise<CommentStep[]>;
}
