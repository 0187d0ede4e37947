import type { Notification } from "../api/notification-queries.ts";

/** Notifications of one type whose events follow each other within this time are one entry. */
const groupMs = 10 * 60_000;

/** Newest first, and never empty. */
export type NotificationGroup = readonly [Notification, ...Notification[]];

/** Groups what an assistant did at once. Read and unread ones are separate entries. */
export function groupNotifications(notifications: readonly Notification[]): NotificationGroup[] {
  const groups: [Notification, ...Notification[]][] = [];
  for (const notification of notifications) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && belongTogether(last, notification)) group.push(notification);
    else groups.push([notification]);
  }
  return groups;
}

const belongTogether = (a: Notification, b: Notification): boolean =>
  a.type === b.type &&
  (a.readAt === null) === (b.readAt === null) &&
  Math.abs(Date.parse(a.at) - Date.parse(b.at)) <= groupMs;
