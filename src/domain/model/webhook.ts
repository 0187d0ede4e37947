import { z } from "zod";
import { days, hours, toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { findIdKind, type IdKind, isId, readIdNumbers } from "#lib/ids.ts";
import { activityActions, type ActivityRow } from "./activity.ts";
import { computeRetryDelay, type Endpoint } from "./delivery.ts";
import { text } from "./text.ts";

export const maxWebhooks = 20;
/** How long an endpoint may fail before it is disabled. */
export const maxFailingTime = days(5);
/** How long a secret stays valid after it was replaced. */
export const rotationTime = hours(24);
/** How long deliveries are kept. */
export const deliveryLifetime = days(30);

export const testEventType = "webhook.test";

/** Each stands for all events whose type starts with it. */
const eventPrefixes = [
  "post.*",
  "asset.*",
  "publication.*",
  "platform.*",
  "member.*",
  "comment.*",
  "review.*",
] as const;

const eventPatterns: ReadonlySet<string> = new Set([...eventPrefixes, ...activityActions]);

const eventList = z
  .array(
    text(100).refine((event) => eventPatterns.has(event), {
      error: ({ input }) => `event types such as post.created or post.*, not ${JSON.stringify(input)}`,
    }),
  )
  .min(1)
  .max(100)
  .transform((events) => [...new Set(events)]);

export const webhookInput = z.strictObject({ url: text(2000), events: eventList });

export const disabledReasons = ["failing", "gone"] as const;

export interface Webhook extends Endpoint {
  id: string;
  studioId: string;
  url: string;
  events: readonly string[];
  /** Sealed. */
  secrets: string;
  createdAt: number;
  disabledAt: number | null;
  disabledReason: (typeof disabledReasons)[number] | null;
}

/** The text of a secret, and until when it is valid; null for the newest. */
export interface WebhookSecret {
  secret: string;
  validUntil: number | null;
}

export function parseWebhookId(webhookId: string): string {
  if (!isId("webhook", webhookId)) throw notFoundError("webhook");
  return webhookId;
}

export const wantsEvent = ({ events }: Pick<Webhook, "events">, type: string): boolean =>
  events.includes(type) || events.includes(`${type.slice(0, type.indexOf("."))}.*`);

export const deliveryStates = ["waiting", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** `blocked`: the URL leads to a private host. `unreachable`: no response in time. `status`: not a success. */
export type DeliveryError = "blocked" | "unreachable" | "status" | "secret_lost";

export interface Delivery {
  id: string;
  studioId: string;
  webhookId: string;
  activityId: string | null;
  type: string;
  state: DeliveryState;
  attempts: number;
  nextAttemptAt: number | null;
  lastAttemptAt: number | null;
  lastStatus: number | null;
  lastError: DeliveryError | null;
}

/** With the activity that the event is; null for a test event. */
export interface DeliveryEvent extends Delivery {
  activity: ActivityRow | null;
}

const objectTypes: Partial<Record<IdKind, string>> = {
  user: "member",
  grant: "client",
  platformConnection: "account",
  uploadLink: "upload_link",
  reviewLink: "review_link",
};

/** The body of a delivery: the same for each attempt, and fixed when the event happened. */
export function toEventBody({ id, type, studioId, webhookId, activity }: DeliveryEvent): string {
  const subjectId = activity ? activity.subjectId : webhookId;
  const kind = subjectId === null ? undefined : findIdKind(subjectId);
  const { revision, guest } = activity?.detail ?? {};
  const data = {
    studioId,
    object: {
      type: kind === undefined ? type.slice(0, type.indexOf(".")) : (objectTypes[kind] ?? kind),
      id: subjectId,
      ...(typeof revision === "number" ? { revision } : {}),
    },
    actor: {
      user: activity?.userId ? { id: activity.userId } : null,
      client: activity?.clientId ? { id: activity.clientId, name: activity.clientName } : null,
      ...(guest ? { guest } : {}),
    },
  };
  return JSON.stringify({ type, timestamp: toIsoTime(activity?.at ?? readIdNumbers(id).time), data });
}

/** What came of one attempt. */
export interface DeliveryOutcome {
  error: DeliveryError | null;
  status: number | null;
  /** How long the endpoint asks to wait. */
  retryAfterMs: number | undefined;
}

export type DeliveryResult = Pick<
  Delivery,
  "state" | "attempts" | "nextAttemptAt" | "lastAttemptAt" | "lastStatus" | "lastError"
>;

export function toDeliveryResult(
  delivery: Pick<Delivery, "id" | "attempts">,
  { error, status, retryAfterMs = 0 }: DeliveryOutcome,
  now: number,
): DeliveryResult {
  const attempts = delivery.attempts + 1;
  const attempt = { attempts, lastAttemptAt: now, lastStatus: status, lastError: error };
  if (error === null) return { ...attempt, state: "delivered", nextAttemptAt: null };
  const delay = status === 410 ? undefined : computeRetryDelay(delivery);
  if (delay === undefined) return { ...attempt, state: "failed", nextAttemptAt: null };
  const waitMs = Math.round(Math.max(delay, retryAfterMs));
  return { ...attempt, state: "waiting", nextAttemptAt: now + waitMs };
}
