/** Limits how many operations run at once; the others wait in order. */
export interface Semaphore {
  /** Resolves with a function that releases the permit. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

export function createSemaphore(permits: number): Semaphore {
  let available = permits;
  const queue: { admit: () => void }[] = [];
  const releasePermit = () => {
    const next = queue.shift();
    if (next) next.admit();
    else available++;
  };
  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason as Error);
          return;
        }
        let isReleased = false;
        const release = () => {
          if (isReleased) return;
          isReleased = true;
          releasePermit();
        };
        if (available > 0) {
          available--;
          resolve(release);
          return;
        }
        const waiter = {
          admit: () => {
            signal.removeEventListener("abort", onAbort);
            resolve(release);
          },
        };
        const onAbort = () => {
          queue.splice(queue.indexOf(waiter), 1);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        queue.push(waiter);
      });
    },
  };
}
