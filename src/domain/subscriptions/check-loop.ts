import type { Log } from "#lib/log.ts";
import type { Deps } from "../ports/deps.ts";

/** Signals that arrive within this time share one check, so many changes cost few queries. */
const coalesceMs = 50;
const pollMs = 500;
/** While notifications arrive, every 20th poll checks everything, in case notifications were lost. */
const pollsPerFullCheck = 20;

export interface CheckLoopOptions {
  deps: Pick<Deps, "subscriptions">;
  /** Checks what was signaled; everything if `mayBeAnything` is true. If it fails, the next poll checks everything. */
  check(mayBeAnything: boolean): Promise<void>;
  /** Whether signals came during a check. */
  hasSignals(): boolean;
  onPoll(): void;
  log: Log;
  /** Completes "failed to check for ...". */
  subject: string;
}

export interface CheckLoop {
  /** Polls from now on. */
  start(): void;
  stop(): void;
  /** Checks soon. */
  schedule(): void;
  /** Sets whether every change is signaled from now on. Otherwise, every poll asks the database for changes. */
  setNotificationsReliable(areReliable: boolean): void;
}

/** Runs checks after signals, one at a time, and now and then in case a signal was lost. */
export function createCheckLoop({ deps, check, hasSignals, onPoll, log, subject }: CheckLoopOptions): CheckLoop {
  let mayBeAnything = false;
  let areNotificationsReliable = false;
  let isChecking = false;
  let isFailing = false;
  let lastMarker: number | undefined;
  let pollCount = 0;
  let checkTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (isChecking) return; // `runCheck` schedules the next check when the current one ends
    checkTimer ??= setTimeout(() => void runCheck(), coalesceMs).unref();
  }

  function checkAll(): void {
    if (pollTimer === undefined) return;
    mayBeAnything = true;
    schedule();
  }

  async function poll(): Promise<void> {
    onPoll();
    pollCount++;
    if (mayBeAnything || (areNotificationsReliable && pollCount % pollsPerFullCheck === 0)) return checkAll();
    if (areNotificationsReliable) return;
    // Everything, if any process has committed since the last poll, or if the database has no commit marker.
    const marker = await deps.subscriptions.getCommitMarker().catch(() => undefined);
    if (marker !== undefined && marker === lastMarker) return;
    lastMarker = marker;
    checkAll();
  }

  async function runCheck(): Promise<void> {
    checkTimer = undefined;
    isChecking = true;
    const isFullCheck = mayBeAnything;
    mayBeAnything = false;
    let hasFailed = false;
    try {
      await check(isFullCheck);
      if (isFailing) log.info(`${subject} are announced again`);
    } catch (error) {
      hasFailed = true;
      if (!isFailing) log.error({ err: error }, `failed to check for ${subject}; will retry`);
      mayBeAnything = true; // the next poll checks everything
    }
    isFailing = hasFailed;
    isChecking = false;
    if (!hasFailed && (mayBeAnything || hasSignals())) schedule();
  }

  return {
    start: () => void (pollTimer ??= setInterval(() => void poll(), pollMs).unref()),
    stop() {
      clearInterval(pollTimer);
      pollTimer = undefined;
    },
    schedule,
    setNotificationsReliable(areReliable) {
      areNotificationsReliable = areReliable;
      checkAll();
    },
  };
}

/** The most rows per query, and the most streams per iteration of the event loop. */
const batchSize = 500;

export function* toBatches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += batchSize) yield items.slice(from, from + batchSize);
}
