import { toIsoTime } from "#lib/clock.ts";
import type { ListedComment } from "../model/comment.ts";

/** A comment as guests see it. */
export interface GuestCommentView {
  id: string;
  author: string;
  body: string;
  at: string;
  byGuest: boolean;
}

export function toGuestCommentView(comment: ListedComment): GuestCommentView {
  const { id, body, createdAt, guestName, userName, clientName } = comment;
  const person = userName ?? "";
  const member = clientName === null ? person : `${clientName}, for ${person}`;
  return { id, author: guestName ?? member, body, at: toIsoTime(createdAt), byGuest: guestName !== null };
}
