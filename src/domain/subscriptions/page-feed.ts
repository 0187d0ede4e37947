import { setImmediate as nextIteration } from "node:timers/promises";
import { seconds } from "#lib/clock.ts";
import { readIdNumbers, toFirstId } from "#lib/ids.ts";
import type { Log } from "#lib/log.ts";
import type { SessionAccess } from "../ports/access.ts";
import type { RecordedActivity } from "../ports/activity.ts";
import type { Deps } from "../ports/deps.ts";
import { createCheckLoop, toBatches, type NotifiedFeed, type StreamSubscriber } from "./check-loop.ts";

/** An object that changed. `type` is the first part of the activity's action. */
export interface ChangedObject {
  type: string;
  id: string | null;
}

/** An open event stream of a browser. */
export interface PageSubscriber extends StreamSubscriber {
  /** Undefined if anything in the studio may have changed. */
  announce(objects: readonly ChangedObject[] | undefined): void;
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
const activityPageSize = 500;
/** Above this many changed objects at once, pages read everything that they show. */
const maxPendingObjects = 200;

interface Stream {
  subscriber: PageSubscriber;
  /** By type and id, so that many changes of one object are announced once. */
  pending: Map<string, ChangedObject>;
}

/**
 * Announces the activity of a studio to the pages that are open in it. The activity is recorded in the transaction of
 * its change, so whatever was committed is announced, and nothing else. Access is checked again before anything is sent.
 */
export function createPageFeed(
  deps: Pick<Deps, "subscriptions" | "activity" | "notifications" | "sessions" | "clock">,
  log: Log,
): PageFeed {
  const streamsByStudio = new Map<string, Set<Stream>>();
  /** The ids of activity that was announced and may be read again. */
  const announcedIds = new Set<string>();
  /** The time of the newest activity that was announced; at first, when the first stream was opened. */
  let newestTime = 0;
  let hasNewActivity = false;
  /** What was announced of the notifications of each user who has a stream. */
  const notificationVersions = new Map<string, string>();
  const loop = createCheckLoop<Stream, SessionAccess>({
    deps,
    async readChanges(mayBeAnything) {
      hasNewActivity = false;
      if (!mayBeAnything) return;
      await readActivity();
      await readNotificationVersions();
    },
    hasSignals: () => hasNewActivity,
    hasPending: ({ pending }) => pending.size > 0,
    findAccess: (tokenHashes, now) => deps.sessions.findAccess(tokenHashes, now),
    hasAccess: ({ studioId }, { studioIds }) => studioIds.has(studioId),
    deliver(stream) {
      const { subscriber, pending } = stream;
      if (pending.size > maxPendingObjects) subscriber.announce(undefined);
      else if (pending.size > 0) subscriber.announce([...pending.values()]);
      stream.pending = new Map();
    },
    onRemove(stream) {
      const { studioId } = stream.subscriber;
      const studioStreams = streamsByStudio.get(studioId);
      studioStreams?.delete(stream);
      if (studioStreams?.size === 0) streamsByStudio.delete(studioId);
      if (!loop.hasStreams()) announcedIds.clear();
    },
    log,
    subject: "changes on pages",
  });

  function note({ id, studioId, action, subjectId }: RecordedActivity): void {
    if (announcedIds.has(id)) return;
    announcedIds.add(id);
    newestTime = Math.max(newestTime, readIdNumbers(id).time);
    const type = action.slice(0, action.indexOf("."));
    for (const stream of streamsByStudio.get(studioId) ?? []) {
      stream.pending.set(`${type}:${subjectId}`, { type, id: subjectId });
      hasNewActivity = true;
    }
  }

  function noteNotifications(userIds: readonly string[]): void {
    for (const stream of loop.streams.keys()) {
      if (!userIds.includes(stream.subscriber.userId)) continue;
      stream.pending.set("notification", { type: "notification", id: null });
      hasNewActivity = true;
    }
  }

  async function readNotificationVersions(): Promise<void> {
    const userIds = new Set([...loop.streams.keys()].map(({ subscriber }) => subscriber.userId));
    for (const userId of notificationVersions.keys()) if (!userIds.has(userId)) notificationVersions.delete(userId);
    for (const batch of toBatches([...userIds])) {
      const versions = await deps.notifications.findVersions(batch);
      const changedUserIds = batch.filter((userId) => notificationVersions.get(userId) !== versions.get(userId));
      for (const [userId, version] of versions) notificationVersions.set(userId, version);
      noteNotifications(changedUserIds);
    }
  }

  async function readActivity(): Promise<void> {
    const since = Math.min(newestTime, deps.clock()) - overlapMs;
    for (const id of announcedIds) if (readIdNumbers(id).time < since) announcedIds.delete(id);
    let afterId = toFirstId("activity", since);
    for (let isLastPage = false; !isLastPage; await nextIteration()) {
      const activities = await deps.activity.listAfter(afterId, activityPageSize);
      for (const activity of activities) note(activity);
      afterId = activities.at(-1)?.id ?? afterId;
      isLastPage = activities.length < activityPageSize;
    }
  }

  return {
    ...loop,
    add(subscriber) {
      if (!loop.hasStreams()) newestTime = deps.clock();
      const stream: Stream = { subscriber, pending: new Map() };
      const studioStreams = streamsByStudio.get(subscriber.studioId) ?? new Set();
      streamsByStudio.set(subscriber.studioId, studioStreams.add(stream));
      return loop.add(stream);
    },
    receive(change) {
      if (!loop.hasStreams()) return;
      const [kind, id = "", studioId = "", action = "", subjectId = ""] = change.split(":");
      if (kind === "user") loop.signalUser(id);
      else if (kind === "notification") noteNotifications(id.split(","));
      else if (kind === "activity") note({ id, studioId, action, subjectId: subjectId || null });
      if (hasNewActivity) loop.schedule();
    },
  };
}
