import type { FailedOutcome } from "#domain/ports/publisher.ts";
import { days, seconds } from "#lib/clock.ts";
import type { ErrorResponse } from "./publish-module.ts";

/** Ends a step: a call failed, a quota is used up, or the platform needs longer. The publisher returns the outcome. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  readonly outcome: FailedOutcome;
  /** The platform's response, if it responded. */
  readonly response: ErrorResponse | undefined;

  constructor(outcome: FailedOutcome, response?: ErrorResponse) {
    super(outcome.message);
    this.outcome = outcome;
    this.response = response;
  }
}

/** Returns the alternative if the platform rejects the call; every other failure is thrown. */
export async function orIfRejected<T, Alternative>(
  call: Promise<T>,
  alternative: Alternative,
): Promise<T | Alternative> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof StepFailure && error.outcome.kind === "rejected") return alternative;
    throw error;
  }
}

/** Statuses that may follow a request that was executed, or is being executed. */
const inconclusiveStatuses: readonly number[] = [408, 409, 425];

/** What the status of an error response means: `unknown`, unless the status proves that nothing was published. */
export function classifyStatus(response: Response): FailedOutcome {
  const { status } = response;
  if (status === 401) return reconnectOutcome;
  if (status === 429)
    return { ...rateLimitOutcome, retryAfterMs: readRetryAfterDelay(response) ?? readResetDelay(response) };
  if (status >= 400 && status <= 499 && !inconclusiveStatuses.includes(status))
    return { kind: "rejected", code: "rejected", message: `The platform rejected the post (status ${status}).` };
  const retryAfterMs = readRetryAfterDelay(response);
  return { kind: "unknown", message: `the platform responded with status ${status}`, retryAfterMs };
}

export const reconnectOutcome = {
  kind: "reconnect",
  message: "The platform no longer accepts this connection.",
} as const satisfies FailedOutcome;

export const rateLimitOutcome = {
  kind: "retry_later",
  retryAfterMs: undefined,
  message: "the platform’s rate limit is reached",
} as const satisfies FailedOutcome;

export const duplicateOutcome = {
  kind: "rejected",
  code: "duplicate",
  message: "The platform rejected the post because the account already has a post with the same content.",
} as const satisfies FailedOutcome;

export const mediaRejectedOutcome = {
  kind: "rejected",
  code: "media_rejected",
  message: "The platform rejected the media.",
} as const satisfies FailedOutcome;

export const stillProcessingOutcome = {
  kind: "unknown",
  message: "the platform is still processing the media",
} as const satisfies FailedOutcome;

/** The header has seconds, or a date (RFC 9110 §10.2.3). */
function readRetryAfterDelay({ headers }: Response): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  return toDelay(/^\d+$/.test(value) ? seconds(Number(value)) : Date.parse(value) - Date.now());
}

/** How long until the rate limit ends. X sends the time of its end, in seconds since 1970. */
const readResetDelay = ({ headers }: Response): number | undefined =>
  toDelay(seconds(Number(headers.get("x-rate-limit-reset"))) - Date.now());

/** A whole number of milliseconds, at most ten years: the end of the delay must be a valid date. */
export const toDelay = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms > 0 ? Math.ceil(Math.min(ms, days(3650))) : undefined;
