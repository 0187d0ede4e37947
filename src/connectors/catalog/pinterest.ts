import type { Platform } from "../platform.ts";
import { requireText, toText } from "../call-api.ts";

const readOn = "2026-11-15";
const specification = {
  url: "https://github.com/pinterest/api-description/blob/main/v5/openapi.yaml",
  readOn,
  dated: "2025-12-11",
};

/** For apps since 25 September 2025, access tokens are valid for 30 days, refresh tokens for 60. A refresh renews both. */
export const pinterest: Platform = {
  id: "pinterest",
  name: "Pinterest",
  endpoints: {
    authorization: "https://www.pinterest.com/oauth/",
    token: "https://api.pinterest.com/v5/oauth/token",
    api: "https://api.pinterest.com/v5",
  },
  scopes: ["user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write"],
  scopeSeparator: ",",
  pkce: false,
  clientAuth: "basic",
  refresh: "standard",
  // The revocation endpoint accepts only tokens of system users.
  revoke: "none",
  buildAccountCall: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/user_account`,
    bearer: accessToken,
  }),
  parseAccounts: (body) => {
    const handle = requireText(body["username"], "username");
    return [
      {
        id: requireText(body["id"], "id"),
        handle,
        name: toText(body["business_name"]),
        avatarUrl: toText(body["profile_image"]),
        profileUrl: `https://www.pinterest.com/${encodeURIComponent(handle)}/`,
      },
    ];
  },
  limits: {
    text: { max: 800, unit: "codePoints" },
    title: { max: 100, unit: "codePoints" },
    files: { min: 1, max: 5 },
    images: { max: 5, types: ["image/jpeg", "image/png"] },
    // Pinterest's pages disagree on the maximum file size and video duration.
    videos: { max: 1, types: ["video/mp4", "video/quicktime", "video/x-m4v"], minDurationMs: 4000 },
    allowsMixedKinds: false,
    altText: { maxLength: 500 },
    sources: [specification, { url: "https://help.pinterest.com/en/article/review-pin-specs", readOn }],
  },
  sources: [
    specification,
    {
      url: "https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/",
      readOn,
    },
  ],
};
