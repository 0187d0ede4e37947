import type { WorkerLoop } from "#lib/worker-loop.ts";
import { recordActivity } from "../../changes/record-activity.ts";
import {
  type Delivery,
  type DeliveryOutcome,
  maxFailingTime,
  toDeliveryResult,
  type Webhook,
} from "../../model/webhook.ts";
import type { Deps, Tx } from "../../ports/deps.ts";
import { sendWebhook } from "../../steps/send-webhook.ts";
import { rateEndpoint, sendDue, type SendLoopOptions, startSendLoop } from "../send-loop.ts";

/** An endpoint that never responds occupies one for 15 s. */
const maxEndpoints = 100;

type SenderDeps = Pick<Deps, "webhooks" | "transact" | "clock" | "newId" | "openWebhookUrl" | "vault">;

/** Sends the deliveries that are due. */
export function startWebhookSender(deps: SenderDeps, options: SendLoopOptions): WorkerLoop {
  const loop = {
    maxEndpoints,
    hasDue: deps.webhooks.hasDue,
    claimDue: (now: number, lockedUntil: number, limit: number) =>
      deps.transact({ job: "send webhooks" }, (tx) => tx.webhooks.claimDue(now, lockedUntil, limit)),
    sendBatch: (webhook: Webhook, signal: AbortSignal) => sendBatch(deps, webhook, signal),
  };
  return startSendLoop(deps, loop, options);
}

interface Attempt {
  delivery: Delivery;
  outcome: DeliveryOutcome;
}

async function sendBatch(deps: SenderDeps, webhook: Webhook, signal: AbortSignal): Promise<void> {
  const batch = {
    list: (now: number, limit: number) => deps.webhooks.listDue(webhook.id, now, limit),
    async send(delivery: Parameters<typeof sendWebhook>[2]) {
      const outcome = await sendWebhook(deps, webhook, delivery, signal);
      return signal.aborted && outcome.error !== null ? undefined : outcome; // else it was not an attempt
    },
    endsBatch: ({ retryAfterMs, status }: DeliveryOutcome) => retryAfterMs !== undefined || status === 410,
  };
  const attempts = await sendDue(deps, webhook, batch, signal);
  await deps.transact({ job: "send webhooks" }, (tx) => endBatch(deps, tx, webhook, attempts));
}

async function endBatch(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  { id, studioId, lockedUntil }: Webhook,
  attempts: readonly Attempt[],
): Promise<void> {
  const webhook = await tx.webhooks.lock(studioId, id);
  if (!webhook) return; // deleted
  const now = deps.clock();
  for (const { delivery, outcome } of attempts)
    await tx.webhooks.saveResult(delivery, toDeliveryResult(delivery, outcome, now));
  if (webhook.lockedUntil !== lockedUntil) return; // another process has taken over
  const successes = attempts.map(({ outcome }) => outcome.error === null);
  const { failingSince, ...rating } = rateEndpoint(webhook, successes, now);
  const pauseMs = Math.max(rating.pauseMs, ...attempts.map(({ outcome }) => outcome.retryAfterMs ?? 0));
  if (failingSince !== webhook.failingSince) await tx.webhooks.update(id, { failingSince });
  await tx.webhooks.release(id, now + pauseMs);
  const isGone = attempts.some(({ outcome }) => outcome.status === 410);
  const hasFailedLong = attempts.length > 0 && failingSince !== null && now - failingSince >= maxFailingTime;
  if (webhook.disabledAt !== null || (!isGone && !hasFailedLong)) return;
  const disabledReason = isGone ? "gone" : "failing";
  await tx.webhooks.update(id, { disabledAt: now, disabledReason });
  const detail = { host: new URL(webhook.url).host, reason: disabledReason };
  await recordActivity(deps, tx, { studio: { id: studioId } }, "webhook.disabled", id, detail);
}
