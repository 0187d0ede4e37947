import type { IncomingMessage, ServerResponse } from "node:http";
import { sendEarlyResponse } from "#lib/request-body.ts";
import type { Rejection } from "../protocol/messages.ts";

/** Unread bodies up to this size are discarded, so that the connection can be reused. */
const smallBodyBytes = 64 * 1024;

export type ResponseHeaders = Record<string, string>;

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

/** Responds before the request body has been read completely. */
export function respondEarly(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  type: string,
  text: string,
  headers: ResponseHeaders = {},
): void {
  if (res.headersSent || res.destroyed) return void res.end();
  const allHeaders = { "content-type": type, "cache-control": "no-store", ...headers };
  sendEarlyResponse(req, res, { status, headers: allHeaders, text }, smallBodyBytes);
}

export function toErrorJson({ code, message, data, id }: Rejection): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

/** Keeps proxies from closing an idle stream. */
const keepAliveMs = 15_000;

/** Writes one JSON response, or an event stream if a message is sent before the result. */
export interface ResponseWriter {
  setHeader(name: string, value: string): void;
  /** Sends a message before the result. */
  sendEvent(json: string): void;
  /** Sends the last message and ends the response. */
  end(status: number, json: string): void;
  /** Sets the handler for a client that disconnects before the end; replaces any earlier one. */
  onDisconnect(handler: () => void): void;
}

export function createHttpWriter(res: ServerResponse): ResponseWriter {
  let headers: ResponseHeaders | undefined;
  let keepAliveTimer: NodeJS.Timeout | undefined;
  let disconnectHandler: (() => void) | undefined;
  const startStream = (): void => {
    if (keepAliveTimer !== undefined || res.destroyed) return;
    res.writeHead(200, {
      ...headers,
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    keepAliveTimer = setInterval(() => res.write(": keepalive\n\n"), keepAliveMs);
    res.once("close", () => clearInterval(keepAliveTimer));
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
      if (keepAliveTimer === undefined) return sendText(res, status, "application/json", json, headers);
      clearInterval(keepAliveTimer);
      res.end(`event: message\ndata: ${json}\n\n`);
    },
    onDisconnect(handler) {
      if (disconnectHandler === undefined) res.once("close", () => !res.writableFinished && disconnectHandler?.());
      disconnectHandler = handler;
    },
  };
}

/** Collects the responses of a batch; messages before a result are dropped. */
export function createBatchWriter(responses: string[], parent: ResponseWriter): ResponseWriter {
  return {
    setHeader: () => {},
    sendEvent: () => {},
    end: (_, json) => void responses.push(json),
    onDisconnect: (handler) => parent.onDisconnect(handler),
  };
}
