import type { Problem } from "#http/problem.ts";

/** A failed API call, in words for the user: what happened, and what to do next. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 if the server did not respond. */
  readonly status: number;
  /** An error code of the server, or `unreachable` if it did not respond. */
  readonly code: string;
  readonly hint: string;
  /** For `not_publishable`: what each account's platform would reject. */
  readonly accountProblems: readonly AccountProblems[];

  constructor(
    status: number,
    code: string,
    message: string,
    hint: string,
    accountProblems: readonly AccountProblems[] = [],
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.accountProblems = accountProblems;
  }
}

export interface AccountProblems {
  connectionId: string;
  problems: readonly { code: string; message: string }[];
}

const contactOperator = "If the problem persists, contact the operator of this server.";

export const createUnreachableError = (): ApiError =>
  new ApiError(
    0,
    "unreachable",
    "Can’t reach the server.",
    `Check your internet connection and try again. ${contactOperator}`,
  );

/** Reads a problem document (RFC 9457). A proxy may have sent a body of another format. */
export async function readApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { code, detail, hint, problems } = (body ?? {}) as Partial<Problem>;
  const isServerError = response.status >= 500;
  return new ApiError(
    response.status,
    code ?? "unknown",
    detail ??
      (isServerError
        ? `The server couldn’t process the request (error ${response.status}).`
        : `The request failed (error ${response.status}).`),
    hint ?? (isServerError ? `Try again in a moment. ${contactOperator}` : ""),
    Array.isArray(problems) ? (problems as AccountProblems[]) : [],
  );
}

/** The text to show for any thrown value. */
export function describeError(error: unknown): { message: string; hint: string } {
  if (error instanceof ApiError) return { message: error.message, hint: error.hint };
  return { message: "Something went wrong.", hint: "Reload the page." };
}

/** Like `describeError`, as one text, such as for a toast. */
export function formatError(error: unknown): string {
  const { message, hint } = describeError(error);
  return `${message} ${hint}`.trim();
}

/** Whether the same request may succeed later: the network or the server failed, not the request (4xx). */
export const isTemporary = (error: unknown): boolean =>
  error !== null && !(error instanceof ApiError && error.status > 0 && error.status < 500);

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
