import { AppError } from "#lib/errors.ts";

const retryAfterSeconds = 5;

export class StandbyError extends Error {
  override readonly name = "StandbyError";
  override readonly message = "the database server is a standby";
}

/** The commit is only on the server that confirmed it. A failover would lose it, so it must not be acknowledged. */
export class UnreplicatedCommitError extends Error {
  override readonly name = "UnreplicatedCommitError";
  override readonly message = "the server stopped waiting for its synchronous standby";
}

/** Converts a lost connection or an overloaded server to `storage_unavailable`. */
export function rethrowDatabaseError(error: unknown): never {
  if (!isConnectionLost(error) && !isOverloaded(error)) throw error;
  throw new AppError("storage_unavailable:database", undefined, { retryAfter: retryAfterSeconds, cause: error });
}

/**
 * The connection is unusable: not established, reset, shut down or timed out, or the server is not the primary (25006: the
 * transaction is read-only).
 */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof StandbyError || error instanceof UnreplicatedCommitError || isPoolTimeout(error)) return true;
  const state = getSqlState(error) ?? "";
  if (/^(08|57P|25006)/.test(state)) return true;
  if (
    ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH"].includes(
      state,
    )
  )
    return true;
  const message = error instanceof Error ? error.message : "";
  return /Connection terminated|Query read timeout|Client has encountered a connection error|not queryable/.test(
    message,
  );
}

/** A new connection was not established in time. */
export const isNewConnectionTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "Connection terminated due to connection timeout";

const poolTimeoutMessage = "timeout exceeded when trying to connect";

/** Like the error of the pool itself. */
export const createPoolTimeoutError = (): Error => new Error(poolTimeoutMessage);

/** No connection of the full pool became free in time. */
export const isPoolTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === poolTimeoutMessage;

/** The server sent nothing, not even the error of its own shorter timeout. */
export const isResponseTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "Query read timeout";

/** The server responds but cannot do the work: statement or lock timeout, too many connections, disk full. */
function isOverloaded(error: unknown): boolean {
  return ["57014", "55P03", "53300", "53100", "53200"].includes(getSqlState(error) ?? "");
}

/**
 * A newer version has added a column to a table since the connection prepared a statement that returns all columns.
 * PostgreSQL checks this before it runs the statement, and rejects it until it is prepared again.
 */
export function isStatementOutdated(error: unknown): boolean {
  // The code has other uses, and the message is translated.
  return getSqlState(error) === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

export function getSqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
