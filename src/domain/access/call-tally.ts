import { days } from "#lib/clock.ts";
import type { Deps } from "../deps.ts";

/** How far back calls are counted. */
export const talliedDays = 30;

/** Days since 1970, UTC. */
export const dayOf = (ms: number): number => Math.floor(ms / days(1));

export interface CallTally {
  note(grantId: string): void;
  /** Writes down what was noted since the last time; what could not be written is kept for the next. */
  settle(): Promise<void>;
}

/** Counts the calls under each approval: in memory, so that no call waits for it, and settled from time to time. */
export function createCallTally(deps: Pick<Deps, "grants" | "clock">): CallTally {
  let noted = new Map<string, number>();
  const add = (grantId: string, calls: number) => void noted.set(grantId, (noted.get(grantId) ?? 0) + calls);
  return {
    note: (grantId) => add(grantId, 1),
    async settle() {
      const open = noted;
      noted = new Map();
      const day = dayOf(deps.clock());
      try {
        for (const [grantId, calls] of open) {
          await deps.grants.addCalls(grantId, day, calls);
          open.delete(grantId);
        }
      } finally {
        for (const [grantId, calls] of open) add(grantId, calls);
      }
    },
  };
}
