import { isMailbox } from "#lib/mailbox.ts";
import {
  getFrequencies,
  type Mail,
  type MailContent,
  type MailItem,
  type MailMessage,
  maxSummaryItems,
  toPlainName,
  withoutLinks,
} from "../../model/mail.ts";
import { getNotificationPath, type Notification, toNotificationView } from "../../model/notification.ts";
import type { Deps } from "../../ports/deps.ts";
import { unsealInvitationToken } from "../../steps/new-mail.ts";
import { createUnsubscribeUrl } from "../../steps/unsubscribe-links.ts";
import { findInvitation } from "../../studios/invitations.ts";

export type ComposeDeps = Pick<
  Deps,
  "mails" | "notifications" | "invitations" | "vault" | "signer" | "clock" | "baseUrl"
>;

/** What a mail says, as things are when it is sent; `dropped` if its recipient should not get it any more. */
export async function composeMail(deps: ComposeDeps, mail: Mail): Promise<MailMessage | "dropped" | "secret_lost"> {
  const { id, kind, studioId, userId, notificationId } = mail;
  const message = { id: notificationId ?? id, settingsUrl: undefined, unsubscribeUrl: undefined };
  if (kind === "invitation") {
    const token = unsealInvitationToken(deps, mail);
    if (token === undefined) return "secret_lost";
    const invitation = await composeInvitation(deps, token);
    return invitation ? { ...message, ...invitation } : "dropped";
  }
  const recipient = userId === null ? undefined : await deps.mails.findRecipient(studioId, userId);
  if (userId === null || !recipient || !isMailbox(recipient.email)) return "dropped";
  const studioName = toPlainName(recipient.studioName);
  if (kind === "test") return { ...message, to: recipient.email, content: { kind, studioName } };
  const notifications = await listUnread(deps, { ...mail, userId });
  const [first] = notifications;
  if (!first) return "dropped";
  const items = notifications.slice(0, maxSummaryItems).map((notification) => toItem(deps, notification));
  const hasMore = notifications.length > maxSummaryItems;
  const studioUrl = `${deps.baseUrl}/studios/${studioId}`;
  const content: MailContent = { kind, studioName, items, hasMore, studioUrl };
  return {
    ...message,
    to: recipient.email,
    content,
    settingsUrl: `${studioUrl}/settings#email`,
    unsubscribeUrl: createUnsubscribeUrl(deps, {
      userId,
      studioId,
      type: kind === "notification" ? first.type : "daily",
    }),
  };
}

async function composeInvitation(
  deps: ComposeDeps,
  token: string,
): Promise<Pick<MailMessage, "to" | "content"> | undefined> {
  const invitation = await findInvitation(deps, token);
  if (!invitation?.email || !isMailbox(invitation.email)) return undefined;
  const { studioName, creatorName, role, expiresAt, email: to } = invitation;
  const names = { studioName: toPlainName(studioName), inviterName: toPlainName(creatorName) };
  return { to, content: { kind: "invitation", ...names, role, url: `${deps.baseUrl}/join/${token}`, expiresAt } };
}

/** What the user has not read and still wants to be mailed, oldest first. */
async function listUnread(
  { mails, notifications }: ComposeDeps,
  { studioId, userId, notificationId, summaryAt }: Mail & { userId: string },
): Promise<Notification[]> {
  const selection = notificationId === null ? { studioId, summaryAt } : { id: notificationId };
  const [choices, unread] = await Promise.all([
    mails.listChoices(studioId, [userId]),
    notifications.listUnread(userId, selection, maxSummaryItems + 1),
  ]);
  const frequencies = getFrequencies(choices);
  return unread.filter(({ type }) => frequencies[type] !== "never");
}

function toItem({ baseUrl }: ComposeDeps, notification: Notification): MailItem {
  return {
    text: toNotificationView(withoutLinks(notification)).text,
    url: baseUrl + getNotificationPath(notification),
  };
}
