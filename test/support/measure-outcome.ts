import { AppError, type ErrorCode } from "#lib/errors.ts";

export interface TimedOutcome {
  /** `ok`, an error code of ours, or what else was thrown. */
  outcome: ErrorCode | "ok" | `unexpected: ${string}`;
  ms: number;
}

/** What came of the work, and how long it took. */
export async function measureOutcome(operation: () => Promise<unknown>): Promise<TimedOutcome> {
  const startedAt = performance.now();
  const outcome = await operation().then(
    () => "ok" as const,
    (error: unknown) => (error instanceof AppError ? error.code : (`unexpected: ${String(error)}` as const)),
  );
  return { outcome, ms: performance.now() - startedAt };
}
