import { days, toIsoTime } from "#lib/clock.ts";
import type { ActivityAction } from "./activity.ts";

export const notificationTypes = ["approval", "failure", "account", "comment", "review", "mention", "client"] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** How long notifications are kept. */
export const notificationLifetime = days(90);

/** The names and texts of a notification's sentence, as they were at the event. Each is bounded. */
export interface NotificationParts {
  event: NotifiedAction;
  /** Who caused it; absent for background jobs. */
  user?: string | undefined;
  client?: string | undefined;
  title?: string | undefined;
  /** `<account> on <platform>` */
  account?: string | undefined;
  excerpt?: string | undefined;
  reason?: string | undefined;
}

/** A notification as stored in the database. */
export interface Notification {
  id: string;
  userId: string;
  studioId: string;
  activityId: string;
  type: NotificationType;
  postId: string | null;
  publicationId: string | null;
  parts: NotificationParts;
  at: number;
  readAt: number | null;
  /** The time of the summary that mentions it by mail; null if none does. */
  summaryAt: number | null;
}

export interface NotificationView {
  id: string;
  type: NotificationType;
  at: string;
  studioId: string;
  postId: string | null;
  publicationId: string | null;
  text: string;
  readAt: string | null;
}

export function toNotificationView(notification: Notification): NotificationView {
  const { id, type, at, studioId, postId, publicationId, readAt } = notification;
  return {
    id,
    type,
    at: toIsoTime(at),
    studioId,
    postId,
    publicationId,
    text: describeNotification(notification),
    readAt: readAt === null ? null : toIsoTime(readAt),
  };
}

/** The page of the web app about what happened. */
export function getNotificationPath(notification: Notification): string {
  const { type, studioId, postId, publicationId } = notification;
  const studioPath = `/studios/${studioId}`;
  if (type === "account") return `${studioPath}/platforms`;
  if (type === "client") return `${studioPath}/clients`;
  if (publicationId !== null) return `${studioPath}/publications/${publicationId}`;
  return postId === null ? `${studioPath}/settings/webhooks` : `${studioPath}/posts/${postId}?panel=comments`;
}

/** The sentence of each event that causes notifications. */
const sentences = {
  "publication.proposed": (parts) => `${actor(parts)} proposed to publish ${post(parts)} on ${parts.account}.`,
  "publication.unapproved": (parts) => `${post(parts)} for ${parts.account} waits for approval again.`,
  "publication.returned": (parts) =>
    `${post(parts)} changed after its approval and waits for approval again, for ${parts.account}.`,
  "publication.failed": (parts) => `${post(parts)} wasn’t published on ${parts.account}. ${parts.reason ?? ""}`,
  "publication.unconfirmed": (parts) =>
    `${post(parts)} may be on ${parts.account}: the platform didn’t confirm it. Check the account.`,
  "publication.missed": (parts) =>
    `${post(parts)} wasn’t published on ${parts.account}: the server was down at its time.`,
  "publication.canceled": (parts) => `${actor(parts)} asked for changes to ${post(parts)} for ${parts.account}.`,
  "platform.needs_reconnect": (parts) =>
    `Reconnect ${parts.account}: the platform no longer accepts its credentials. Nothing can be published there until then.`,
  "platform.expires_soon": (parts) =>
    `Reconnect ${parts.account} until ${parts.reason ?? "then"}: the platform ends its access at that time.`,
  "webhook.disabled": (parts) =>
    `The webhook to ${parts.account} was disabled, because its deliveries kept failing. Its events are kept and can be resent.`,
  "comment.added": (parts) => `${actor(parts)} commented on ${post(parts)}: ${parts.excerpt ?? ""}`,
  "review.approved": (parts) => `${actor(parts)} approved ${post(parts)}. ${parts.excerpt ?? ""}`,
  "review.changes_requested": (parts) => `${actor(parts)} asked for changes to ${post(parts)}. ${parts.excerpt ?? ""}`,
  "review.commented": (parts) => `${actor(parts)} commented on ${post(parts)}: ${parts.excerpt ?? ""}`,
  "client.moved": (parts) => `${parts.client ?? "An AI client"} now works in this studio.`,
  "client.revoked": ({ client = "An AI client", user, reason }) => {
    if (reason === "used twice")
      return `${client} was disconnected: one of its tokens was used twice, possibly stolen.`;
    return `${client} was disconnected${user === undefined || reason !== undefined ? "" : ` by ${user}`}.`;
  },
} as const satisfies Partial<Record<ActivityAction, (parts: NotificationParts) => string>>;

export type NotifiedAction = keyof typeof sentences;

export const isNotified = (action: string): action is NotifiedAction => Object.hasOwn(sentences, action);

function describeNotification({ type, parts }: Pick<Notification, "type" | "parts">): string {
  if (type === "mention") return `${actor(parts)} mentioned you in a comment on ${post(parts)}: ${parts.excerpt ?? ""}`;
  return sentences[parts.event](parts).trim();
}

function actor({ user, client }: NotificationParts): string {
  if (client === undefined) return user ?? "Atelier";
  return user === undefined ? client : `${client}, for ${user},`;
}

const post = ({ title }: NotificationParts): string => (title ? `“${title}”` : "a post without a title");

/** Mentions beyond this number are ignored. */
const maxMentions = 50;

/** The members whose names follow an @ in the text. Of several names that match, the longest one counts. */
export function findMentionedUsers(text: string, members: readonly { userId: string; name: string }[]): Set<string> {
  const foldedText = fold(text);
  const names = members.map(({ userId, name }) => ({ userId, name: fold(name.trim()) }));
  const mentionedIds = new Set<string>();
  for (const match of [...foldedText.matchAll(/(?<![\p{L}\p{N}])@/gu)].slice(0, maxMentions)) {
    const start = match.index + 1;
    const matches = names.filter(
      ({ name }) =>
        name !== "" &&
        foldedText.startsWith(name, start) &&
        !/^[\p{L}\p{N}]/u.test(foldedText.slice(start + name.length, start + name.length + 2)),
    );
    const longest = Math.max(...matches.map(({ name }) => name.length));
    for (const { userId, name } of matches) if (name.length === longest) mentionedIds.add(userId);
  }
  return mentionedIds;
}

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();
