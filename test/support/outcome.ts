import { AppError, type ErrorCode } from "#lib/errors.ts";

/** Returns `ok` or the code of the `AppError`; rethrows any other error. */
export async function getOutcome(operation: Promise<unknown> | (() => Promise<unknown>)): Promise<ErrorCode | "ok"> {
  try {
    await (typeof operation === "function" ? operation() : operation);
    return "ok";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

export async function countOutcomes(
  promises: readonly Promise<unknown>[],
): Promise<Partial<Record<ErrorCode | "ok", number>>> {
  const counts: Partial<Record<ErrorCode | "ok", number>> = {};
  for (const code of await Promise.all(promises.map(getOutcome))) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
