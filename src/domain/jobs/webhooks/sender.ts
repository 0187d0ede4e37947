import { seconds } from "#lib/clock.ts";
import { startWorkerLoop, type WorkerLoop } from "#lib/worker-loop.ts";
import { recordActivity } from "../../changes/record-activity.ts";
import {
  computePause,
  type Delivery,
  type DeliveryOutcome,
  maxFailingTime,
  toDeliveryResult,
  type Webhook,
} from "../../model/webhook.ts";
import type { Deps, Tx } from "../../ports/deps.ts";
import { sendWebhook } from "../../steps/send-webhook.ts";

/** How many endpoints one process sends to at a time: an endpoint that never responds occupies one for 15 s. */
const maxEndpoints = 100;
/** Requests to one endpoint at a time. */
const maxRequests = 5;
const batchSize = 50;
/**
 * No request of a batch starts later than this after the webhook was read, so that a deleted studio, a disabled webhook
 * or a new URL takes effect soon.
 */
const batchTimeMs = seconds(1);
/** Longer than a batch and its last attempt take. After a crash, another process continues then. */
const defaultLeaseMs = seconds(30);
const defaultPollMs = seconds(1);

export interface WebhookSenderOptions {
  onError: (error: unknown) => void;
  /** Shorter in tests. */
  leaseMs?: number;
  /** How often to look for deliveries without a wake-up. */
  pollMs?: number;
}

type SenderDeps = Pick<Deps, "webhooks" | "transact" | "clock" | "newId" | "openWebhookUrl" | "vault">;

/** Sends the deliveries that are due. Any number of processes can do so; only one at a time sends to an endpoint. */
export function startWebhookSender(deps: SenderDeps, options: WebhookSenderOptions): WorkerLoop {
  const { onError, leaseMs = defaultLeaseMs, pollMs = defaultPollMs } = options;
  const controller = new AbortController();
  const activeBatches = new Set<Promise<void>>();

  async function startBatches(): Promise<number> {
    const now = deps.clock();
    const freeCount = maxEndpoints - activeBatches.size;
    if (controller.signal.aborted || freeCount <= 0 || !(await deps.webhooks.hasDue(now))) return pollMs;
    const webhooks = await deps.transact({ job: "send webhooks" }, (tx) =>
      tx.webhooks.claimDue(now, now + leaseMs, freeCount),
    );
    for (const webhook of webhooks) {
      const batch = sendBatch(deps, webhook, controller.signal)
        .catch(onError) // the lease expires, and then this or another process continues
        .finally(() => {
          activeBatches.delete(batch);
          loop.wake();
        });
      activeBatches.add(batch);
    }
    return pollMs;
  }

  const loop = startWorkerLoop({ work: startBatches, pollMs, onError });
  return {
    wake: loop.wake,
    async stop() {
      controller.abort();
      await loop.stop();
      await Promise.all(activeBatches);
    },
  };
}

interface Attempt {
  delivery: Delivery;
  outcome: DeliveryOutcome;
}

/** Sends what is due to an endpoint that this process has claimed; only one delivery if it has failed before. */
async function sendBatch(deps: SenderDeps, webhook: Webhook, signal: AbortSignal): Promise<void> {
  const startedAt = deps.clock();
  const limit = webhook.failingSince === null ? batchSize : 1;
  const deliveries = (await deps.webhooks.listDue(webhook.id, startedAt, limit)).values();
  const attempts: Attempt[] = [];
  const mayContinue = (): boolean =>
    !signal.aborted &&
    deps.clock() - startedAt < batchTimeMs &&
    attempts.every(({ outcome }) => outcome.retryAfterMs === undefined && outcome.status !== 410);
  const sendNext = async (): Promise<void> => {
    for (let next = deliveries.next(); !next.done; next = deliveries.next()) {
      const outcome = await sendWebhook(deps, webhook, next.value, signal);
      if (signal.aborted && outcome.error !== null) return; // it was not an attempt
      attempts.push({ delivery: next.value, outcome });
      if (!mayContinue()) return;
    }
  };
  await Promise.all(Array.from({ length: maxRequests }, sendNext));
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
  const hasSucceeded = attempts.some(({ outcome }) => outcome.error === null);
  const hasFailed = attempts.length > 0 && !hasSucceeded;
  const failingSince = hasSucceeded ? null : (webhook.failingSince ?? (hasFailed ? now : null));
  const retryAfterMs = Math.max(0, ...attempts.map(({ outcome }) => outcome.retryAfterMs ?? 0));
  const pauseMs = Math.max(retryAfterMs, failingSince === null ? 0 : computePause(now - failingSince));
  if (failingSince !== webhook.failingSince) await tx.webhooks.update(id, { failingSince });
  await tx.webhooks.release(id, now + pauseMs);
  const isGone = attempts.some(({ outcome }) => outcome.status === 410);
  const hasFailedLong = hasFailed && failingSince !== null && now - failingSince >= maxFailingTime;
  if (webhook.disabledAt !== null || (!isGone && !hasFailedLong)) return;
  const disabledReason = isGone ? "gone" : "failing";
  await tx.webhooks.update(id, { disabledAt: now, disabledReason });
  const detail = { host: new URL(webhook.url).host, reason: disabledReason };
  await recordActivity(deps, tx, { studio: { id: studioId } }, "webhook.disabled", id, detail);
}
