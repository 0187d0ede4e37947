import { createFairLine } from "#lib/fair-line.ts";
import { createPoolTimeoutError } from "./postgres-errors.ts";

/** Waits for a free slot, and returns a function that frees it. Rejects after the timeout, if there is one. */
export type AcquireSlot = () => Promise<() => void>;

/** Limits connections in use. Unlike in the queues of the pool and of Kysely, owners that wait take turns. */
export function createConnectionSlots(count: number, timeoutMs?: number): AcquireSlot {
  const waiting = createFairLine<() => void>();
  let freeCount = count;
  const release = (): void => {
    const start = waiting.take();
    if (start) start();
    else freeCount++;
  };
  return async () => {
    if (freeCount > 0) freeCount--;
    else
      await new Promise<void>((resolve, reject) => {
        const remove = waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
        const fail = (): void => {
          remove();
          reject(createPoolTimeoutError());
        };
        const timer = timeoutMs === undefined ? undefined : setTimeout(fail, timeoutMs);
      });
    return release;
  };
}
