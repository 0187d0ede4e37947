import type { Database } from "#db/database.ts";
import { listenForNotifications, type NotificationListener } from "#db/notifications.ts";
import type { NotifiedFeed } from "#domain/subscriptions/check-loop.ts";
import { seconds } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";

/** The payload of a notification that tests whether notifications arrive. */
const probeChange = "probe";

export interface ChangeNotificationOptions {
  url: string;
  /** Sends probes, on connections other than the one that listens. */
  database: Pick<Database, "notify">;
  feeds: readonly NotifiedFeed[];
  wakeWorker: () => void;
  /** Called when activity was recorded. */
  wakeFanOut: () => void;
  log: Log;
  probeIntervalMs?: number;
}

/**
 * Passes notifications of the database to the worker and the feeds. The feeds rely on them only while probes arrive: a
 * pooler may accept LISTEN without effect, and a firewall may drop an idle connection without closing it.
 */
export function listenForChanges(options: ChangeNotificationOptions): NotificationListener {
  const { url, database, feeds, wakeWorker, wakeFanOut, log, probeIntervalMs = seconds(5) } = options;
  let areNotificationsReliable = false;
  let isProbePending = false;

  const setReliable = (areReliable: boolean): void => {
    isProbePending = false;
    if (areReliable === areNotificationsReliable) return;
    areNotificationsReliable = areReliable;
    for (const feed of feeds) feed.setNotificationsReliable(areReliable);
  };
  const sendProbe = (): void => {
    isProbePending = true;
    // A probe that could not be sent says nothing about the connection that listens.
    database.notify("changes", probeChange).catch(() => (isProbePending = false));
  };

  const listener = listenForNotifications({
    url,
    handlers: {
      publications_due: wakeWorker,
      changes(change) {
        if (change === undefined) sendProbe(); // connected
        else if (change === probeChange) setReliable(true);
        else {
          if (change.startsWith("activity:")) wakeFanOut();
          for (const feed of feeds) feed.receive(change);
        }
      },
    },
    onDisconnect: () => setReliable(false),
    log,
  });
  const timer = setInterval(() => {
    if (feeds.every((feed) => !feed.hasStreams())) return;
    if (!isProbePending) return sendProbe();
    // Behind a pooler, no probe ever arrives, and another connection would not change that.
    if (!areNotificationsReliable) return;
    log.warn("database notifications no longer arrive; reconnecting");
    setReliable(false);
    listener.reconnect();
  }, probeIntervalMs).unref();

  return {
    ...listener,
    close() {
      clearInterval(timer);
      return listener.close();
    },
  };
}
