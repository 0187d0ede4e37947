import { z } from "zod";
import { isId } from "#lib/ids.ts";
import type { SignedInUser } from "../caller.ts";
import { type NotificationView, toNotificationView } from "../model/notification.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { id, isoTime } from "../model/text.ts";
import type { Deps } from "../ports/deps.ts";

export const listNotificationsInput = z.strictObject({ studioId: id.optional(), ...pageInput });

export interface NotificationPage {
  notifications: NotificationView[];
  /** The number of all unread ones, not only of this page; at most 1,000. */
  unread: number;
  nextCursor: string | null;
}

/** Lists the user’s notifications in one of their studios, or in all; none of a studio that they are not a member of. */
export async function listNotifications(
  deps: Pick<Deps, "notifications">,
  { user }: SignedInUser,
  { studioId, limit, cursor }: z.infer<typeof listNotificationsInput>,
): Promise<NotificationPage> {
  const listKey = `notifications ${user.id} ${studioId ?? ""}`;
  const before = parseCursor(cursor, listKey);
  const [rows, unread] = await Promise.all([
    deps.notifications.list(user.id, { studioId, before, limit: limit + 1 }),
    deps.notifications.countUnread(user.id, studioId),
  ]);
  const { items, nextCursor } = toPage(rows, limit, listKey);
  return { notifications: items.map(toNotificationView), unread, nextCursor };
}

export const readNotificationsInput = z.union([
  z.strictObject({ ids: z.array(id).min(1).max(100) }),
  z.strictObject({ before: isoTime, studioId: id.optional() }),
]);

/** Notifications per transaction. */
const batchSize = 200;

/** Marks notifications as read: these, or all of events before a time. Ignores ids of other users. */
export async function readNotifications(
  deps: Pick<Deps, "transact" | "clock">,
  caller: SignedInUser,
  input: z.infer<typeof readNotificationsInput>,
): Promise<void> {
  const userId = caller.user.id;
  if ("ids" in input) {
    const ids = input.ids.filter((notificationId) => isId("notification", notificationId));
    if (ids.length > 0) await deps.transact(caller, (tx) => tx.notifications.markRead(userId, ids, deps.clock()));
    return;
  }
  const { studioId, before } = input;
  const filter = { studioId, before: Date.parse(before), limit: batchSize };
  for (let count = batchSize; count === batchSize;)
    count = await deps.transact(caller, (tx) => tx.notifications.markReadBefore(userId, filter, deps.clock()));
}
