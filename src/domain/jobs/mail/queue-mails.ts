import { findNextSummary, getFrequencies, type Mail } from "../../model/mail.ts";
import type { Notification } from "../../model/notification.ts";
import type { Deps, Tx } from "../../ports/deps.ts";
import { newMail } from "../../steps/new-mail.ts";

/**
 * Queues what the users of these notifications of one studio chose to be mailed. Returns the notifications with the
 * summaries that they belong to.
 */
export async function queueMails(
  deps: Pick<Deps, "newId" | "clock" | "mailer">,
  tx: Tx,
  { studioId, timezone }: { studioId: string; timezone: string },
  notifications: readonly Notification[],
): Promise<readonly Notification[]> {
  if (!deps.mailer || notifications.length === 0) return notifications;
  const choices = await tx.mails.listChoices(studioId, [...new Set(notifications.map(({ userId }) => userId))]);
  const now = deps.clock();
  const summaryAt = findNextSummary(now, timezone);
  const mails: Mail[] = [];
  const queuedNotifications = notifications.map((notification) => {
    const { id: notificationId, userId, type } = notification;
    const frequency = getFrequencies(choices.filter((choice) => choice.userId === userId))[type];
    const mail = { studioId, userId };
    if (frequency === "at_once") mails.push(newMail(deps, { ...mail, kind: "notification", notificationId }, now));
    if (frequency !== "daily") return notification;
    mails.push(newMail(deps, { ...mail, kind: "summary", summaryAt }, summaryAt));
    return { ...notification, summaryAt };
  });
  await tx.mails.insert(mails);
  return queuedNotifications;
}
