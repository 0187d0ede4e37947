import { AppError } from "#lib/errors.ts";

/** Another caller changed the object after we read it: roll back the transaction, read again and retry. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** Each attempt that fails with a conflict means that a parallel call succeeded; stop after this many. */
const maxAttempts = 20;

/** Repeats `attempt`, which reads and conditionally changes an object, until it does not conflict. */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
  throw new AppError("storage_unavailable:contention", undefined, { retryAfter: 1 });
}

/** For `.catch`: returns undefined on a conflict and rethrows every other error. */
export function undefinedOnConflict(error: unknown): undefined {
  if (error instanceof ConflictError) return undefined;
  throw error;
}
