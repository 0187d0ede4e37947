import type { ActivityRow } from "../model/activity.ts";
import { getAccountLabel } from "../model/connection.ts";
import {
  findMentionedUsers,
  isNotified,
  type Notification,
  type NotificationParts,
  type NotificationType,
  type NotifiedAction,
} from "../model/notification.ts";
import { sentBackCode } from "../model/publication-states.ts";
import type { Member } from "../model/studio.ts";
import { type ApprovalRule, may, mayPublishWithoutApproval } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { queueMails } from "./mail/queue-mails.ts";

export type NotifyDeps = Pick<Deps, "newId" | "platforms" | "clock" | "mailer">;

/** A studio as it is when its events are read. */
interface Audience {
  members: readonly Member[];
  approval: ApprovalRule;
  timezone: string;
}

/** A notification for several users. A user gets only the first message about an event that names them. */
interface Message {
  type: NotificationType;
  userIds: readonly (string | null | undefined)[];
  postId?: string | undefined;
  publicationId?: string | undefined;
  parts: Omit<NotificationParts, "event">;
}

/** Notifies the members of each event's studio who should know. Call it in the transaction that takes the events. */
export async function notifyUsers(deps: NotifyDeps, tx: Tx, events: readonly ActivityRow[]): Promise<void> {
  const audiences = new Map<string, Audience | undefined>();
  for (const event of events) {
    const { studioId, action } = event;
    if (!isNotified(action)) continue;
    if (!audiences.has(studioId)) audiences.set(studioId, await readAudience(tx, studioId));
    const audience = audiences.get(studioId);
    if (!audience) continue; // the studio was deleted
    const messages = await describers[action](deps, tx, event, audience);
    const notifications = toNotifications(deps, event, action, audience, messages);
    await tx.notifications.insert(await queueMails(deps, tx, { ...audience, studioId }, notifications));
  }
}

async function readAudience(tx: Tx, studioId: string): Promise<Audience | undefined> {
  const studio = await tx.studios.find(studioId);
  return studio && { members: await tx.memberships.list(studioId), ...studio };
}

function toNotifications(
  deps: Pick<Deps, "newId">,
  event: ActivityRow,
  action: NotifiedAction,
  { members }: Audience,
  messages: readonly Message[],
): Notification[] {
  const memberIds = new Set(members.map(({ userId }) => userId));
  // What users do in the web app, they know.
  if (event.clientId === null && event.userId !== null) memberIds.delete(event.userId);
  const user = members.find(({ userId }) => userId === event.userId)?.name;
  const notifications: Notification[] = [];
  for (const { type, userIds, postId = null, publicationId = null, parts } of messages)
    for (const userId of userIds)
      if (userId && memberIds.delete(userId))
        notifications.push({
          id: deps.newId("notification"),
          userId,
          studioId: event.studioId,
          activityId: event.id,
          type,
          postId,
          publicationId,
          parts: { ...cleanParts({ user, client: event.clientName ?? undefined, ...parts }), event: action },
          at: event.at,
          readAt: null,
          summaryAt: null,
        });
  return notifications;
}

const maxPartLength = 140;

/** On one line, and short enough for a list. */
function shorten(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line.length <= maxPartLength
    ? line
    : `${line
        .slice(0, maxPartLength)
        .replace(/[\ud800-\udbff]$/, "")
        .trimEnd()}…`;
}

const cleanParts = (parts: Message["parts"]): Message["parts"] =>
  Object.fromEntries(
    Object.entries(parts).map(([name, text]) => [name, text === undefined ? undefined : shorten(text)]),
  );

type Describer = (deps: NotifyDeps, tx: Tx, event: ActivityRow, audience: Audience) => Promise<Message[]>;

/** For everyone who may approve, also for the person whose own AI client proposed it. */
const describeProposal: Describer = async (deps, tx, event, { members, approval }) => {
  const publication = await findPublication(deps, tx, event);
  if (publication?.state !== "proposed") return [];
  const approvers = members.filter(({ role }) => mayPublishWithoutApproval({ role, scopes: [] }, approval));
  return [{ type: "approval", userIds: approvers.map(({ userId }) => userId), ...publication.message }];
};

const describeProblem: Describer = async (deps, tx, event) => {
  const publication = await findPublication(deps, tx, event);
  if (!publication) return [];
  const { message, requestedBy, approvedBy } = publication;
  const reason = typeof event.detail["reason"] === "string" ? event.detail["reason"] : undefined;
  return [{ type: "failure", userIds: [requestedBy, approvedBy], ...message, parts: { ...message.parts, reason } }];
};

/** Of the cancellations, only requests for changes. */
const describeCancellation: Describer = async (deps, tx, event) => {
  const publication = await findPublication(deps, tx, event);
  if (publication?.problem?.code !== sentBackCode) return [];
  return [{ type: "review", userIds: [publication.requestedBy], ...publication.message }];
};

async function findPublication({ platforms }: NotifyDeps, tx: Tx, { studioId, subjectId }: ActivityRow) {
  const publication = await tx.publications.find(studioId, subjectId ?? "");
  if (!publication) return undefined;
  const { id, postId, postTitle, account, platform } = publication;
  const parts = { title: postTitle ?? undefined, account: nameAccount(platforms, account, platform) };
  return { ...publication, message: { postId, publicationId: id, parts } };
}

const nameAccount = (
  platforms: NotifyDeps["platforms"],
  account: Parameters<typeof getAccountLabel>[0],
  platform: string,
): string => `${getAccountLabel(account)} on ${platforms.find(platform)?.name ?? platform}`;

const describeAccount: Describer = async ({ platforms }, tx, { studioId, subjectId, detail }, { members }) => {
  const connection = await tx.platformStore.find(studioId, subjectId ?? "");
  if (!connection) return [];
  const managers = members.filter(({ role }) => may(role, "platforms.connect"));
  const reason =
    typeof detail["expiresAt"] === "string" ? `${detail["expiresAt"].slice(0, 16)} UTC`.replace("T", " ") : undefined;
  const parts = { account: nameAccount(platforms, connection.account, connection.platform), reason };
  return [{ type: "account", userIds: managers.map(({ userId }) => userId), parts }];
};

const describeWebhook: Describer = async (_, _tx, { detail }, { members }) => {
  const managers = members.filter(({ role }) => may(role, "webhooks.manage"));
  return [
    { type: "failure", userIds: managers.map(({ userId }) => userId), parts: { account: String(detail["host"]) } },
  ];
};

const describeComment: Describer = async (_, tx, { studioId, subjectId, userId, detail }, { members }) => {
  const [post, comment] = await Promise.all([
    tx.posts.find(studioId, subjectId ?? ""),
    tx.comments.find(studioId, String(detail["commentId"])),
  ]);
  if (!post || !comment || comment.isDeleted) return [];
  const message = { postId: post.id, parts: { title: post.title, excerpt: comment.body } };
  const isOther = (otherId: string): boolean => otherId !== userId;
  return [
    { type: "mention", userIds: [...findMentionedUsers(comment.body, members)].filter(isOther), ...message },
    { type: "comment", userIds: [post.createdBy].filter(isOther), ...message },
  ];
};

/** What a guest does through a review link, for the creators of the post and of the link. */
const describeReview: Describer = async (_, tx, { studioId, action, subjectId, detail }) => {
  const { linkId, guest, comment, commentId } = detail as Partial<ReviewDetail>;
  const post = await tx.posts.find(studioId, subjectId ?? "");
  if (!post) return [];
  const link = await tx.reviews.findLink(linkId ?? "");
  const excerpt = comment ?? (commentId && (await tx.comments.find(studioId, commentId))?.body);
  const user = guest ? `${guest.name}, by review link,` : "A guest";
  const parts = { user, client: undefined, title: post.title, excerpt };
  const type = action === "review.commented" ? "comment" : "review";
  return [{ type, userIds: [post.createdBy, link?.createdBy], postId: post.id, parts }];
};

interface ReviewDetail {
  linkId: string;
  guest: { name: string } | null;
  comment: string;
  commentId: string;
}

const describeClient: Describer = async (_, tx, { subjectId, detail }) => {
  const grant = await tx.grants.find(subjectId ?? "");
  const reason = typeof detail["because"] === "string" ? detail["because"] : undefined;
  return grant ? [{ type: "client", userIds: [grant.userId], parts: { client: grant.clientName, reason } }] : [];
};

const describers: Readonly<Record<NotifiedAction, Describer>> = {
  "publication.proposed": describeProposal,
  "publication.unapproved": describeProposal,
  "publication.returned": describeProposal,
  "publication.failed": describeProblem,
  "publication.unconfirmed": describeProblem,
  "publication.missed": describeProblem,
  "publication.canceled": describeCancellation,
  "platform.needs_reconnect": describeAccount,
  "platform.expires_soon": describeAccount,
  "webhook.disabled": describeWebhook,
  "comment.added": describeComment,
  "review.approved": describeReview,
  "review.changes_requested": describeReview,
  "review.commented": describeReview,
  "client.moved": describeClient,
  "client.revoked": describeClient,
};
