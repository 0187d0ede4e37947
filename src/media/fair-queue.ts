import type { ImageRequest } from "#domain/ports/media.ts";

type Requester = Pick<ImageRequest, "studioId" | "isUrgent" | "signal">;

interface WaitingTask {
  /** The caller adds to this list while the task waits, if others need the same result. Never empty. */
  requesters: readonly Requester[];
  start: () => void;
  drop: () => void;
}

/** Resolves to the result of the task, or to undefined if the task was dropped before it started. */
export type RunInQueue = <T>(
  requesters: readonly Requester[],
  work: () => Promise<T>,
) => Promise<{ value: T } | undefined>;

/**
 * Runs at most `concurrency` tasks at a time, and fewer of one studio, so that its slow tasks never delay the others.
 * Urgent tasks come first, then those of the studio that has the fewest running. A task is dropped if the signals of all its requesters have aborted,
 * or if it is not urgent and `maxWaitingPerStudio` such tasks of its studio are waiting.
 */
export function createFairQueue(concurrency: number, maxWaitingPerStudio: number): RunInQueue {
  const maxRunningPerStudio = Math.max(concurrency - 1, 1);
  const waitingTasks: WaitingTask[] = [];
  const runningByStudio = new Map<string, number>();
  let runningCount = 0;

  const countRunning = (studioId: string): number => runningByStudio.get(studioId) ?? 0;
  const compare = (a: WaitingTask, b: WaitingTask): number =>
    Number(isUrgent(b)) - Number(isUrgent(a)) || countRunning(getStudioId(a)) - countRunning(getStudioId(b));

  function dropAbandoned(): void {
    const abandonedTasks = waitingTasks.filter((task) => !hasActiveRequester(task));
    for (const task of abandonedTasks) {
      waitingTasks.splice(waitingTasks.indexOf(task), 1);
      task.drop();
    }
  }

  function startNext(): void {
    dropAbandoned();
    // Sorting is stable, so tasks of equal rank start in the order of arrival.
    const [next] = waitingTasks
      .filter((task) => countRunning(getStudioId(task)) < maxRunningPerStudio)
      .toSorted(compare);
    if (!next || runningCount >= concurrency) return;
    waitingTasks.splice(waitingTasks.indexOf(next), 1);
    adjustRunningCount(getStudioId(next), 1);
    next.start();
  }

  function adjustRunningCount(studioId: string, change: 1 | -1): void {
    runningCount += change;
    const studioCount = countRunning(studioId) + change;
    if (studioCount === 0) runningByStudio.delete(studioId);
    else runningByStudio.set(studioId, studioCount);
  }

  return async (requesters, work) => {
    const hasStarted = await new Promise<boolean>((resolve) => {
      const task = { requesters, start: () => resolve(true), drop: () => resolve(false) };
      dropAbandoned();
      const studioId = getStudioId(task);
      const waitingCount = waitingTasks.filter((other) => getStudioId(other) === studioId && !isUrgent(other)).length;
      if (!isUrgent(task) && waitingCount >= maxWaitingPerStudio) return task.drop();
      waitingTasks.push(task);
      startNext();
    });
    if (!hasStarted) return undefined;
    try {
      return { value: await work() };
    } finally {
      adjustRunningCount(getStudioId({ requesters }), -1);
      startNext();
    }
  };
}

const hasActiveRequester = ({ requesters }: Pick<WaitingTask, "requesters">): boolean =>
  requesters.some(({ signal }) => signal?.aborted !== true);

const isUrgent = ({ requesters }: Pick<WaitingTask, "requesters">): boolean => requesters.some((each) => each.isUrgent);

/** Requesters of the same image belong to the same studio. */
const getStudioId = ({ requesters }: Pick<WaitingTask, "requesters">): string => requesters[0]?.studioId ?? "";
