import { setImmediate as nextIteration } from "node:timers/promises";
import { seconds } from "#lib/clock.ts";
import { readIdNumbers } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import type { RecordedActivity } from "../ports/activity.ts";
import type { Deps } from "../ports/deps.ts";
import { createCheckLoop, toBatches } from "./check-loop.ts";

/** An object that changed. `type` is the first part of the activity's action. */
export interface ChangedObject {
  type: string;
  id: string | null;
}

/** An open event stream of a browser. */
export interface PageSubscriber {
  /** The digest of the session's token. */
  readonly tokenHash: string;
  readonly userId: string;
  readonly studioId: string;
  /** Undefined if anything in the studio may have changed. */
  announce(objects: readonly ChangedObject[] | undefined): void;
  /** Ends the stream: the session or the membership ended. */
  end(): void;
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

export interface PageFeed extends NotifiedFeed {
  /** Announces changes of the studio until the returned function is called or the subscriber ends. */
  add(subscriber: PageSubscriber): () => void;
}

/**
 * Activity whose id is this much older than the newest is read again: its transaction may have committed after that of
 * a newer one, on another machine whose clock differs.
 */
const overlapMs = seconds(10);
/** Above this much new activity at once, or this many objects of a stream, pages read everything that they show. */
const maxReadActivities = 2_000;
const maxPendingObjects = 200;

interface Stream {
  subscriber: PageSubscriber;
  /** When the session expires; known after the first check. */
  expiresAt: number;
  /** By type and id, so that many changes of one object are announced once. */
  pending: Map<string, ChangedObject>;
  mayBeAnything: boolean;
}

/**
 * Announces the activity of a studio to the pages that are open in it. The activity is recorded in the transaction of
 * its change, so whatever was committed is announced, and nothing else. Access is checked again before anything is sent.
 */
export function createPageFeed(
  deps: Pick<Deps, "subscriptions" | "activity" | "sessions" | "clock">,
  log: Log,
): PageFeed {
  const streams = new Set<Stream>();
  const streamsByStudio = new Map<string, Set<Stream>>();
  /** The ids of activity that was announced and may be read again. */
  const announcedIds = new Set<string>();
  let newestTime = 0;
  let hasPending = false;
  let userIds = new Set<string>();
  const loop = createCheckLoop({
    deps,
    check,
    hasSignals: () => hasPending || userIds.size > 0,
    onPoll() {
      const now = deps.clock();
      for (const stream of streams) if (stream.expiresAt <= now) endStream(stream);
    },
    log,
    subject: "changes on pages",
  });

  function remove(stream: Stream): void {
    const { studioId } = stream.subscriber;
    const studioStreams = streamsByStudio.get(studioId);
    streams.delete(stream);
    studioStreams?.delete(stream);
    if (studioStreams?.size === 0) streamsByStudio.delete(studioId);
    if (streams.size > 0) return;
    loop.stop();
    announcedIds.clear();
    newestTime = 0;
  }

  function endStream(stream: Stream): void {
    remove(stream);
    stream.subscriber.end();
  }

  function note({ id, studioId, action, subjectId }: RecordedActivity): void {
    if (announcedIds.has(id)) return;
    announcedIds.add(id);
    newestTime = Math.max(newestTime, readIdNumbers(id).time);
    const type = action.slice(0, action.indexOf("."));
    for (const stream of streamsByStudio.get(studioId) ?? []) {
      stream.pending.set(`${type}:${subjectId}`, { type, id: subjectId });
      hasPending = true;
    }
  }

  async function check(mayBeAnything: boolean): Promise<void> {
    const currentUserIds = userIds;
    userIds = new Set();
    hasPending = false;
    if (mayBeAnything) await readActivity();
    const isAffected = ({ pending, mayBeAnything: isUnknown, subscriber }: Stream): boolean =>
      mayBeAnything || isUnknown || pending.size > 0 || currentUserIds.has(subscriber.userId);
    for (const batch of toBatches([...streams].filter(isAffected))) {
      await deliver(batch);
      await nextIteration();
    }
  }

  async function readActivity(): Promise<void> {
    const since = Math.min(newestTime || Infinity, deps.clock()) - overlapMs;
    for (const id of announcedIds) if (readIdNumbers(id).time < since) announcedIds.delete(id);
    const activities = await deps.activity.listSince(since, maxReadActivities);
    for (const activity of activities) note(activity);
    if (activities.length === maxReadActivities) for (const stream of streams) stream.mayBeAnything = true;
  }

  async function deliver(batch: readonly Stream[]): Promise<void> {
    const tokenHashes = [...new Set(batch.map(({ subscriber }) => subscriber.tokenHash))];
    const accessByToken = await deps.sessions.findAccess(tokenHashes, deps.clock());
    for (const stream of batch) {
      if (!streams.has(stream)) continue;
      const { subscriber, pending } = stream;
      const access = accessByToken.get(subscriber.tokenHash);
      if (!access?.studioIds.has(subscriber.studioId)) {
        endStream(stream);
        continue;
      }
      stream.expiresAt = access.expiresAt;
      if (stream.mayBeAnything || pending.size > maxPendingObjects) subscriber.announce(undefined);
      else if (pending.size > 0) subscriber.announce([...pending.values()]);
      stream.mayBeAnything = false;
      stream.pending = new Map();
    }
  }

  return {
    add(subscriber) {
      const stream: Stream = { subscriber, expiresAt: Infinity, pending: new Map(), mayBeAnything: false };
      const studioStreams = streamsByStudio.get(subscriber.studioId) ?? new Set();
      streamsByStudio.set(subscriber.studioId, studioStreams.add(stream));
      streams.add(stream);
      loop.start();
      userIds.add(subscriber.userId); // reads when the session expires
      loop.schedule();
      return () => remove(stream);
    },
    receive(change) {
      if (streams.size === 0) return;
      const [kind, id = "", studioId = "", action = "", subjectId = ""] = change.split(":");
      if (kind === "activity") note({ id, studioId, action, subjectId: subjectId || null });
      else if (kind === "user") userIds.add(id);
      if (hasPending || userIds.size > 0) loop.schedule();
    },
    hasStreams: () => streams.size > 0,
    setNotificationsReliable: loop.setNotificationsReliable,
  };
}
