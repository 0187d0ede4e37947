import { AppError, type ErrorCode } from "#lib/errors.ts";

/** `ok`, or the code of the AppError it failed with. Anything else is nobody's expected outcome and is thrown on. */
export async function getOutcome(operation: Promise<unknown> | (() => Promise<unknown>)): Promise<ErrorCode | "ok"> {
  try {
    await (typeof operation === "function" ? operation() : operation);
    return "ok";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** How often each outcome came up. */
export async function countOutcomes(
  promises: readonly Promise<unknown>[],
): Promise<Partial<Record<ErrorCode | "ok", number>>> {
  const counts: Partial<Record<ErrorCode | "ok", number>> = {};
  for (const code of await Promise.all(promises.map(getOutcome))) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
