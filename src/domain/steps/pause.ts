import { setImmediate as nextIteration } from "node:timers/promises";

/**
 * Returns a function to call before each part of a long computation, with the amount of its work. It waits for the next
 * iteration of the event loop whenever the work since the last one would exceed the limit.
 */
export function createPause(workPerIteration: number): (work: number) => Promise<void> {
  let doneWork = 0;
  return async (work) => {
    if (doneWork > 0 && doneWork + work > workPerIteration) {
      await nextIteration();
      doneWork = 0;
    }
    doneWork += work;
  };
}
