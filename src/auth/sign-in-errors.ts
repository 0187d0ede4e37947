import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { AppError, edgeError } from "#lib/errors.ts";

/** Failures that say nothing about the person: the provider did not answer, or not as one. */
const unreachableCodes = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
]);

/** Runs one step of a sign-in and tells what went wrong in words a person can use. The cause is kept for the log. */
export async function withSignInErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? error : (toSignInError(name, error) ?? error);
  }
}

function toSignInError(name: string, error: unknown): AppError | undefined {
  const cause = { cause: error };
  // OpenID Connect Core §3.1.2.6. What the address says beyond the code is anyone's text and is not repeated.
  if (error instanceof AuthorizationResponseError && error.error === "access_denied") {
    return edgeError("forbidden", `The sign-in at ${name} was cancelled.`, undefined, cause);
  }
  if (error instanceof AuthorizationResponseError) {
    return edgeError("url_unreachable", `${name} could not sign you in.`, "Try again in a moment.", cause);
  }
  // RFC 6749 §5.2: the code was used, is old, or is not ours. Any other refusal is about us, not about the person.
  if (error instanceof ResponseBodyError && error.error === "invalid_grant") return invalidSignInError(error);
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    return edgeError("url_unreachable", `${name} refused this service.`, "Tell the operator: the log says why.", cause);
  }
  if (error instanceof TypeError || (error instanceof ClientError && unreachableCodes.has(error.code ?? ""))) {
    return providerUnavailableError(name, error);
  }
  return error instanceof ClientError ? invalidSignInError(error) : undefined;
}

/** Nobody there, or nobody who speaks OpenID Connect. */
export function providerUnavailableError(name: string, cause: unknown): AppError {
  return edgeError("url_unreachable", `${name} does not answer.`, "Try again in a moment.", { cause });
}

/** Forged, mixed up, replayed or too old: which of these is for the log only. */
export function invalidSignInError(cause?: unknown): AppError {
  return edgeError(
    "invalid_input",
    "This sign-in could not be completed.",
    "It was started elsewhere, took too long, or was used before. Start again.",
    { cause },
  );
}

/** What the log may say of a failed sign-in: no code, token or claim stands in these. */
export function toLogFields(error: unknown): Record<string, unknown> {
  const cause = (error as { cause?: unknown } | null)?.cause;
  const { message, code, error: oauthError, cause: innerCause } = (cause ?? {}) as Record<string, unknown>;
  const below = innerCause instanceof Error ? { below: innerCause.message } : {};
  return { outcome: (error as { message?: unknown } | null)?.message, reason: message, code, oauthError, ...below };
}
