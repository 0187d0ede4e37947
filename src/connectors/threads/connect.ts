import { requireText, toText } from "../call-api.ts";
import { readGraphErrorCode } from "../graph/errors.ts";
import type { Platform } from "../platform.ts";
import { limits } from "./limits.ts";
import * as publishing from "./publish.ts";

/** Like Instagram: a one-hour token is exchanged for a 60-day token, which can be renewed. There is no refresh token. */
export const threads: Platform = {
  id: "threads",
  name: "Threads",
  endpoints: {
    authorization: "https://threads.com/oauth/authorize",
    token: "https://graph.threads.net/oauth/access_token",
    api: "https://graph.threads.net",
  },
  scopes: ["threads_basic", "threads_content_publish"],
  scopeSeparator: ",",
  pkce: false,
  clientAuth: "post",
  readErrorCode: readGraphErrorCode,
  buildLongLivedTokenCall: ({ accessToken, clientSecret, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/access_token`,
    query: { grant_type: "th_exchange_token", client_secret: clientSecret, access_token: accessToken },
  }),
  refresh: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/refresh_access_token`,
    query: { grant_type: "th_refresh_token", access_token: accessToken },
  }),
  revoke: "none",
  accountCall: { path: "/v1.0/me", query: { fields: "id,username,name,threads_profile_picture_url" } },
  parseAccounts: (body) => {
    const handle = requireText(body["username"], "username");
    return [
      {
        id: requireText(body["id"], "id"),
        handle,
        name: toText(body["name"]),
        avatarUrl: toText(body["threads_profile_picture_url"]),
        profileUrl: `https://www.threads.com/@${encodeURIComponent(handle)}`,
      },
    ];
  },
  publishing,
  limits,
};
