import { days } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";

/** How far back calls are counted. */
export const callHistoryDays = 30;

/** Days since 1970, UTC. */
export const toDayNumber = (ms: number): number => Math.floor(ms / days(1));

export interface CallRecorder {
  record(grantId: string): void;
  /** Writes down what was noted since the last time; what could not be written is kept for the next. */
  flush(): Promise<void>;
}

/** Counts the calls under each approval: in memory, so that no call waits for it, and settled from time to time. */
export function createCallRecorder(deps: Pick<Deps, "grants" | "clock">): CallRecorder {
  let pendingCalls = new Map<string, number>();
  const add = (grantId: string, calls: number) =>
    void pendingCalls.set(grantId, (pendingCalls.get(grantId) ?? 0) + calls);
  return {
    record: (grantId) => add(grantId, 1),
    async flush() {
      const flushedCalls = pendingCalls;
      pendingCalls = new Map();
      const day = toDayNumber(deps.clock());
      try {
        for (const [grantId, calls] of flushedCalls) {
          await deps.grants.addCalls(grantId, day, calls);
          flushedCalls.delete(grantId);
        }
      } finally {
        for (const [grantId, calls] of flushedCalls) add(grantId, calls);
      }
    },
  };
}
