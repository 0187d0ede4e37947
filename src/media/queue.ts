/**
 * Runs at most `atOnce` of the works it is given; the others wait their turn. One whose turn does not come within
 * `patienceMs` is given up, and nothing of it is kept.
 */
export function createQueue(atOnce: number, patienceMs?: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting = new Set<() => void>();
  let running = 0;

  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.delete(begin);
        reject(new Error("the turn did not come in time"));
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      const begin = (): void => {
        waiting.delete(begin);
        clearTimeout(timer);
        resolve();
      };
      waiting.add(begin);
    });

  return async (work) => {
    if (running >= atOnce) await turn();
    else running++;
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) next();
      else running--;
    }
  };
}
