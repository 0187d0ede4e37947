import type { Notification } from "../model/notification.ts";

export interface NotificationStore {
  /** Stores the notifications, except those of events that their user was notified of before. */
  insert(notifications: readonly Notification[]): Promise<void>;
  /** Newest first; only of studios that the user is a member of. */
  list(userId: string, filter: NotificationFilter): Promise<Notification[]>;
  /** The user’s unread notification with this id, or those of a summary, oldest first. */
  listUnread(
    userId: string,
    selection: { id: string } | { studioId: string; summaryAt: number | null },
    limit: number,
  ): Promise<Notification[]>;
  /** Only of studios that the user is a member of. */
  countUnread(userId: string, studioId: string | undefined): Promise<number>;
  markRead(userId: string, ids: readonly string[], now: number): Promise<void>;
  /** Marks unread notifications of earlier events, at most `limit`; returns how many. */
  markReadBefore(userId: string, filter: ReadFilter, now: number): Promise<number>;
  /** For each user, a text that differs after a new notification and when one is read. */
  findVersions(userIds: readonly string[]): Promise<Map<string, string>>;
}

export interface NotificationFilter {
  studioId?: string | undefined;
  /** Only notifications before this id. */
  before?: string | undefined;
  limit: number;
}

export interface ReadFilter {
  studioId?: string | undefined;
  before: number;
  limit: number;
}
