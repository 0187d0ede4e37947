import { ProtocolError } from "@modelcontextprotocol/server";
import type { Deps } from "#domain/ports/deps.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { createRejection, errorCodes, type Rejection } from "./messages.ts";

/** Converts an expected failure to a protocol error; returns other errors unchanged. */
export function toProtocolError(error: unknown): unknown {
  return error instanceof AppError ? new ProtocolError(toErrorCode(error), `${error.code}: ${error.message}`) : error;
}

function toErrorCode({ code, status }: AppError): number {
  if (code === "rate_limited") return errorCodes.httpError;
  return status < 500 ? errorCodes.invalidParams : errorCodes.internal;
}

/** The headers that tell a client when to retry. */
export const toRetryHeaders = (error: unknown): Record<string, string> | undefined =>
  error instanceof AppError && error.retryAfter !== undefined ? { "retry-after": String(error.retryAfter) } : undefined;

/** The response to a request that failed before its message could be served. Logs errors that are not expected. */
export function toRejection(error: unknown, newId: Deps["newId"], log: Log): Rejection {
  if (error instanceof AppError)
    return createRejection(error.status, errorCodes.internal, `${error.code}: ${error.message}`);
  const { code, message } = reportInternalError(error, newId, log, "MCP request failed");
  return createRejection(500, code, message);
}

/** Logs an unexpected error with a reference and returns the error that tells the client the reference. */
export function reportInternalError(
  error: unknown,
  newId: Deps["newId"],
  log: Log,
  event: string,
  fields?: { tool?: string; method?: string },
): { code: number; message: string } {
  const reference = newId("request");
  log.error({ err: error, reference, ...fields }, event);
  return { code: errorCodes.internal, message: `Internal error. Reference: ${reference}.` };
}
