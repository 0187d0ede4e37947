import { RequestError } from "./client.ts";

export type Connection = "good" | "offline" | "lost";

/** Tries again what failed for a passing reason, for as long as it takes. */
export interface Patience {
  /** Repeats `work` until it succeeds, fails for good, or is called off. */
  until<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  connection(): Connection;
  /** What the server itself said of why it cannot right now. */
  reason(): string | undefined;
  destroy(): void;
}

const firstWaitMs = 1000;
const longestWaitMs = 20_000;

/** A network that was lost is waited for; when the browser says that it is back, everyone tries at once. */
export function createPatience(onChange: () => void): Patience {
  const waiting = new Set<() => void>();
  let failing = 0;
  let reason: string | undefined;
  const wake = () => {
    onChange();
    for (const go of waiting) go();
  };
  addEventListener("online", wake);
  addEventListener("offline", onChange);

  function wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(go);
        signal.removeEventListener("abort", stop);
      };
      const go = () => {
        end();
        resolve();
      };
      const stop = () => {
        end();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(go, ms);
      waiting.add(go);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  return {
    async until(work, signal) {
      let failed = false;
      const count = (now: boolean) => {
        if (failed === now) return;
        failed = now;
        failing += now ? 1 : -1;
        onChange();
      };
      try {
        for (let attempt = 0; ; attempt++) {
          signal.throwIfAborted();
          try {
            const result = await work();
            // Whoever waits for the same server need not wait any longer.
            if (failing > 0) for (const go of waiting) go();
            return result;
          } catch (error) {
            signal.throwIfAborted();
            if (!(error instanceof RequestError) || !error.passing) throw error;
            reason = error.code === "" ? undefined : error.message;
            count(error.status !== 429);
            const backOff =
              Math.min(firstWaitMs * 2 ** Math.min(attempt, 10), longestWaitMs) * (0.75 + Math.random() / 2);
            await wait(error.retryAfter === undefined ? backOff : error.retryAfter * 1000, signal);
          }
        }
      } finally {
        count(false);
      }
    },
    connection() {
      if (!navigator.onLine) return "offline";
      return failing > 0 ? "lost" : "good";
    },
    reason: () => (failing > 0 ? reason : undefined),
    destroy() {
      removeEventListener("online", wake);
      removeEventListener("offline", onChange);
    },
  };
}
