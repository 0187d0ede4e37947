import { setImmediate as nextIteration } from "node:timers/promises";
import type { Log } from "#lib/log.ts";
import { runInBackground } from "#lib/work-owner.ts";
import type { Deps } from "../ports/deps.ts";

/** Signals that arrive within this time share one check, so many changes cost few queries. */
const coalesceMs = 50;
const pollMs = 500;
/** While notifications arrive, every 20th poll checks everything, in case notifications were lost. */
const pollsPerFullCheck = 20;

/** Who follows an open event stream. */
export interface StreamSubscriber {
  /** The digest of the token or session that the stream was opened with. */
  readonly tokenHash: string;
  readonly userId: string;
  /** Only changes in this studio are announced. */
  readonly studioId: string;
  /** Ends the stream: its access ended, or a newer stream of its MCP session replaced it. */
  end(): void;
}

interface OpenStream {
  readonly subscriber: StreamSubscriber;
}

/** A feed that the database's notifications reach. */
export interface NotifiedFeed {
  /** Receives a notification, such as `user:<id>`. Ignores those that are not for its streams. */
  receive(change: string): void;
  /** Whether a stream is open. If not, `receive` ignores notifications. */
  hasStreams(): boolean;
  /** Sets whether `receive` gets all notifications from now on. Otherwise, every poll asks the database for changes. */
  setNotificationsReliable(areReliable: boolean): void;
}

interface CheckLoopOptions<Stream extends OpenStream, Access extends { expiresAt: number }> {
  deps: Pick<Deps, "subscriptions" | "clock">;
  /** Reads what was signaled; everything if `mayBeAnything` is true. If it fails, the next poll checks everything. */
  readChanges(mayBeAnything: boolean): Promise<void>;
  /** Whether signals came during a check. */
  hasSignals(): boolean;
  /** Whether something is to be announced. */
  hasPending(stream: Stream): boolean;
  findAccess(tokenHashes: readonly string[], now: number): Promise<Map<string, Access>>;
  hasAccess(subscriber: Stream["subscriber"], access: Access): boolean;
  /** Announces what is pending, to a stream that has access. */
  deliver(stream: Stream): void;
  onRemove(stream: Stream): void;
  log: Log;
  /** Completes "failed to check for ...". */
  subject: string;
}

interface CheckLoop<Stream> extends Omit<NotifiedFeed, "receive"> {
  /** With the time when the access expires; infinite before the first check. */
  readonly streams: ReadonlyMap<Stream, number>;
  /** Follows the stream until the returned function is called or the stream is ended. */
  add(stream: Stream): () => void;
  end(stream: Stream): void;
  /** Checks the access of the user's streams. */
  signalUser(userId: string): void;
  /** Checks soon. */
  schedule(): void;
}

/**
 * Runs checks for all streams of a feed after signals, one at a time, and now and then in case a signal was lost. Access
 * is checked again before anything is announced. Without streams, the loop does nothing.
 */
export function createCheckLoop<Stream extends OpenStream, Access extends { expiresAt: number }>(
  options: CheckLoopOptions<Stream, Access>,
): CheckLoop<Stream> {
  const { deps, log, subject } = options;
  const streams = new Map<Stream, number>();
  let userIds = new Set<string>();
  let mayBeAnything = false;
  let areNotificationsReliable = false;
  let isChecking = false;
  let isFailing = false;
  let lastMarker: number | undefined;
  let pollCount = 0;
  let checkTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;

  function remove(stream: Stream): void {
    if (!streams.delete(stream)) return;
    options.onRemove(stream);
    if (streams.size > 0) return;
    clearInterval(pollTimer);
    pollTimer = undefined;
  }

  function end(stream: Stream): void {
    remove(stream);
    stream.subscriber.end();
  }

  function schedule(): void {
    if (isChecking) return; // `runCheck` schedules the next check when the current one ends
    checkTimer ??= runInBackground(() => setTimeout(() => void runCheck(), coalesceMs)).unref();
  }

  function signalUser(userId: string): void {
    userIds.add(userId);
    schedule();
  }

  function checkAll(): void {
    if (streams.size === 0) return;
    mayBeAnything = true;
    schedule();
  }

  async function poll(): Promise<void> {
    const now = deps.clock();
    for (const [stream, expiresAt] of streams) if (expiresAt <= now) end(stream);
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
    const [isFullCheck, signaledUserIds] = [mayBeAnything, userIds];
    mayBeAnything = false;
    userIds = new Set();
    let hasFailed = false;
    try {
      await options.readChanges(isFullCheck);
      await deliverTo((stream) => isFullCheck || signaledUserIds.has(stream.subscriber.userId));
      if (isFailing) log.info(`${subject} are announced again`);
    } catch (error) {
      hasFailed = true;
      if (!isFailing) log.error({ err: error }, `failed to check for ${subject}; will retry`);
      mayBeAnything = true; // the next poll checks everything
    }
    isFailing = hasFailed;
    isChecking = false;
    if (!hasFailed && (mayBeAnything || userIds.size > 0 || options.hasSignals())) schedule();
  }

  /** Announces what is pending. Ends the streams that no longer have access. */
  async function deliverTo(isAffected: (stream: Stream) => boolean): Promise<void> {
    const affectedStreams = [...streams.keys()].filter((stream) => isAffected(stream) || options.hasPending(stream));
    for (const batch of toBatches(affectedStreams)) {
      const tokenHashes = [...new Set(batch.map(({ subscriber }) => subscriber.tokenHash))];
      const accessByToken = await options.findAccess(tokenHashes, deps.clock());
      for (const stream of batch) {
        if (!streams.has(stream)) continue;
        const access = accessByToken.get(stream.subscriber.tokenHash);
        if (access && options.hasAccess(stream.subscriber, access)) {
          streams.set(stream, access.expiresAt);
          options.deliver(stream);
        } else end(stream);
      }
      await nextIteration();
    }
  }

  return {
    streams,
    add(stream) {
      streams.set(stream, Infinity);
      pollTimer ??= runInBackground(() => setInterval(() => void poll(), pollMs)).unref();
      signalUser(stream.subscriber.userId); // reads when the access expires
      return () => remove(stream);
    },
    end,
    signalUser,
    schedule,
    hasStreams: () => streams.size > 0,
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
