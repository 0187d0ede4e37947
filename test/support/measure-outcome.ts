import { AppError, type ErrorCode } from "#lib/errors.ts";

export interface TimedOutcome {
  /** `ok`, the code of an `AppError`, or any other error as text. */
  outcome: ErrorCode | "ok" | `unexpected: ${string}`;
  ms: number;
}

/** Runs the operation; returns its outcome and duration. */
export async function measureOutcome(operation: () => Promise<unknown>): Promise<TimedOutcome> {
  const startedAt = performance.now();
  const outcome = await operation().then(
    () => "ok" as const,
    (error: unknown) => (error instanceof AppError ? error.code : (`unexpected: ${String(error)}` as const)),
  );
  return { outcome, ms: performance.now() - startedAt };
}
