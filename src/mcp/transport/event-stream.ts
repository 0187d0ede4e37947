import type { ServerResponse } from "node:http";

/** How often a stream sends something, which keeps proxies from closing it. */
const keepAliveSeconds = 15;
/** A client that leaves this much unread is disconnected. */
const maxUnreadBytes = 64 * 1024;
/** How long a client may take to read the end of a stream. */
const endTimeoutMs = 10_000;

/**
 * The streams by the second in which they are kept alive. One timer for all needs a fifth of the CPU of one timer per
 * stream, and the groups keep each turn of the event loop short.
 */
const keepAliveGroups = Array.from({ length: keepAliveSeconds }, () => new Set<() => void>());
let nextGroup = 0;
let currentGroup = 0;
setInterval(() => {
  currentGroup = (currentGroup + 1) % keepAliveSeconds;
  for (const keepAlive of keepAliveGroups[currentGroup] ?? []) keepAlive();
}, 1000).unref();

/** Calls the function regularly, until the returned function is called. */
function joinKeepAliveGroup(keepAlive: () => void): () => void {
  const group = keepAliveGroups[nextGroup++ % keepAliveSeconds];
  group?.add(keepAlive);
  return () => group?.delete(keepAlive);
}

/** A response of server-sent events. */
export interface EventStream {
  send(json: string, event?: string): void;
  /** Sends the last message, if there is one, and ends the response. */
  end(json?: string): void;
  /** Calls the listener once the connection has closed, at once if it closed before the stream was opened. */
  onClose(listener: () => void): void;
}

const toEvent = (json: string, event = "message"): string => `event: ${event}\ndata: ${json}\n\n`;

export interface EventStreamOptions {
  headers?: Readonly<Record<string, string>> | undefined;
  /** An event that is sent to keep the stream open, for clients that cannot see comments. */
  heartbeat?: string;
}

export function openEventStream(res: ServerResponse, { headers, heartbeat }: EventStreamOptions = {}): EventStream {
  if (res.destroyed) return { send: () => {}, end: () => {}, onClose: (listener) => listener() };
  res.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  res.flushHeaders();
  const write = (text: string): void => {
    if (res.destroyed || res.writableEnded) return;
    if (res.writableLength > maxUnreadBytes) res.destroy();
    else res.write(text);
  };
  const keepAlive = heartbeat === undefined ? ": keepalive\n\n" : toEvent("{}", heartbeat);
  const leaveKeepAliveGroup = joinKeepAliveGroup(() => write(keepAlive));
  let endTimer: NodeJS.Timeout | undefined;
  res.once("close", () => {
    leaveKeepAliveGroup();
    clearTimeout(endTimer);
  });
  return {
    send: (json, event) => write(toEvent(json, event)),
    end(json) {
      leaveKeepAliveGroup();
      endTimer = setTimeout(() => res.destroy(), endTimeoutMs).unref();
      res.end(json === undefined ? undefined : toEvent(json));
    },
    onClose: (listener) => void res.once("close", listener),
  };
}
