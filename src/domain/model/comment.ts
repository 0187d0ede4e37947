import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import type { Author } from "./revision.ts";
import { guestView, toGuestView } from "./review.ts";
import { text } from "./text.ts";
import { toUserOrClient, userOrClientView } from "./user-or-client.ts";

export const maxCommentLength = 10_000;
export const maxCommentsPerPost = 1000;
/** Including deleted ones: an undo keeps the comments that it removes, so that it can be undone. */
export const maxStoredCommentsPerPost = 5000;

export const visibilities = ["team", "guests"] as const;
export const visibility = z.enum(visibilities);

export const commentBody = text(maxCommentLength)
  .trim()
  .min(1)
  .refine((value) => value === "" || /[^\p{Cc}\p{Cf}\p{Z}\p{M}]/u.test(value), "at least one visible character")
  .describe("The text, without formatting.");

/** A comment as the API and tools return it. */
export const commentView = z.object({
  id: z.string(),
  postId: z.string(),
  parentId: z.string().nullable().describe("The comment that started the thread; null for that comment."),
  body: z.string(),
  createdAt: z.string(),
  user: userOrClientView.nullable(),
  client: userOrClientView.nullable().describe("The AI client that acted for the user; null for the web app."),
  guest: guestView.optional().describe("Who wrote it by a review link, instead of a user; not verified."),
  visibility: visibility.describe("Whether guests of review links see it, or only the team."),
  resolvedAt: z.string().nullable().describe("When a person resolved the thread that this comment started."),
  resolvedBy: userOrClientView.nullable(),
});

export type CommentView = z.infer<typeof commentView> & {
  /** Deleted, and listed only because its thread has replies. */
  isDeleted?: true;
};

export function toCommentView(comment: ListedComment): CommentView {
  const { userId, userName, clientId, clientName, isDeleted } = comment;
  return {
    id: comment.id,
    postId: comment.postId,
    parentId: comment.parentId,
    body: isDeleted ? "" : comment.body,
    createdAt: toIsoTime(comment.createdAt),
    visibility: comment.visibility,
    user: isDeleted ? null : toUserOrClient(userId, userName),
    client: isDeleted ? null : toUserOrClient(clientId, clientName),
    resolvedAt: comment.resolvedAt === null ? null : toIsoTime(comment.resolvedAt),
    resolvedBy: toUserOrClient(comment.resolvedBy, comment.resolvedByName),
    ...(comment.guestName === null ? {} : { guest: toGuestView(comment.guestName) }),
    ...(isDeleted ? { isDeleted: true } : {}),
  };
}

/** A malformed id yields the same `not_found` error as an id of another studio. */
export function parseCommentId(commentId: string): string {
  if (!isId("comment", commentId)) throw notFoundError("comment");
  return commentId;
}

/** A comment as stored in the database. */
export interface Comment extends Omit<Author, "undoId"> {
  id: string;
  studioId: string;
  postId: string;
  /** The comment that started the thread; null for that comment. */
  parentId: string | null;
  body: string;
  createdAt: number;
  /** When the thread was resolved; always null for a reply. */
  resolvedAt: number | null;
  resolvedBy: string | null;
  isDeleted: boolean;
  /** Whether only the team sees it, or also guests of the post's review links. */
  visibility: (typeof visibilities)[number];
  /** As a guest of a review link typed it, not verified; null for members. Only guests of this link see the comment. */
  guestName: string | null;
  reviewLinkId: string | null;
  /**
   * Counts the changes of the comment that `recordChange` numbers: its creation by an AI client, its deletion and its
   * restoration. `setDeleted` compares it to detect a conflict.
   */
  changeCount: number;
}

export interface ListedComment extends Comment {
  userName: string | null;
  resolvedByName: string | null;
}

/** A change of a comment that can be undone: an AI client added it, or an undo deleted or restored it. */
export interface CommentStep {
  /** Whether the change left the comment deleted. */
  isDeleted: boolean;
  /** Whether the change is among those to undo. */
  isSelected: boolean;
}
