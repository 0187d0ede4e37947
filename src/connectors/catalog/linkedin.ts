import type { Platform } from "../platform.ts";
import { requireText, toText } from "../call-api.ts";
import { linkedinPublishing } from "./linkedin-publishing.ts";

const readOn = "2026-11-15";
const publishingReadOn = "2026-11-16";
const docs = "https://learn.microsoft.com/en-us/linkedin";
const shares = `${docs}/marketing/community-management/shares`;

/**
 * Connects personal profiles; company pages need partner scopes. Access tokens are valid for 60 days. Only partners get
 * refresh tokens, so on most servers users have to connect again after that.
 */
export const linkedin: Platform = {
  id: "linkedin",
  name: "LinkedIn",
  endpoints: {
    authorization: "https://www.linkedin.com/oauth/v2/authorization",
    token: "https://www.linkedin.com/oauth/v2/accessToken",
    api: "https://api.linkedin.com",
  },
  scopes: ["openid", "profile", "w_member_social"],
  // Documented only for native apps, and LinkedIn has to enable it.
  pkce: false,
  clientAuth: "post",
  refresh: "standard",
  revoke: "none",
  buildAccountCall: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/v2/userinfo`,
    bearer: accessToken,
  }),
  parseAccounts: (body) => [
    { id: requireText(body["sub"], "sub"), name: toText(body["name"]), avatarUrl: toText(body["picture"]) },
  ],
  publishing: linkedinPublishing,
  limits: {
    // From the help page: the API documentation has no limit, and does not say how characters are counted.
    text: { max: 3000, unit: "codePoints", isRequired: true },
    images: { max: 20, types: ["image/jpeg", "image/png", "image/gif"], maxPixels: 36_152_319 },
    videos: {
      max: 1,
      types: ["video/mp4"],
      maxBytes: 500_000_000,
      minDurationMs: 3000,
      maxDurationMs: 30 * 60_000,
    },
    documents: {
      max: 1,
      types: [
        "application/pdf",
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.ms-powerpoint",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      ],
      maxBytes: 100_000_000,
    },
    allowsMixedKinds: false,
    altText: { maxLength: 4086 },
    sources: [
      { url: `${shares}/posts-api`, readOn },
      { url: `${shares}/multiimage-post-api`, readOn },
      { url: `${shares}/images-api`, readOn },
      { url: `${shares}/videos-api`, readOn },
      { url: `${shares}/documents-api`, readOn },
      { url: "https://www.linkedin.com/help/linkedin/answer/a528176", readOn },
    ],
  },
  sources: [
    { url: `${docs}/shared/authentication/authorization-code-flow`, readOn, dated: "2026-01-22" },
    { url: `${docs}/shared/authentication/programmatic-refresh-tokens`, readOn },
    { url: `${docs}/consumer/integrations/self-serve/sign-in-with-linkedin-v2`, readOn },
    { url: `${shares}/posts-api`, readOn: publishingReadOn },
    { url: `${shares}/images-api`, readOn: publishingReadOn },
    { url: `${shares}/videos-api?view=li-lms-2026-05`, readOn: publishingReadOn },
    { url: `${shares}/documents-api`, readOn: publishingReadOn },
    { url: `${shares}/multiimage-post-api`, readOn: publishingReadOn },
    { url: `${shares}/little-text-format?view=li-lms-2026-05`, readOn: publishingReadOn },
  ],
};
