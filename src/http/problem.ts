import type { ServerResponse } from "node:http";
import type { Log } from "#lib/log.ts";
import { errorHints } from "./error-hints.ts";
import { messagesForPeople } from "./error-messages.ts";
import { AppError, edgeError, renderError } from "#lib/errors.ts";

/** RFC 9457. `code` equals the code of the corresponding tool error. */
export interface Problem {
  type: "about:blank";
  title: string;
  status: number;
  detail: string;
  code: string;
  hint?: string;
  /** For `not_publishable`: what each account's platform would reject. */
  problems?: unknown;
  requestId: string;
}

const titleByStatus: Record<number, string> = {
  400: "Bad request",
  401: "Not signed in",
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  410: "Gone",
  413: "Too large",
  415: "Unsupported type",
  429: "Too many requests",
  500: "Internal error",
  502: "Bad gateway",
  503: "Unavailable",
};

/** For an unknown path, or a method that the route does not support. */
export const routeNotFoundError = (): AppError => edgeError("not_found", "This URL does not exist.");

export interface ProblemResponse {
  status: number;
  headers: Record<string, string>;
  body: Problem;
}

/** Logs an unexpected error or the failure of a dependency; other errors are the client's. */
export function logError(error: unknown, { requestId, log }: { requestId: string; log: Log }): void {
  if (!(error instanceof AppError)) log.error({ requestId, err: error }, "unexpected error");
  else if (error.status >= 500) log.warn({ requestId, err: error }, "dependency unavailable");
}

/** Converts an error to a problem document, and logs it. */
export function toProblem(error: unknown, requestId: string, log: Log): ProblemResponse {
  const { status, view, retryAfter } = renderError(error, requestId, errorHints);
  logError(error, { requestId, log });
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    },
    body: {
      type: "about:blank",
      title: titleByStatus[status] ?? "Error",
      status,
      detail: getMessageForPeople(error) ?? view.message,
      code: view.code,
      ...(view.hint ? { hint: view.hint } : {}),
      ...(view.problems ? { problems: view.problems } : {}),
      requestId,
    },
  };
}

function getMessageForPeople(error: unknown): string | undefined {
  if (!(error instanceof AppError) || error.key === undefined) return undefined;
  return (messagesForPeople[error.key] as ((data: unknown) => string) | undefined)?.(error.data);
}

export function sendProblem(res: ServerResponse, error: unknown, requestId: string, log: Log): void {
  const { status, headers, body } = toProblem(error, requestId, log);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.writeHead(status, headers).end(JSON.stringify(body));
}
