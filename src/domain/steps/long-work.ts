import { AppError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { createUserQueue, type UserQueue } from "../model/user-queue.ts";
import type { Deps } from "../ports/deps.ts";

/** Maximum number of waiting operations per user. */
export const maxWaitingOperations = 2;

export const createLongWorkQueue = (): UserQueue =>
  createUserQueue(maxWaitingOperations, () => {
    const limit = maxWaitingOperations + 1;
    return new AppError("rate_limited:operations", { limit }, { retryAfter: 10 });
  });

/**
 * Runs work over many rows: one at a time per user. A user's AI clients have a queue of their own, so that they can't
 * keep the user from undoing what they did.
 */
export const runLongWork = <T>(
  { longWork }: Pick<Deps, "longWork">,
  { user, client }: Pick<Caller, "user" | "client">,
  work: () => Promise<T>,
): Promise<T> => longWork(client ? `${user.id} through a client` : user.id, work);
