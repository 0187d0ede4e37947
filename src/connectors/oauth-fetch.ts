import * as oauth from "oauth4webapi";
import type { PublicFetch } from "#lib/public-fetch.ts";

/** The request options of oauth4webapi that choose how it sends requests. */
interface OAuthFetchOptions {
  // oxlint-disable-next-line typescript/no-deprecated -- marked deprecated as a warning, not for removal
  [oauth.allowInsecureRequests]: boolean;
  [oauth.customFetch]: (url: string, request: OAuthRequest) => Promise<Response>;
}

interface OAuthRequest {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** Makes oauth4webapi send its requests through the guarded fetch. */
export function createOAuthFetch(
  publicFetch: PublicFetch,
  serverUrl: string,
  convertResponse: (url: string, response: Response) => Response | Promise<Response> = (_url, response) => response,
): OAuthFetchOptions {
  return {
    // Only the sandbox and hosts in PRIVATE_HOSTS can have an http URL, and `publicFetch` sends plain http only to this
    // machine.
    // oxlint-disable-next-line typescript/no-deprecated -- marked deprecated as a warning, not for removal
    [oauth.allowInsecureRequests]: serverUrl.startsWith("http:"),
    [oauth.customFetch]: async (url, { method, headers, body }) => {
      const response = await publicFetch(url, {
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : undefined,
      });
      return convertResponse(url, response);
    },
  };
}
