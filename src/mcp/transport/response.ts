import type { IncomingMessage, ServerResponse } from "node:http";
import type { Rejection } from "../protocol/messages.ts";

/** A body up to this size is read to its end and thrown away, so that the connection can serve the next request. */
const smallBodyBytes = 64 * 1024;
/** How long a client that is still sending is listened to after its refusal, so that it gets to read it. */
const lingerMs = 1000;

export type ResponseHeaders = Record<string, string>;

/** Answers with a text that is whole. What the edge has set on `res` before goes out with it. */
function sendText(res: ServerResponse, status: number, type: string, text: string, headers?: ResponseHeaders): void {
  if (res.headersSent || res.destroyed) return void res.end();
  res.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...headers,
  });
  res.end(text);
}

/** Answers a request whose body was not read to its end. */
export function respondEarly(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: ResponseHeaders = {},
): void {
  if (res.headersSent || res.destroyed) return void res.end();
  const length = Number(
    req.headers["content-length"] ?? (req.headers["transfer-encoding"] === undefined ? 0 : Infinity),
  );
  // Whoever asks before sending, and is told no, sends nothing; Node then closes the connection.
  const isAwaitingContinue = req.headers.expect !== undefined && !req.readableDidRead;
  if (isAwaitingContinue || req.complete || length <= smallBodyBytes) return sendText(res, status, type, text, headers);
  // Closing at once would reset the connection under a client that has not read the answer yet.
  res.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    ...headers,
    connection: "close",
  });
  res.write(text);
  const close = (): void => {
    clearTimeout(timer);
    res.end();
    req.destroy();
  };
  const timer = setTimeout(close, lingerMs);
  req.once("end", close).once("close", close).resume();
}

export function toErrorJson({ code, message, data, id }: Rejection): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

/** So that no proxy takes a silent stream for a dead one. */
const keepAliveMs = 15_000;

/** Where an answer goes: one JSON text, or, once something was sent ahead of it, an event stream. */
export interface ResponseWriter {
  setHeader(name: string, value: string): void;
  /** Sends a message ahead of the answer. */
  sendEvent(json: string): void;
  /** The last message. */
  end(status: number, json: string): void;
  /** Calls back once, if the client leaves before the end. The last that was given counts. */
  onDisconnect(handler: () => void): void;
}

export function createHttpWriter(res: ServerResponse): ResponseWriter {
  let headers: ResponseHeaders | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  let disconnectHandler: (() => void) | undefined;
  const startStream = (): void => {
    if (keepAlive !== undefined || res.destroyed) return;
    res.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    keepAlive = setInterval(() => res.write(": keepalive\n\n"), keepAliveMs);
    res.once("close", () => clearInterval(keepAlive));
  };
  return {
    setHeader(name, value) {
      (headers ??= {})[name] = value;
    },
    sendEvent(json) {
      startStream();
      if (!res.destroyed) res.write(`event: message\ndata: ${json}\n\n`);
    },
    end(status, json) {
      if (keepAlive === undefined) return sendText(res, status, "application/json", json, headers);
      clearInterval(keepAlive);
      res.end(`event: message\ndata: ${json}\n\n`);
    },
    onDisconnect(handler) {
      if (disconnectHandler === undefined) res.once("close", () => !res.writableFinished && disconnectHandler?.());
      disconnectHandler = handler;
    },
  };
}

/** The place of one answer among those of a batch. Nothing is sent ahead of it. */
export function createBatchWriter(responses: string[], parent: ResponseWriter): ResponseWriter {
  return {
    setHeader: () => {},
    sendEvent: () => {},
    end: (_, json) => void responses.push(json),
    onDisconnect: (handler) => parent.onDisconnect(handler),
  };
}
