import type { AppError } from "#lib/errors.ts";

/** Runs the task after the user's earlier tasks. Rejects with an error if too many are waiting. */
export type UserQueue = <T>(userId: string, task: () => Promise<T>) => Promise<T>;

/** Limits this process to one running task per user. */
export function createUserQueue(maxWaiting: number, createError: () => AppError): UserQueue {
  const users = new Map<string, { taskCount: number; runInOrder: SerialRunner }>();
  return async (userId, task) => {
    const user = users.get(userId) ?? { taskCount: 0, runInOrder: createSerialRunner() };
    if (user.taskCount > maxWaiting) throw createError();
    users.set(userId, user);
    user.taskCount++;
    try {
      return await user.runInOrder(task);
    } finally {
      if (--user.taskCount === 0) users.delete(userId);
    }
  };
}

/** Runs tasks one after the other. `pauseAfter` delays the next task, not the result of this one. */
type SerialRunner = <T>(task: () => Promise<T>, pauseAfter?: (result: T) => Promise<void>) => Promise<T>;

export function createSerialRunner(): SerialRunner {
  let previous: Promise<unknown> = Promise.resolve();
  return (task, pauseAfter) => {
    const result = previous.then(task);
    previous = result.then(pauseAfter).catch(() => {});
    return result;
  };
}
