import * as oauth from "oauth4webapi";
import { PlatformError } from "#domain/model/platform-error.ts";
import { withPlatformErrors } from "./call-api.ts";

/** The user did not deny access; a later attempt may succeed. */
const temporaryErrors = ["temporarily_unavailable", "server_error"];
/** The platform no longer recognizes this server's credentials. */
const clientErrors = ["invalid_client", "unauthorized_client"];

/** Sends a request and parses its response, with `withProtocolErrors`. */
export const exchange = <T>(send: () => Promise<Response>, parse: (response: Response) => T | Promise<T>): Promise<T> =>
  withProtocolErrors(async () => parse(await send()));

/** Converts protocol errors to PlatformErrors. Omits the platform's own text, which is untrusted. */
export function withProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  return withPlatformErrors(
    work().catch((error: unknown) => {
      throw toPlatformError(error) ?? error;
    }),
  );
}

function toPlatformError(error: unknown): PlatformError | undefined {
  if (error instanceof oauth.AuthorizationResponseError) {
    return temporaryErrors.includes(error.error)
      ? new PlatformError("unavailable", "it is temporarily unavailable")
      : new PlatformError("denied", "access was denied");
  }
  if (error instanceof oauth.ResponseBodyError) {
    // `rejected` makes the caller delete the credential, so use it only for `invalid_grant` (RFC 6749 §5.2).
    const isTokenError = error.status === 400 || error.status === 401;
    if (isTokenError && error.error === "invalid_grant")
      return new PlatformError("rejected", "it rejected the code or token");
    if (isTokenError && clientErrors.includes(error.error))
      return new PlatformError("unknown_app", "it does not recognize this server");
    return new PlatformError("unavailable", "it is temporarily unavailable");
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError)
    return new PlatformError("unavailable", "it sent an invalid response");
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new PlatformError("unknown_app", "it does not recognize this server");
  return undefined;
}
