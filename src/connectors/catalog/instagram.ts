import { requireText, toObjectList, toText } from "../call-api.ts";
import { readGraphErrorCode } from "../graph/errors.ts";
import type { Platform } from "../platform.ts";
import { instagramPublishing } from "./instagram-publishing.ts";

const readOn = "2026-11-15";
const publishingReadOn = "2026-11-16";
const docs = "https://developers.facebook.com/documentation/instagram-platform";

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
  buildAccountCall: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/v25.0/me`,
    query: { fields: "user_id,username,name,profile_picture_url" },
    bearer: accessToken,
  }),
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
  publishing: instagramPublishing,
  limits: {
    text: { max: 2200, unit: "codePoints" },
    hashtagsAndMentions: { maxHashtags: 30, maxMentions: 20 },
    files: { min: 1, max: 10 },
    images: {
      max: 10,
      types: ["image/jpeg"],
      maxBytes: 8_000_000,
      minAspect: 4 / 5,
      maxAspect: 1.91,
    },
    videos: {
      max: 10,
      types: ["video/mp4", "video/quicktime"],
      maxBytes: 300_000_000,
      maxWidth: 1920,
      minAspect: 0.01,
      maxAspect: 10,
      minDurationMs: 3000,
      maxDurationMs: 15 * 60_000,
    },
    allowsMixedKinds: true,
    altText: { maxLength: 1000 },
    sources: [{ url: `${docs}/instagram-graph-api/reference/ig-user/media`, readOn }],
  },
  sources: [
    { url: `${docs}/instagram-api-with-instagram-login/business-login`, readOn, dated: "2026-03-13" },
    { url: `${docs}/instagram-api-with-instagram-login/get-started`, readOn },
    { url: `${docs}/content-publishing.md`, readOn: publishingReadOn },
    { url: `${docs}/instagram-graph-api/reference/ig-container.md`, readOn: publishingReadOn },
    { url: `${docs}/instagram-graph-api/reference/error-codes`, readOn: publishingReadOn, dated: "2026-06-02" },
  ],
};
