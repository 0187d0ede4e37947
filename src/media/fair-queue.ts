import type { ImageRequest } from "#domain/renditions/ports.ts";

type Requester = Pick<ImageRequest, "studioId" | "isUrgent" | "signal">;

interface Waiter {
  /** Grows while the task waits, if others need the same result. Never empty. */
  requesters: readonly Requester[];
  start: () => void;
  drop: () => void;
}

/** The result of a task, or undefined if it was dropped before it started. */
export type RunInQueue = <T>(
  requesters: readonly Requester[],
  work: () => Promise<T>,
) => Promise<{ value: T } | undefined>;

/**
 * Runs at most `concurrency` tasks at a time. Urgent tasks come first, then those of the studio that has the fewest
 * running, so no studio can hold the queue. A task is dropped if all of its requesters have gone, or if its studio has
 * too many that are not urgent.
 */
export function createFairQueue(concurrency: number, maxWaitingPerStudio: number): RunInQueue {
  const waiters: Waiter[] = [];
  const runningByStudio = new Map<string, number>();
  let runningCount = 0;

  const countRunning = (studioId: string): number => runningByStudio.get(studioId) ?? 0;
  const compare = (a: Waiter, b: Waiter): number =>
    Number(isUrgent(b)) - Number(isUrgent(a)) || countRunning(getStudioId(a)) - countRunning(getStudioId(b));

  function dropAbandoned(): void {
    const abandonedWaiters = waiters.filter((waiter) => !isWanted(waiter));
    for (const waiter of abandonedWaiters) {
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.drop();
    }
  }

  function startNext(): void {
    dropAbandoned();
    // Sorting is stable: what is equal starts in the order of arrival.
    const [next] = waiters.toSorted(compare);
    if (!next || runningCount >= concurrency) return;
    waiters.splice(waiters.indexOf(next), 1);
    count(getStudioId(next), 1);
    next.start();
  }

  function count(studioId: string, change: 1 | -1): void {
    runningCount += change;
    const studioCount = countRunning(studioId) + change;
    if (studioCount === 0) runningByStudio.delete(studioId);
    else runningByStudio.set(studioId, studioCount);
  }

  return async (requesters, work) => {
    const hasStarted = await new Promise<boolean>((resolve) => {
      const waiter = { requesters, start: () => resolve(true), drop: () => resolve(false) };
      dropAbandoned();
      const studioId = getStudioId(waiter);
      const waitingCount = waiters.filter((other) => getStudioId(other) === studioId && !isUrgent(other)).length;
      if (!isUrgent(waiter) && waitingCount >= maxWaitingPerStudio) return waiter.drop();
      waiters.push(waiter);
      startNext();
    });
    if (!hasStarted) return undefined;
    try {
      return { value: await work() };
    } finally {
      count(getStudioId({ requesters }), -1);
      startNext();
    }
  };
}

const isWanted = ({ requesters }: Pick<Waiter, "requesters">): boolean =>
  requesters.some(({ signal }) => signal?.aborted !== true);

const isUrgent = ({ requesters }: Pick<Waiter, "requesters">): boolean => requesters.some((each) => each.isUrgent);

/** Requesters of the same image belong to the same studio. */
const getStudioId = ({ requesters }: Pick<Waiter, "requesters">): string => requesters[0]?.studioId ?? "";
