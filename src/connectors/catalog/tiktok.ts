import type { Platform } from "../platform.ts";
import { requireText, toObject, toText } from "../call-api.ts";

const readOn = "2026-11-15";
const docs = "https://developers.tiktok.com/doc";

/** Access tokens are valid for a few hours, refresh tokens for a year. Each refresh replaces the refresh token. */
export const tiktok: Platform = {
  id: "tiktok",
  name: "TikTok",
  endpoints: {
    authorization: "https://www.tiktok.com/v2/auth/authorize/",
    token: "https://open.tiktokapis.com/v2/oauth/token/",
    api: "https://open.tiktokapis.com",
  },
  scopes: ["user.info.basic", "user.info.profile", "video.publish"],
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
  buildAccountCall: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/v2/user/info/`,
    query: { fields: "open_id,username,display_name,avatar_url,profile_deep_link" },
    bearer: accessToken,
  }),
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
  limits: {
    text: { max: 2200, unit: "utf16" },
    files: { min: 1, max: 35 },
    images: {
      max: 35,
      types: ["image/jpeg", "image/webp"],
      maxBytes: 20_000_000,
      text: { max: 4000, unit: "utf16" },
      title: { max: 90, unit: "utf16" },
    },
    videos: {
      max: 1,
      types: ["video/mp4", "video/quicktime", "video/webm"],
      maxBytes: 4_000_000_000,
      minWidth: 360,
      maxWidth: 4096,
      minHeight: 360,
      maxHeight: 4096,
      // The highest limit of any account; many accounts have a lower limit.
      maxDurationMs: 10 * 60_000,
    },
    allowsMixedKinds: false,
    sources: [
      { url: `${docs}/content-posting-api-media-transfer-guide`, readOn },
      { url: `${docs}/content-posting-api-reference-direct-post`, readOn },
      { url: `${docs}/content-posting-api-reference-photo-post`, readOn },
    ],
  },
  sources: [
    { url: `${docs}/login-kit-web`, readOn },
    { url: `${docs}/oauth-get-a-user-access-token`, readOn, dated: "2026-11-02" },
    { url: "https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token", readOn, dated: "2026-11-02" },
    { url: `${docs}/oauth-user-access-token-management`, readOn },
    { url: `${docs}/tiktok-api-v2-get-user-info`, readOn },
  ],
};
