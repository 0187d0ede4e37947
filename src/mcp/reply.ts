import type { ServerResponse } from "node:http";
import { send, type Headers } from "./answer.ts";

/** So that no proxy takes a silent stream for a dead one. */
const keepAliveMs = 15_000;

/** Where an answer goes: one JSON text, or, once something was sent ahead of it, an event stream. */
export interface Reply {
  setHeader(name: string, value: string): void;
  /** Sends a message ahead of the answer. */
  event(json: string): void;
  /** The last message. */
  end(status: number, json: string): void;
  /** Calls back once, if the client leaves before the end. The last that was given counts. */
  onGone(gone: () => void): void;
}

export function httpReply(res: ServerResponse): Reply {
  let headers: Headers | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  let whenGone: (() => void) | undefined;
  const begin = (): void => {
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
    event(json) {
      begin();
      if (!res.destroyed) res.write(`event: message\ndata: ${json}\n\n`);
    },
    end(status, json) {
      if (keepAlive === undefined) return send(res, status, "application/json", json, headers);
      clearInterval(keepAlive);
      res.end(`event: message\ndata: ${json}\n\n`);
    },
    onGone(gone) {
      if (whenGone === undefined) res.once("close", () => !res.writableFinished && whenGone?.());
      whenGone = gone;
    },
  };
}

/** The place of one answer among those of a batch. Nothing is sent ahead of it. */
export function batchReply(answers: string[], whole: Reply): Reply {
  return {
    setHeader: () => {},
    event: () => {},
    end: (_, json) => void answers.push(json),
    onGone: (gone) => whole.onGone(gone),
  };
}
