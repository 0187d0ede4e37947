import pg from "pg";
import type { Log } from "#lib/log.ts";
import type { Channel } from "./client.ts";

const connectTimeoutMs = 2000;
const backoff = { minMs: 250, maxMs: 30_000 } as const;

/** The type definitions lack this method. */
type UnrefableClient = pg.Client & { unref(): void };

export interface NotificationListener {
  close(): Promise<void>;
}

interface ListenOptions {
  /** A session connection: behind a transaction pooler, LISTEN has no effect. */
  url: string;
  channel: Channel;
  /** Called for each notification, and after each connect, because notifications may have been missed before. */
  onNotification: () => void;
  log: Log;
}

/**
 * Listens for notifications of other processes on a connection of its own, and reconnects when that is lost.
 * Notifications only save time: callers also poll. Does not keep the process alive.
 */
export function listenForNotifications({ url, channel, onNotification, log }: ListenOptions): NotificationListener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  async function connect(): Promise<void> {
    const newClient = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
      application_name: "atelier listener",
    }) as UnrefableClient;
    client = newClient;
    newClient.on("error", () => {}); // followed by `end`
    newClient.on("notification", onNotification);
    newClient.unref();
    try {
      await newClient.connect();
      newClient.unref(); // again, because TLS replaces the socket
      await newClient.query(`LISTEN ${newClient.escapeIdentifier(channel)}`);
    } catch (error) {
      void newClient.end().catch(() => {});
      if (failures === 0 && !isClosed)
        log.warn(
          { reason: error instanceof Error ? error.message : String(error) },
          "cannot listen for database notifications; polling continues, will retry",
        );
      failures++;
      reconnectLater();
      return;
    }
    newClient.once("end", reconnectLater);
    if (failures > 0) log.info("listening for database notifications again");
    failures = 0;
    onNotification();
  }

  function reconnectLater(): void {
    if (isClosed) return;
    const delayMs = Math.min(backoff.minMs * 2 ** failures, backoff.maxMs);
    // Jitter: all processes lose their connections at the same time.
    timer = setTimeout(() => void (connecting = connect()), delayMs * (0.5 + Math.random() / 2)).unref();
  }

  let connecting = connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
