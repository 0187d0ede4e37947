import { z } from "zod";
import { days, minutes } from "#lib/clock.ts";
import { addDays, resolveTimesOfDay, toLocalTime } from "#portable/zoned-time.ts";
import type { Role } from "../policy.ts";
import { computeRetryDelay, type Endpoint, type QueuedItem } from "./delivery.ts";
import { type Notification, type NotificationParts, notificationTypes, type NotificationType } from "./notification.ts";

export const mailFrequencies = ["never", "at_once", "daily"] as const;
export type MailFrequency = (typeof mailFrequencies)[number];
export type MailFrequencies = Readonly<Record<NotificationType, MailFrequency>>;

const defaultFrequencies: MailFrequencies = {
  approval: "at_once",
  failure: "at_once",
  account: "daily",
  comment: "daily",
  review: "daily",
  mention: "daily",
  client: "daily",
};

export interface MailChoice {
  userId: string;
  studioId: string;
  type: NotificationType;
  frequency: MailFrequency;
}

/** What mails about each type are about, in a sentence. */
export const mailTopics: Readonly<Record<NotificationType | "daily", string>> = {
  approval: "posts that wait for your approval",
  failure: "failures",
  account: "accounts that have to be reconnected",
  comment: "comments",
  review: "reviews",
  mention: "mentions of you",
  client: "your AI clients",
  daily: "what happened, once a day",
};

/** What applies to a user in a studio, who made these choices there. */
export const getFrequencies = (choices: readonly MailChoice[]): MailFrequencies => ({
  ...defaultFrequencies,
  ...Object.fromEntries(choices.map(({ type, frequency }) => [type, frequency])),
});

export const frequenciesInput = z.strictObject({
  frequencies: z
    .partialRecord(z.enum(notificationTypes), z.enum(mailFrequencies))
    .refine((frequencies) => Object.keys(frequencies).length > 0, "at least one type"),
});

/** How long mails are kept. */
export const mailLifetime = days(30);
/** How long it is tried to send a mail. */
const maxWaitMs = days(4);
const maxRetryDelayMs = minutes(30);

/** `unreachable`, `sign_in` and `sender`: the server accepts no mail from us. `deferred` and `rejected`: not this one. */
export const mailErrors = ["unreachable", "sign_in", "sender", "deferred", "rejected"] as const;
export type MailError = (typeof mailErrors)[number];

export const isServerFailure = (error: MailError | null): boolean =>
  error === "unreachable" || error === "sign_in" || error === "sender";

export interface MailServer extends Endpoint {
  lastError: MailError | null;
}

/** A mail as stored in the database. It has no content: see `composeMail`. */
export interface Mail extends QueuedItem {
  kind: "notification" | "summary" | "invitation" | "test";
  studioId: string;
  userId: string | null;
  notificationId: string | null;
  summaryAt: number | null;
  sealedToken: string | null;
  /** `dropped`: when its turn came, there was no reason left to send it. */
  state: "waiting" | "delivered" | "failed" | "dropped";
  nextAttemptAt: number | null;
  lastAttemptAt: number | null;
  lastError: MailError | "secret_lost" | null;
}

export type MailResult = Pick<
  Mail,
  "state" | "attempts" | "nextAttemptAt" | "lastAttemptAt" | "lastError" | "sealedToken"
>;

/** How an attempt at sending a mail ended; `dropped` and `secret_lost` without an attempt. */
export type MailOutcome = MailError | "secret_lost" | "dropped" | null;

export function toMailResult(mail: Mail, createdAt: number, outcome: MailOutcome, now: number): MailResult {
  const attempts = mail.attempts + 1;
  const end = { attempts, nextAttemptAt: null, lastAttemptAt: now, sealedToken: null };
  if (outcome === null) return { ...end, state: "delivered", lastError: null };
  if (outcome === "dropped") return { ...end, state: "dropped", lastError: null };
  const isFinal = outcome === "rejected" || outcome === "secret_lost" || now - createdAt >= maxWaitMs;
  if (isFinal) return { ...end, state: "failed", lastError: outcome };
  const waitMs = Math.min(computeRetryDelay(mail) ?? maxRetryDelayMs, maxRetryDelayMs);
  const { sealedToken } = mail;
  return { ...end, state: "waiting", nextAttemptAt: now + Math.round(waitMs), lastError: outcome, sealedToken };
}

const summaryTime = "08:00";
/** Longer than the transaction that adds the last notification to a summary takes. */
const minSummaryWaitMs = minutes(5);

/** When the summary with new notifications is due: the next morning in the time zone of the studio. */
export function findNextSummary(now: number, timezone: string): number {
  const earliest = now + minSummaryWaitMs;
  const today = toLocalTime(earliest, timezone).slice(0, 10);
  const times = [today, addDays(today, 1)].flatMap((day) => resolveTimesOfDay(day, [summaryTime], timezone));
  return times.find((time) => time >= earliest) ?? earliest + days(1);
}

/** How many notifications a summary shows. */
export const maxSummaryItems = 50;

/** What a mail says. The mailer turns it into text and HTML. All names are single lines without links. */
export type MailContent =
  | {
      kind: "notification" | "summary";
      studioName: string;
      studioUrl: string;
      items: readonly MailItem[];
      hasMore: boolean;
    }
  | { kind: "invitation"; studioName: string; inviterName: string; role: Role; url: string; expiresAt: number }
  | { kind: "test"; studioName: string };

export interface MailItem {
  text: string;
  url: string;
}

/** Everything that the mailer needs to send a mail. */
export interface MailMessage {
  /** The same for all attempts, so that mailboxes can recognize a mail that was sent twice. */
  id: string;
  to: string;
  content: MailContent;
  /** Where the recipient changes what they get, and where they end it; only in mails about notifications. */
  settingsUrl: string | undefined;
  unsubscribeUrl: string | undefined;
}

/**
 * What people wrote, on one line in which mail programs find no link: otherwise someone could send their own text with
 * links through this server.
 */
export const toPlainName = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/[:/\\@]+(?=\S)/g, " ")
    .replace(/[.。．｡](?=\S)/g, "$& ")
    .trim();

/** A notification whose sentence has no links of its own. */
export function withoutLinks<N extends Pick<Notification, "parts">>(notification: N): N {
  const { event, ...texts } = notification.parts;
  const parts = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text === undefined ? undefined : toPlainName(text)]),
  );
  return { ...notification, parts: { ...parts, event } satisfies NotificationParts };
}
