import { requireText, toObjectList, toText } from "../call-api.ts";
import { readGraphErrorCode } from "../graph/errors.ts";
import type { Platform } from "../platform.ts";
import { limits } from "./limits.ts";
import * as publishing from "./publish.ts";

/**
 * Connects professional accounts with Instagram's own login. The first token is valid for an hour and is exchanged for
 * a 60-day token, which can be renewed from one day after issue until it expires. There is no refresh token.
 */
export const instagram: Platform = {
  id: "instagram",
  name: "Instagram",
  endpoints: {
    authorization: "https://www.instagram.com/oauth/authorize",
    token: "https://api.instagram.com/oauth/access_token",
    api: "https://graph.instagram.com",
  },
  scopes: ["instagram_business_basic", "instagram_business_content_publish"],
  scopeSeparator: ",",
  pkce: false,
  clientAuth: "post",
  readErrorCode: readGraphErrorCode,
  // The code exchange returns the token in a list; the calls below return it directly.
  normalizeToken: (body) => toObjectList(body["data"])[0] ?? body,
  buildLongLivedTokenCall: ({ accessToken, clientSecret, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/access_token`,
    query: { grant_type: "ig_exchange_token", client_secret: clientSecret, access_token: accessToken },
  }),
  refresh: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/refresh_access_token`,
    query: { grant_type: "ig_refresh_token", access_token: accessToken },
  }),
  revoke: "none",
  accountCall: { path: "/v25.0/me", query: { fields: "user_id,username,name,profile_picture_url" } },
  parseAccounts: (body) => {
    const handle = requireText(body["username"], "username");
    return [
      {
        id: requireText(body["user_id"], "user_id"),
        handle,
        name: toText(body["name"]),
        avatarUrl: toText(body["profile_picture_url"]),
        profileUrl: `https://www.instagram.com/${encodeURIComponent(handle)}/`,
      },
    ];
  },
  publishing,
  limits,
};
