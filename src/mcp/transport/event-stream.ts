import type { ServerResponse } from "node:http";

/** Keeps proxies from closing an idle stream. */
const keepAliveMs = 15_000;
/** A client that leaves this much unread is disconnected. */
const maxUnreadBytes = 64 * 1024;
/** How long a client may take to read the end of a stream. */
const endTimeoutMs = 10_000;

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
  let timer = setInterval(write, keepAliveMs, keepAlive);
  res.once("close", () => clearTimeout(timer));
  return {
    send: (json, event) => write(toEvent(json, event)),
    end(json) {
      clearInterval(timer);
      timer = setTimeout(() => res.destroy(), endTimeoutMs).unref();
      res.end(json === undefined ? undefined : toEvent(json));
    },
    onClose: (listener) => void res.once("close", listener),
  };
}
