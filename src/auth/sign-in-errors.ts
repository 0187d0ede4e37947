import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import { AppError, edgeError } from "#lib/errors.ts";

/** The provider did not respond, or its response is not valid OpenID Connect. */
const unavailableCodes = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
]);

/** Runs one step of a sign-in and maps its errors to messages for the user. The cause is for the log. */
export async function withSignInErrors<T>(providerName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? error : (toSignInError(providerName, error) ?? error);
  }
}

function toSignInError(providerName: string, error: unknown): AppError | undefined {
  const cause = { cause: error };
  // OpenID Connect Core §3.1.2.6. The description comes from the URL, which anyone can forge, so it is not shown.
  if (error instanceof AuthorizationResponseError && error.error === "access_denied") {
    return edgeError("forbidden", `The sign-in at ${providerName} was canceled.`, undefined, cause);
  }
  if (error instanceof AuthorizationResponseError) {
    return edgeError("url_unreachable", `${providerName} couldn’t sign you in.`, "Try again in a moment.", cause);
  }
  // RFC 6749 §5.2: the code was used, has expired or is not ours. Any other error concerns this server, not the user.
  if (error instanceof ResponseBodyError && error.error === "invalid_grant") return invalidSignInError(error);
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    return edgeError(
      "url_unreachable",
      `${providerName} rejected this server.`,
      "Tell the operator to check the log.",
      cause,
    );
  }
  // `fetch` rejects with a TypeError if the network fails.
  if (error instanceof TypeError || (error instanceof ClientError && unavailableCodes.has(error.code ?? ""))) {
    return providerUnavailableError(providerName, error);
  }
  return error instanceof ClientError ? invalidSignInError(error) : undefined;
}

export function providerUnavailableError(providerName: string, cause: unknown): AppError {
  return edgeError("url_unreachable", `${providerName} is not responding.`, "Try again in a moment.", { cause });
}

/** The response was forged, replayed, expired or for another sign-in. Only the log says which. */
export function invalidSignInError(cause?: unknown): AppError {
  return edgeError(
    "invalid_input",
    "This sign-in couldn’t be completed.",
    "It was started in another browser, took too long or was already used. Sign in again.",
    { cause },
  );
}

/** Returns the log fields of a failed sign-in. They contain no codes, tokens or claims. */
export function toLogFields(error: unknown): Record<string, unknown> {
  const cause = (error as { cause?: unknown } | null)?.cause;
  const { message, code, error: oauthError, cause: innerCause } = (cause ?? {}) as Record<string, unknown>;
  const inner = innerCause instanceof Error ? { innerReason: innerCause.message } : {};
  return { outcome: (error as { message?: unknown } | null)?.message, reason: message, code, oauthError, ...inner };
}
