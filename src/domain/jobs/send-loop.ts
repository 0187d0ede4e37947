import { seconds } from "#lib/clock.ts";
import { startWorkerLoop, type WorkerLoop } from "#lib/worker-loop.ts";
import { computePause, type Endpoint } from "../model/delivery.ts";
import type { Deps } from "../ports/deps.ts";

/** Requests to one endpoint at a time. */
const maxRequests = 5;
const batchSize = 50;
/**
 * No request of a batch starts later than this after its endpoint was read, so that a deleted studio, a disabled webhook
 * or a new URL takes effect soon.
 */
const batchTimeMs = seconds(1);
/** Longer than a batch and its last attempt take. After a crash, another process continues then. */
const defaultLeaseMs = seconds(30);
const defaultPollMs = seconds(1);

export interface SendLoopOptions {
  onError: (error: unknown) => void;
  /** Shorter in tests. */
  leaseMs?: number;
  /** How often to look for deliveries without a wake-up. */
  pollMs?: number;
}

interface SendLoop<E> {
  /** How many endpoints this process sends to at a time. */
  maxEndpoints: number;
  hasDue(now: number): Promise<boolean>;
  claimDue(now: number, lockedUntil: number, limit: number): Promise<E[]>;
  /** Sends what is due to an endpoint that this process has claimed. */
  sendBatch(endpoint: E, signal: AbortSignal): Promise<void>;
}

/** Sends what is due. Any number of processes can do so; only one at a time sends to an endpoint. */
export function startSendLoop<E>(
  { clock }: Pick<Deps, "clock">,
  { maxEndpoints, hasDue, claimDue, sendBatch }: SendLoop<E>,
  { onError, leaseMs = defaultLeaseMs, pollMs = defaultPollMs }: SendLoopOptions,
): WorkerLoop {
  const controller = new AbortController();
  const activeBatches = new Set<Promise<void>>();

  async function startBatches(): Promise<number> {
    const now = clock();
    const freeCount = maxEndpoints - activeBatches.size;
    if (controller.signal.aborted || freeCount <= 0 || !(await hasDue(now))) return pollMs;
    for (const endpoint of await claimDue(now, now + leaseMs, freeCount)) {
      const batch = sendBatch(endpoint, controller.signal)
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

interface Batch<D, O> {
  /** Reads what is due. */
  list: (now: number, limit: number) => Promise<readonly D[]>;
  /** Resolves to undefined if there was no attempt. */
  send: (delivery: D) => Promise<O | undefined>;
  /** Whether an outcome ends the batch. */
  endsBatch: (outcome: O) => boolean;
}

/** Sends some of what is due to an endpoint; only one delivery if it has failed before. */
export async function sendDue<D, O>(
  { clock }: Pick<Deps, "clock">,
  { failingSince }: Endpoint,
  { list, send, endsBatch }: Batch<D, O>,
  signal: AbortSignal,
): Promise<{ delivery: D; outcome: O }[]> {
  const startedAt = clock();
  const deliveries = (await list(startedAt, failingSince === null ? batchSize : 1)).values();
  const attempts: { delivery: D; outcome: O }[] = [];
  const mayContinue = (): boolean =>
    !signal.aborted && clock() - startedAt < batchTimeMs && !attempts.some(({ outcome }) => endsBatch(outcome));
  const sendNext = async (): Promise<void> => {
    for (let next = deliveries.next(); !next.done; next = deliveries.next()) {
      const outcome = await send(next.value);
      if (outcome !== undefined) attempts.push({ delivery: next.value, outcome });
      if (!mayContinue()) return;
    }
  };
  await Promise.all(Array.from({ length: maxRequests }, sendNext));
  return attempts;
}

/** What a batch shows about its endpoint: since when it fails, and how long to wait until the next batch. */
export function rateEndpoint(
  endpoint: Endpoint,
  successes: readonly boolean[],
  now: number,
): Pick<Endpoint, "failingSince"> & { pauseMs: number } {
  const isFirstFailure = successes.length > 0 && endpoint.failingSince === null;
  const failingSince = isFirstFailure ? now : endpoint.failingSince;
  if (successes.includes(true) || failingSince === null) return { failingSince: null, pauseMs: 0 };
  return { failingSince, pauseMs: computePause(now - failingSince) };
}
