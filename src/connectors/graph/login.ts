import type { OAuthPlatform } from "../platform.ts";
import { readGraphErrorCode } from "./errors.ts";

type Login = Pick<
  OAuthPlatform,
  "scopeSeparator" | "pkce" | "clientAuth" | "readErrorCode" | "buildLongLivedTokenCall" | "refresh" | "revoke"
>;

/**
 * How Instagram and Threads log in. The first token is valid for an hour and is exchanged for a 60-day token, which can
 * be renewed from one day after issue until it expires. There is no refresh token.
 */
export const createLogin = (grantPrefix: "ig" | "th"): Login => ({
  scopeSeparator: ",",
  pkce: false,
  clientAuth: "post",
  readErrorCode: readGraphErrorCode,
  buildLongLivedTokenCall: ({ accessToken, clientSecret, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/access_token`,
    query: { grant_type: `${grantPrefix}_exchange_token`, client_secret: clientSecret, access_token: accessToken },
  }),
  refresh: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/refresh_access_token`,
    query: { grant_type: `${grantPrefix}_refresh_token`, access_token: accessToken },
  }),
  revoke: "none",
});
