import type { ServerResponse } from "node:http";
import { sendText, type ResponseHeaders } from "./answer.ts";

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
