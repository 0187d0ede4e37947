import { RequestError } from "./client.ts";

export type ConnectionState = "good" | "offline" | "lost";

export interface Retrier {
  /** Retries `operation` until it succeeds, fails permanently or is aborted. */
  run<T>(operation: () => Promise<T>, signal: AbortSignal): Promise<T>;
  getConnection(): ConnectionState;
  /** The server's message why it can't serve requests now. Undefined if it sent none, or if no retry is waiting. */
  getReason(): string | undefined;
  destroy(): void;
}

const initialDelayMs = 1000;
const maxDelayMs = 20_000;
/** The delay while the browser is offline. A retry costs as much as sending a part, and slows the page down. */
const offlineDelayMs = 60_000;

/** Retries transient failures without a limit. When the browser reports that it is online, all waiting retries run. */
export function createRetrier(onChange: () => void): Retrier {
  const waitingRetries = new Set<() => void>();
  let failingCount = 0;
  let reason: string | undefined;
  const resumeAll = () => {
    onChange();
    for (const resume of waitingRetries) resume();
  };
  addEventListener("online", resumeAll);
  addEventListener("offline", onChange);

  /** Resolves to true if the wait ended early, because the connection may be back. */
  function waitForRetry(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const cleanUp = () => {
        clearTimeout(timer);
        waitingRetries.delete(resume);
        signal.removeEventListener("abort", onAbort);
      };
      const resume = (isEarly = true) => {
        cleanUp();
        resolve(isEarly);
      };
      const onAbort = () => {
        cleanUp();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => resume(false), ms);
      waitingRetries.add(resume);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  return {
    async run(operation, signal) {
      let isFailing = false;
      const setFailing = (next: boolean) => {
        if (isFailing === next) return;
        isFailing = next;
        failingCount += next ? 1 : -1;
        onChange();
      };
      try {
        for (let attempt = 0; ; attempt++) {
          signal.throwIfAborted();
          try {
            const result = await operation();
            // The server responds again, so the other waiting retries run now.
            if (failingCount > 0) for (const resume of waitingRetries) resume();
            return result;
          } catch (error) {
            signal.throwIfAborted();
            if (!(error instanceof RequestError) || !error.isTransient) throw error;
            reason = error.code === "" ? undefined : error.message;
            // A rate limit does not mean that the connection is lost.
            setFailing(error.status !== 429);
            const delayMs = navigator.onLine
              ? Math.min(initialDelayMs * 2 ** Math.min(attempt, 10), maxDelayMs)
              : offlineDelayMs;
            const isEarly = await waitForRetry(
              error.retryAfterSeconds === undefined
                ? delayMs * (0.75 + Math.random() / 2)
                : error.retryAfterSeconds * 1000,
              signal,
            );
            if (isEarly) attempt = -1;
          }
        }
      } finally {
        setFailing(false);
      }
    },
    getConnection() {
      if (!navigator.onLine) return "offline";
      return failingCount > 0 ? "lost" : "good";
    },
    getReason: () => (failingCount > 0 ? reason : undefined),
    destroy() {
      removeEventListener("online", resumeAll);
      removeEventListener("offline", onChange);
    },
  };
}
