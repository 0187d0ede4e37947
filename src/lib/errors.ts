/**
 * Every way a request can fail, with the HTTP status the web API answers.
 * One table; tool results, problem documents and pages are drawn from it.
 */
export const errorStatus = {
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  invalid_input: 400,
  inline_too_large_use_presign: 413,
  too_large: 413,
  unsupported_type: 415,
  type_mismatch: 415,
  not_uploaded: 409,
  upload_expired: 410,
  asset_limit_reached: 409,
  already_attached: 409,
  not_attached: 409,
  asset_in_use: 409,
  revision_conflict: 409,
  idempotency_conflict: 409,
  rate_limited: 429,
  quota_exceeded: 409,
  storage_unavailable: 503,
  url_blocked: 400,
  url_unreachable: 502,
  platform_unsupported: 400,
  platform_not_configured: 409,
  connect_expired: 410,
  connect_denied: 403,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** The one error type: a code, a sentence that says what happened, a hint that says what to do next. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.hint = hint;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** The same words for what never was and for what is someone else's. */
export const notFound = (what: string, hint?: string): AppError =>
  new AppError("not_found", `There is no such ${what}.`, hint);

export interface ErrorView {
  code: ErrorCode;
  message: string;
  hint?: string;
}

export interface RenderedError {
  status: number;
  view: ErrorView;
  retryAfter?: number;
  /** False: nobody expected this. The caller logs it, once, under `reference`. */
  known: boolean;
}

/**
 * What may be said about a failure. An error that is not ours says nothing of itself:
 * it becomes `internal` with a reference under which the log has the rest.
 */
export function renderError(error: unknown, reference: string): RenderedError {
  if (error instanceof AppError) {
    return {
      status: error.status,
      view: { code: error.code, message: error.message, ...(error.hint ? { hint: error.hint } : {}) },
      ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
      known: true,
    };
  }
  return {
    status: errorStatus.internal,
    view: {
      code: "internal",
      message: `Something failed on our side. Reference: ${reference}.`,
      hint: "Try again; if it happens again, give the operator this reference.",
    },
    known: false,
  };
}
