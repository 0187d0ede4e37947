import { AppError, type ErrorCode } from "#lib/errors.ts";

export interface Timed {
  /** `ok`, an error code of ours, or what else was thrown. */
  outcome: ErrorCode | "ok" | `unexpected: ${string}`;
  ms: number;
}

/** What came of the work, and how long it took. */
export async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const started = performance.now();
  const outcome = await work().then(
    () => "ok" as const,
    (error: unknown) => (error instanceof AppError ? error.code : (`unexpected: ${String(error)}` as const)),
  );
  return { outcome, ms: performance.now() - started };
}
