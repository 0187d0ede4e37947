import { errorMessages, type ErrorData, type ErrorHints, type ErrorKey } from "./error-messages.ts";

/** The error codes with their HTTP status. */
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
  not_publishable: 409,
  already_scheduled: 409,
  no_free_slot: 409,
  too_late: 409,
  post_in_use: 409,
  review_pending: 409,
  review_ended: 410,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** Every 503 says when to retry. */
const defaultRetryAfter = 5;

export interface AppErrorOptions {
  /** Seconds after which a retry makes sense. */
  retryAfter?: number;
  /** The underlying error, for the log. */
  cause?: unknown;
}

/** The text of an error that an edge (the HTTP API, MCP or a page) detects itself. */
interface EdgeText {
  code: ErrorCode;
  message: string;
  hint?: string | undefined;
}

/** An error key with its data, or the text of an error that an edge detected. */
type AppErrorArguments =
  | {
      [Key in ErrorKey]: ErrorData<Key> extends undefined
        ? [key: Key, data?: undefined, options?: AppErrorOptions]
        : [key: Key, data: ErrorData<Key>, options?: AppErrorOptions];
    }[ErrorKey]
  | [text: EdgeText, data?: undefined, options?: AppErrorOptions];

/**
 * The error type for expected failures. Code below the edges throws it with a key of `errorMessages` and its data; each
 * edge adds its own hint. An edge that detects an error itself writes the text, with `edgeError`.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly key: ErrorKey | undefined;
  readonly data: unknown;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(...[reason, data, options = {}]: AppErrorArguments) {
    const isKey = typeof reason === "string";
    super(isKey ? (errorMessages[reason] as (data: unknown) => string)(data) : reason.message, options);
    this.code = isKey ? toErrorCode(reason) : reason.code;
    this.key = isKey ? reason : undefined;
    this.data = data;
    this.hint = isKey ? undefined : reason.hint;
    this.retryAfter = options.retryAfter ?? (this.code === "storage_unavailable" ? defaultRetryAfter : undefined);
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

const toErrorCode = (key: ErrorKey): ErrorCode => key.split(":", 1)[0] as ErrorCode;

export const edgeError = (code: ErrorCode, message: string, hint?: string, options: AppErrorOptions = {}): AppError =>
  new AppError({ code, message, hint }, undefined, options);

type MissingObject = Extract<ErrorKey, `not_found:${string}`> extends `not_found:${infer Name}` ? Name : never;

/** Objects of another studio and objects that don't exist get the same error. */
export const notFoundError = (object: Exclude<MissingObject, "grant">): AppError => new AppError(`not_found:${object}`);

export interface ErrorView {
  code: ErrorCode;
  message: string;
  hint?: string;
  /** For `not_publishable`: what each account's platform would reject. */
  problems?: unknown;
}

export interface RenderedError {
  status: number;
  view: ErrorView;
  retryAfter?: number;
  /** False for an unexpected error, which the edge must log under `reference`. */
  isExpected: boolean;
}

/**
 * Renders an error for one edge, with that edge's hints. An unexpected error becomes `internal` with a reference to the
 * log, without any other detail.
 */
export function renderError(error: unknown, reference: string, hints: ErrorHints): RenderedError {
  if (error instanceof AppError) {
    const hint = hintFor(error, hints);
    return {
      status: error.status,
      view: {
        code: error.code,
        message: error.message,
        ...(hint ? { hint } : {}),
        ...(error.key === "not_publishable" ? { problems: (error.data as ErrorData<"not_publishable">).problems } : {}),
      },
      ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
      isExpected: true,
    };
  }
  return {
    status: errorStatus.internal,
    view: {
      code: "internal",
      message: `Something went wrong on the server. Reference: ${reference}.`,
      hint: "Try again. If it keeps happening, give the operator this reference.",
    },
    isExpected: false,
  };
}

/** Returns the edge's hint for an error; an `edgeError` has its own hint. */
export function hintFor({ hint: ownHint, code, key, data }: AppError, hints: ErrorHints): string | undefined {
  const hint = ownHint ?? (key && (hints[key] ?? hints[`${code}:*` as keyof ErrorHints]));
  return typeof hint === "function" ? (hint as (data: unknown) => string | undefined)(data) : hint;
}

/** An error that the operator can fix. The message says what happened and what to do next. */
export class OperatorError extends Error {
  override readonly name: string = "OperatorError";
}
