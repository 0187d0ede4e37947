import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId, readIdNumbers, toFirstId } from "#lib/ids.ts";
import type { Caller } from "../caller.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import {
  type DeliveryEvent,
  deliveryStates,
  parseWebhookId,
  testEventType,
  toDeliveryResult,
  type Webhook,
} from "../model/webhook.ts";
import { isoTime } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { enforceRateLimit } from "../steps/rate-limit.ts";
import { runInBatches } from "../steps/run-in-batches.ts";
import { sendWebhook } from "../steps/send-webhook.ts";

export interface DeliveryView {
  id: string;
  type: string;
  /** When the event happened. */
  at: string;
  subjectId: string | null;
  state: DeliveryEvent["state"];
  attempts: number;
  nextAttemptAt: string | null;
  lastAttemptAt: string | null;
  status: number | null;
  error: DeliveryEvent["lastError"];
}

function toView(delivery: DeliveryEvent): DeliveryView {
  const { id, type, state, attempts, nextAttemptAt, lastAttemptAt, lastStatus, lastError, activity } = delivery;
  return {
    id,
    type,
    at: toIsoTime(activity?.at ?? readIdNumbers(id).time),
    subjectId: activity?.subjectId ?? null,
    state,
    attempts,
    nextAttemptAt: nextAttemptAt === null ? null : toIsoTime(nextAttemptAt),
    lastAttemptAt: lastAttemptAt === null ? null : toIsoTime(lastAttemptAt),
    status: lastStatus,
    error: lastError,
  };
}

export const listDeliveriesInput = z.strictObject({ state: z.enum(deliveryStates).optional(), ...pageInput });

/** Lists the deliveries of the last 30 days, newest first. */
export async function listDeliveries(
  deps: Pick<Deps, "webhooks">,
  caller: Caller,
  input: z.infer<typeof listDeliveriesInput> & { webhookId: string },
): Promise<{ deliveries: DeliveryView[]; nextCursor: string | null }> {
  authorize(caller, "webhooks.manage");
  const { id } = await findWebhook(deps, caller, input);
  const listKey = `deliveries ${id} ${input.state}`;
  const before = parseCursor(input.cursor, listKey);
  const rows = await deps.webhooks.listDeliveries(id, { state: input.state, before, limit: input.limit + 1 });
  const { items, nextCursor } = toPage(rows, input.limit, listKey);
  return { deliveries: items.map(toView), nextCursor };
}

async function findWebhook(
  deps: Pick<Deps, "webhooks">,
  caller: Caller,
  input: { webhookId: string },
): Promise<Webhook> {
  const webhook = await deps.webhooks.find(caller.studio.id, parseWebhookId(input.webhookId));
  if (!webhook) throw notFoundError("webhook");
  return webhook;
}

type ResendDeps = Pick<Deps, "webhooks" | "transact" | "clock" | "sleep" | "wakeWebhookSender">;

/** Sends a delivery again, with the same id. */
export async function resendDelivery(
  deps: ResendDeps,
  caller: Caller,
  input: { webhookId: string; deliveryId: string },
): Promise<void> {
  authorize(caller, "webhooks.manage");
  const { id: webhookId } = await findWebhook(deps, caller, input);
  if (!isId("webhookDelivery", input.deliveryId)) throw notFoundError("delivery");
  await deps.transact(caller, async (tx) => {
    if (!(await tx.webhooks.lock(caller.studio.id, webhookId))) throw notFoundError("webhook");
    if ((await tx.webhooks.requeue(webhookId, { id: input.deliveryId }, deps.clock())) === 0)
      throw notFoundError("delivery");
  });
  deps.wakeWebhookSender();
}

export const resendFailedInput = z.strictObject({ since: isoTime });

/** Sends all failed deliveries of events since this time again. */
export async function resendFailed(
  deps: ResendDeps,
  caller: Caller,
  input: z.infer<typeof resendFailedInput> & { webhookId: string },
): Promise<{ resent: number }> {
  authorize(caller, "webhooks.manage");
  const { id } = await findWebhook(deps, caller, input);
  const resent = await requeueFailed(deps, caller, id, Date.parse(input.since));
  deps.wakeWebhookSender();
  return { resent };
}

const batchSize = 200;

/** Makes failed deliveries due again, in transactions of bounded size. */
export function requeueFailed(
  deps: Pick<Deps, "transact" | "clock" | "sleep">,
  caller: Caller,
  webhookId: string,
  since: number,
): Promise<number> {
  const from = toFirstId("webhookDelivery", since);
  return runInBatches({ pause: () => deps.sleep(1), shouldStop: () => false }, batchSize, () =>
    deps.transact(caller, async (tx) => {
      if (!(await tx.webhooks.lock(caller.studio.id, webhookId))) return 0;
      return tx.webhooks.requeue(webhookId, { from, limit: batchSize }, deps.clock());
    }),
  );
}

/** Sends a test event at once, also to a disabled endpoint, and returns what came of it. It is not retried. */
export async function testWebhook(
  deps: Pick<Deps, "webhooks" | "transact" | "newId" | "clock" | "vault" | "openWebhookUrl" | "rateLimits">,
  caller: Caller,
  input: { webhookId: string },
): Promise<DeliveryView> {
  authorize(caller, "webhooks.manage");
  const webhook = await findWebhook(deps, caller, input);
  await enforceRateLimit(deps, "webhookTest", caller.studio.id);
  const delivery: DeliveryEvent = {
    id: deps.newId("webhookDelivery"),
    studioId: webhook.studioId,
    webhookId: webhook.id,
    activityId: null,
    activity: null,
    type: testEventType,
    state: "failed",
    attempts: 0,
    nextAttemptAt: null,
    lastAttemptAt: null,
    lastStatus: null,
    lastError: null,
  };
  const outcome = await sendWebhook(deps, webhook, delivery);
  if (outcome.error === "blocked")
    throw new AppError("url_blocked:webhook", { host: new URL(webhook.url).host, cause: "the host is not public" });
  const result = toDeliveryResult(delivery, outcome, deps.clock());
  const state = outcome.error === null ? "delivered" : "failed";
  const { activity, ...row } = { ...delivery, ...result, state, nextAttemptAt: null } as const;
  await deps.transact(caller, async (tx) => {
    if (!(await tx.webhooks.lock(caller.studio.id, webhook.id))) throw notFoundError("webhook");
    await tx.webhooks.addDeliveries([row], null);
  });
  return toView({ ...row, activity });
}
