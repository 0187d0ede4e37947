import type { IncomingMessage } from "node:http";

const checkIntervalMs = 1000;

export interface BodyDeadlines {
  /** Closes the connection if the body has not arrived in time. `startedAt` is a time of `performance.now()`. */
  add(req: IncomingMessage, startedAt: number): void;
  delete(req: IncomingMessage): void;
}

/** Shares one timer, because a timer for each request would take as much CPU as routing it. */
export function createBodyDeadlines(timeoutMs: number): BodyDeadlines {
  /** In the order of their deadlines. */
  const startTimeByRequest = new Map<IncomingMessage, number>();
  let timer: NodeJS.Timeout | undefined;

  function closeOverdue(): void {
    const latestOverdueStart = performance.now() - timeoutMs;
    for (const [req, startedAt] of startTimeByRequest) {
      if (startedAt > latestOverdueStart) break;
      startTimeByRequest.delete(req);
      if (!req.complete) req.destroy();
    }
    timer = startTimeByRequest.size === 0 ? undefined : setTimeout(closeOverdue, checkIntervalMs).unref();
  }

  return {
    add(req, startedAt) {
      const { "transfer-encoding": encoding, "content-length": length = "0" } = req.headers;
      if (encoding === undefined && length === "0") return;
      startTimeByRequest.set(req, startedAt);
      timer ??= setTimeout(closeOverdue, checkIntervalMs).unref();
    },
    delete: (req) => void startTimeByRequest.delete(req),
  };
}
