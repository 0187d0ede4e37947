import { toDayNumber } from "../model/grant.ts";
import type { Deps } from "../ports/deps.ts";

export interface CallRecorder {
  record(grantId: string): void;
  /** Writes the counts since the last flush. Counts that could not be written stay pending. */
  flush(): Promise<void>;
}

/** Counts the calls of each grant in memory, so that no call waits for the database; a background job flushes them. */
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
