import type { OAuthPlatform } from "../platform.ts";
import { requireText, toObject, toText } from "../call-api.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import * as publishing from "./publish.ts";

/** Since 5 November 2026, access tokens are valid for two hours, refresh tokens for 180 days. Each refresh replaces both. */
export const tiktok: OAuthPlatform = {
  id: "tiktok",
  name: "TikTok",
  endpoints: {
    authorization: "https://www.tiktok.com/v2/auth/authorize/",
    token: "https://open.tiktokapis.com/v2/oauth/token/",
    api: "https://open.tiktokapis.com",
  },
  scopes: ["user.info.basic", "user.info.profile", "video.publish", "video.upload"],
  scopeSeparator: ",",
  // PKCE is documented only for mobile and desktop apps.
  pkce: false,
  clientAuth: "post",
  clientIdParam: "client_key",
  refresh: "standard",
  revoke: ({ accessToken, clientId, clientSecret, endpoints }) => ({
    method: "POST",
    url: `${endpoints.api}/v2/oauth/revoke/`,
    form: { client_key: clientId, client_secret: clientSecret, token: accessToken },
  }),
  accountCall: {
    path: "/v2/user/info/",
    query: { fields: "open_id,username,display_name,avatar_url,profile_deep_link" },
  },
  parseAccounts: (body) => {
    const user = toObject(toObject(body["data"])["user"]);
    return [
      {
        id: requireText(user["open_id"], "open_id"),
        handle: toText(user["username"]),
        name: toText(user["display_name"]),
        avatarUrl: toText(user["avatar_url"]),
        profileUrl: toText(user["profile_deep_link"]),
      },
    ];
  },
  publishing,
  options,
  limits,
  notice:
    "Until TikTok has audited this server’s app, posts can only be visible to you, and only on private accounts. Send drafts instead, and post them in TikTok’s app.",
};
