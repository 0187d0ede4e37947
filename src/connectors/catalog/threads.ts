import { requireText, toText } from "../call-api.ts";
import { readGraphErrorCode } from "../graph/errors.ts";
import type { Platform } from "../platform.ts";
import { threadsPublishing } from "./threads-publishing.ts";

const readOn = "2026-11-15";
const publishingReadOn = "2026-11-16";
const docs = "https://developers.facebook.com/documentation/threads";

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
  buildAccountCall: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/v1.0/me`,
    query: { fields: "id,username,name,threads_profile_picture_url" },
    bearer: accessToken,
  }),
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
  publishing: threadsPublishing,
  limits: {
    text: { max: 500, unit: "emojiBytes" },
    files: { max: 20 },
    images: { max: 20, types: ["image/jpeg", "image/png"], maxBytes: 8_000_000, minAspect: 0.1, maxAspect: 10 },
    videos: {
      max: 20,
      types: ["video/mp4", "video/quicktime"],
      maxBytes: 1_000_000_000,
      maxWidth: 1920,
      maxDurationMs: 5 * 60_000,
    },
    allowsMixedKinds: true,
    altText: { maxLength: 1000, isSentForVideos: true },
    sources: [
      { url: `${docs}/posts`, readOn, dated: "2026-04-14" },
      { url: `${docs}/overview`, readOn, dated: "2025-12-22" },
      { url: `${docs}/reference/publishing`, readOn },
    ],
  },
  sources: [
    { url: `${docs}/get-started/get-access-tokens-and-permissions`, readOn, dated: "2026-08-12" },
    { url: "https://developers.facebook.com/docs/threads/get-started/long-lived-tokens/", readOn },
    { url: "https://developers.facebook.com/docs/threads/threads-profiles", readOn },
    { url: `${docs}/posts`, readOn: publishingReadOn, dated: "2026-04-14" },
    { url: `${docs}/reference/publishing`, readOn: publishingReadOn, dated: "2026-04-20" },
    { url: `${docs}/troubleshooting.md`, readOn: publishingReadOn },
    { url: `${docs}/overview`, readOn: publishingReadOn, dated: "2025-12-22" },
  ],
};
