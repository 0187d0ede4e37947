/** A failure in words for the person in front of it: what happened, and what to do next. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0: no answer came at all. */
  readonly status: number;
  /** As in the server's table of errors; `unreachable` where no answer came. */
  readonly code: string;
  readonly hint: string;

  constructor(status: number, code: string, message: string, hint: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

export const createUnreachableError = (): ApiError =>
  new ApiError(
    0,
    "unreachable",
    "The server cannot be reached.",
    "Check that you are online and that the server is running.",
  );

/** A problem document (RFC 9457) as an error; a proxy in between may have answered something else. */
export async function readApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { code, detail, hint } = (body ?? {}) as { code?: string; detail?: string; hint?: string };
  return new ApiError(
    response.status,
    code ?? "unknown",
    detail ?? `The server could not answer (status ${response.status}).`,
    hint ??
      (response.status >= 500 ? "Try again in a moment. If it happens again, tell whoever runs this server." : ""),
  );
}

/** What to show of anything that was thrown. */
export function describeError(error: unknown): { message: string; hint: string } {
  if (error instanceof ApiError) return { message: error.message, hint: error.hint };
  return { message: "This page ran into a fault of its own.", hint: "Load the page again." };
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
