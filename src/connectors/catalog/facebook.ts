import { requireText, toObject, toObjectList, toText } from "../call-api.ts";
import { readGraphErrorCode } from "../graph/errors.ts";
import { maxAccounts, type Platform } from "../platform.ts";
import { facebookPublishing } from "./facebook-publishing.ts";

const readOn = "2026-11-15";
const publishingReadOn = "2026-11-16";
const graph = "https://graph.facebook.com/v25.0";
const docs = "https://developers.facebook.com";

/**
 * Connects pages, because Facebook does not let apps post as a person. Each selected page has its own token. A page
 * token that was requested with a long-lived user token does not expire, so we make the user token long-lived before we
 * request page tokens, and never refresh them.
 */
export const facebook: Platform = {
  id: "facebook",
  name: "Facebook Pages",
  endpoints: {
    authorization: "https://www.facebook.com/v25.0/dialog/oauth",
    token: `${graph}/oauth/access_token`,
    api: graph,
  },
  scopes: ["pages_show_list", "pages_read_engagement", "pages_manage_posts"],
  scopeSeparator: ",",
  // PKCE is documented only for OpenID Connect sign-in, where it is marked experimental.
  pkce: false,
  clientAuth: "post",
  readErrorCode: readGraphErrorCode,
  buildLongLivedTokenCall: ({ accessToken, clientId, clientSecret, endpoints }) => ({
    method: "GET",
    url: endpoints.token,
    query: {
      grant_type: "fb_exchange_token",
      client_id: clientId,
      client_secret: clientSecret,
      fb_exchange_token: accessToken,
    },
  }),
  refresh: "none",
  // Revoking requires the user's token, which is not stored, and would also disconnect the user's other pages.
  revoke: "none",
  buildAccountCall: ({ accessToken, endpoints }) => ({
    method: "GET",
    url: `${endpoints.api}/me/accounts`,
    query: { fields: "id,name,username,access_token,tasks,picture{url}", limit: String(maxAccounts) },
    bearer: accessToken,
  }),
  parseAccounts: (body) =>
    toObjectList(body["data"])
      .filter(({ tasks }) => Array.isArray(tasks) && tasks.includes("CREATE_CONTENT"))
      .map((page) => {
        const id = requireText(page["id"], "id");
        return {
          id,
          handle: toText(page["username"]),
          name: toText(page["name"]),
          avatarUrl: toText(toObject(toObject(page["picture"])["data"])["url"]),
          profileUrl: `https://www.facebook.com/${encodeURIComponent(id)}`,
          accessToken: requireText(page["access_token"], "access_token"),
        };
      }),
  publishing: facebookPublishing,
  limits: {
    // From an announcement: the API documentation has no limit, and does not say how characters are counted.
    text: { max: 63_206, unit: "codePoints", isRequired: true },
    // No limits are documented for the number of photos, or the size and duration of a video.
    images: { types: ["image/jpeg", "image/png", "image/gif"], maxBytes: 10_000_000 },
    videos: { max: 1, types: ["video/mp4"], text: { max: 63_206, unit: "codePoints" } },
    allowsMixedKinds: false,
    altText: {},
    sources: [
      { url: `${docs}/docs/graph-api/reference/page/photos/`, readOn },
      { url: `${docs}/docs/graph-api/reference/photo/`, readOn },
      { url: `${docs}/docs/video-api/guides/publishing`, readOn },
      { url: `${docs}/documentation/pages-api/posts.md`, readOn },
      {
        url: "https://www.digitaltrends.com/mobile/facebook-increases-limit-for-status-updates-to-63206-characters/",
        readOn: publishingReadOn,
      },
    ],
  },
  sources: [
    { url: `${docs}/documentation/facebook-login/guides/advanced/manual-flow`, readOn, dated: "2026-03-10" },
    { url: `${docs}/docs/facebook-login/guides/access-tokens/get-long-lived`, readOn },
    { url: `${docs}/documentation/pages-api/getting-started.md`, readOn },
    { url: `${docs}/docs/graph-api/reference/user/permissions/`, readOn },
    { url: `${docs}/documentation/pages-api/posts.md`, readOn: publishingReadOn },
    { url: `${docs}/docs/graph-api/reference/page/photos/`, readOn: publishingReadOn },
    { url: `${docs}/docs/graph-api/reference/page/videos`, readOn: publishingReadOn },
    { url: `${docs}/docs/graph-api/reference/user/videos/`, readOn: publishingReadOn },
    { url: `${docs}/docs/graph-api/reference/video-status`, readOn: publishingReadOn },
    { url: `${docs}/docs/graph-api/reference/page/feed/`, readOn: publishingReadOn },
    { url: `${docs}/docs/graph-api/reference/page-post/attachments/`, readOn: publishingReadOn },
    { url: `${docs}/docs/graph-api/guides/error-handling`, readOn: publishingReadOn },
  ],
};
