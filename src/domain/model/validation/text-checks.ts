import { setImmediate as nextIteration } from "node:timers/promises";
import { createFairLine } from "#lib/fair-line.ts";
import type { TextCheck } from "./find-text-problems.ts";

/** Remembers checks of long texts, which take milliseconds each. */
export interface TextChecks {
  /** `key` identifies the text, in its revision, and the limits. */
  find(key: string, check: () => TextCheck): Promise<TextCheck>;
}

const maxEntries = 10_000;

/**
 * Checks one text per iteration of the event loop, so that other requests do not wait for a post with many. Users take
 * turns, so that the texts of one do not wait for all texts of another.
 */
export function createTextChecks(): TextChecks {
  const checks = new Map<string, Promise<TextCheck>>();
  const waiting = createFairLine<() => void>();
  let isRunning = false;

  async function runWaiting(): Promise<void> {
    isRunning = true;
    for (;;) {
      await nextIteration();
      const startCheck = waiting.take();
      if (!startCheck) break;
      startCheck();
    }
    isRunning = false;
  }

  return {
    find(key, check) {
      const previousCheck = checks.get(key);
      if (previousCheck) return previousCheck;
      const newCheck = new Promise<void>((resolve) => void waiting.add(resolve)).then(check);
      if (!isRunning) void runWaiting();
      checks.set(key, newCheck);
      const [oldestKey] = checks.keys();
      if (checks.size > maxEntries && oldestKey !== undefined) checks.delete(oldestKey);
      return newCheck;
    },
  };
}
