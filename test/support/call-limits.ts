import type { CallLimiter } from "#domain/access/call-limiter.ts";
import { AppError } from "#lib/errors.ts";

/** Makes calls and returns how many of them the limiter allows. */
export function countAllowedCalls({ check }: CallLimiter, callCount: number, key = "ann"): number {
  let allowedCount = 0;
  for (let i = 0; i < callCount; i++) {
    try {
      check(key);
      allowedCount++;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
    }
  }
  return allowedCount;
}
