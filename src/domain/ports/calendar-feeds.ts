import type { PublicationState } from "../model/publication-states.ts";

/** What a user may know of a calendar feed; its token is never shown again. */
export interface CalendarFeed {
  userId: string;
  createdAt: number;
  lastReadAt: number | null;
}

export interface FeedStudio {
  id: string;
  name: string;
  timezone: string;
}

export interface FeedEntry {
  id: string;
  postId: string;
  platform: string;
  account: { id: string; handle: string | null; name: string | null };
  state: PublicationState;
  at: number;
  sequence: number;
  url: string | null;
  createdAt: number;
  title: string;
  postRevision: number;
  postUpdatedAt: number;
  isTrashed: boolean;
}

export interface CalendarFeedStore {
  /** Creates the feed of a member, or gives it another token. */
  replace(feed: { studioId: string; userId: string; tokenHash: string; createdAt: number }): Promise<void>;
  /** Those of a studio, or of one of its members. */
  list(studioId: string, userId?: string): Promise<CalendarFeed[]>;
  /** Returns false if the user has no feed of the studio. */
  delete(studioId: string, userId: string): Promise<boolean>;
  /** Deletes the user's feeds of all studios; returns their number. */
  deleteForUser(userId: string): Promise<number>;
  /** The studio of a feed, unless its user is disabled. Records that it was read. */
  open(tokenHash: string, now: number): Promise<FeedStudio | undefined>;
  /** Publications with a time in this range, earliest first; those that never started only if they were planned. */
  listEntries(studioId: string, range: { from: number; to: number; limit: number }): Promise<FeedEntry[]>;
}
