import type { Platform } from "../platform.ts";
import { requireText, toObject, toText } from "../call-api.ts";
import { xPublishing } from "./x-publishing.ts";

const readOn = "2026-11-15";
const publishingReadOn = "2026-11-16";
const dated = "2026-08-22";

/** Access tokens are valid for two hours, codes for 30 seconds. Each refresh returns a new refresh token. */
export const x: Platform = {
  id: "x",
  name: "X",
  endpoints: {
    authorization: "https://x.com/i/oauth2/authorize",
    token: "https://api.x.com/2/oauth2/token",
    revocation: "https://api.x.com/2/oauth2/revoke",
    api: "https://api.x.com",
  },
  scopes: ["tweet.read", "tweet.write", "users.read", "media.write", "offline.access"],
  pkce: true,
  clientAuth: "basic",
  refresh: "standard",
  revoke: "standard",
  buildAccountCall: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/2/users/me`,
    query: { "user.fields": "profile_image_url" },
    bearer: accessToken,
  }),
  parseAccounts: (body) => {
    const user = toObject(body["data"]);
    const handle = requireText(user["username"], "username");
    return [
      {
        id: requireText(user["id"], "id"),
        handle,
        name: toText(user["name"]),
        avatarUrl: toText(user["profile_image_url"]),
        profileUrl: `https://x.com/${encodeURIComponent(handle)}`,
      },
    ];
  },
  publishing: xPublishing,
  limits: {
    text: { max: 280, unit: "weighted", linkLength: 23 },
    images: {
      max: 4,
      types: ["image/jpeg", "image/png", "image/gif", "image/webp"],
      maxBytes: 5_000_000,
      asOnlyFile: { maxBytesByType: { "image/gif": 15_000_000 }, animatedTypes: ["image/gif"] },
    },
    videos: {
      max: 1,
      types: ["video/mp4", "video/quicktime", "video/webm"],
      maxBytes: 512_000_000,
      minDurationMs: 500,
      maxDurationMs: 140_000,
      minAspect: 1 / 3,
      maxAspect: 3,
    },
    allowsMixedKinds: false,
    altText: { maxLength: 1000 },
    sources: [
      { url: "https://docs.x.com/fundamentals/counting-characters", readOn, dated },
      { url: "https://docs.x.com/x-api/media/quickstart/best-practices", readOn, dated },
      { url: "https://docs.x.com/x-api/media/create-media-metadata", readOn, dated },
    ],
  },
  sources: [
    { url: "https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code", readOn, dated },
    { url: "https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token", readOn, dated },
    { url: "https://docs.x.com/x-api/users/get-users-me", readOn, dated },
    { url: "https://docs.x.com/x-api/media/upload-media", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/media/initialize-media-upload", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/media/append-media-upload", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/media/finalize-media-upload", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/media/get-media-upload-status", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/media/create-media-metadata", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/posts/create-post", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/users/get-posts", readOn: publishingReadOn, dated },
    { url: "https://docs.x.com/x-api/fundamentals/rate-limits", readOn: publishingReadOn, dated },
  ],
};
