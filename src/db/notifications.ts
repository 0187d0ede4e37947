import pg from "pg";
import { seconds } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import type { Channel } from "./database.ts";

const connectTimeoutMs = 2000;
/** At startup, other work blocks the event loop while the first connection is established. */
const firstConnectTimeoutMs = seconds(10);
/** The default of operating systems is hours, but firewalls drop idle connections after minutes. */
const keepAliveDelayMs = seconds(10);
const backoff = { minMs: 250, maxMs: 30_000 } as const;

/** The type definitions of `pg` lack this method. */
type UnrefableClient = pg.Client & { unref(): void };

export interface NotificationListener {
  /** Replaces a connection that no longer responds. */
  reconnect(): void;
  close(): Promise<void>;
}

interface ListenOptions {
  /** Must not lead to a transaction pooler, because LISTEN has no effect there. */
  url: string;
  /**
   * Called with the payload of each notification. Also called without a payload after each connect, because
   * notifications may have been missed while there was no connection.
   */
  handlers: Partial<Record<Channel, (payload?: string) => void>>;
  /** Called when the connection is lost. Notifications are missed until the next connect. */
  onDisconnect?: () => void;
  log: Log;
}

/**
 * Listens for notifications of other processes on a separate connection, and reconnects when that connection is lost.
 * Notifications only save time: callers also poll. Does not keep the process alive.
 */
export function listenForNotifications({ url, handlers, onDisconnect, log }: ListenOptions): NotificationListener {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failureCount = 0;
  let isFirstAttempt = true;
  let isConnecting = false;
  let isClosed = false;

  async function connect(): Promise<void> {
    const timeoutMs = isFirstAttempt ? firstConnectTimeoutMs : connectTimeoutMs;
    isFirstAttempt = false;
    isConnecting = true;
    const newClient = new pg.Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      application_name: "atelier listener",
    }) as UnrefableClient;
    client = newClient;
    newClient.on("error", () => {}); // the event `end` follows, and its listener reconnects
    newClient.on("notification", ({ channel, payload = "" }) => handlers[channel as Channel]?.(payload));
    newClient.unref();
    try {
      await newClient.connect();
      newClient.unref(); // again, because TLS replaces the socket
      for (const channel of Object.keys(handlers))
        await newClient.query(`LISTEN ${newClient.escapeIdentifier(channel)}`);
    } catch (error) {
      void newClient.end().catch(() => {});
      if (failureCount === 0 && !isClosed)
        log.warn(
          { reason: error instanceof Error ? error.message : String(error) },
          "cannot listen for database notifications; polling continues, will retry",
        );
      failureCount++;
      reconnectLater();
      return;
    } finally {
      isConnecting = false;
    }
    newClient.once("end", () => {
      onDisconnect?.();
      reconnectLater();
    });
    if (failureCount > 0) log.info("listening for database notifications again");
    failureCount = 0;
    for (const handle of Object.values(handlers)) handle();
  }

  function reconnectLater(): void {
    if (isClosed) return;
    const delayMs = Math.min(backoff.minMs * 2 ** failureCount, backoff.maxMs);
    // Jitter: if the database restarts, all processes lose their connections at the same time.
    timer = setTimeout(() => void (connecting = connect()), delayMs * (0.5 + Math.random() / 2)).unref();
  }

  let connecting = connect();
  return {
    // `end` would wait until the server responds.
    reconnect: () => void client?.connection.stream.destroy(),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      if (isConnecting) client?.connection.stream.destroy(); // a server that does not respond would delay the shutdown
      await connecting;
      await client?.end().catch(() => {});
    },
  };
}
