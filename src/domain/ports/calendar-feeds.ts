import type { PublicationWithNames } from "../model/publication.ts";

export interface FeedEntry extends Pick<
  PublicationWithNames,
  "id" | "postId" | "platform" | "account" | "state" | "url" | "createdAt"
> {
  at: number;
  sequence: number;
  title: string;
  postRevision: number;
  postUpdatedAt: number;
  trashedAt: number | null;
}

export interface CalendarFeedStore {
  /** Creates the feed of a member, or gives it another token. */
  replace(feed: { studioId: string; userId: string; tokenHash: string; createdAt: number }): Promise<void>;
  find(studioId: string, userId: string): Promise<{ createdAt: number } | undefined>;
  delete(studioId: string, userId: string): Promise<void>;
  /** Deletes the user's feeds of all studios; returns their number. */
  deleteForUser(userId: string): Promise<number>;
  /** The studio of a feed, unless its user is disabled. */
  findStudio(tokenHash: string): Promise<{ id: string; name: string } | undefined>;
  /** Publications that were planned for, or published in this range, earliest first; also canceled ones. */
  listEntries(studioId: string, range: { from: number; to: number; limit: number }): Promise<FeedEntry[]>;
}
