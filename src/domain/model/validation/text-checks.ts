import { setImmediate as nextIteration } from "node:timers/promises";
import type { TextCheck } from "./find-text-problems.ts";

/** Remembers checks of long texts, which take milliseconds each. */
export interface TextChecks {
  /** `key` identifies the text, in its revision, and the limits. */
  find(key: string, check: () => TextCheck): Promise<TextCheck>;
}

const maxEntries = 10_000;

/** Checks one text per iteration of the event loop, so that other requests do not wait for a post with many. */
export function createTextChecks(): TextChecks {
  const checks = new Map<string, Promise<TextCheck>>();
  let lastTurn: Promise<unknown> = Promise.resolve();
  return {
    find(key, check) {
      const previousCheck = checks.get(key);
      if (previousCheck) return previousCheck;
      const newCheck = (lastTurn = lastTurn.then(() => nextIteration())).then(check);
      checks.set(key, newCheck);
      const [oldestKey] = checks.keys();
      if (checks.size > maxEntries && oldestKey !== undefined) checks.delete(oldestKey);
      return newCheck;
    },
  };
}
