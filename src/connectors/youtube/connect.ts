import type { OAuthPlatform } from "../platform.ts";
import { requireText, toObject, toObjectList, toText } from "../call-api.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import * as publishing from "./publish.ts";

const scopePrefix = "https://www.googleapis.com/auth";

/**
 * Connects channels of a Google account. Google issues a refresh token only with `access_type=offline`, and issues
 * another one only with `prompt=consent`.
 */
export const youtube: OAuthPlatform = {
  id: "youtube",
  name: "YouTube",
  endpoints: {
    issuer: "https://accounts.google.com",
    authorization: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    revocation: "https://oauth2.googleapis.com/revoke",
    api: "https://www.googleapis.com/youtube/v3",
  },
  // The third one is for `videos.update`, which makes a video public.
  scopes: [`${scopePrefix}/youtube.upload`, `${scopePrefix}/youtube.readonly`, `${scopePrefix}/youtube.force-ssl`],
  pkce: true,
  clientAuth: "post",
  authorizeParams: { access_type: "offline", prompt: "consent" },
  refresh: "standard",
  revoke: "standard",
  accountCall: { path: "/channels", query: { part: "snippet", mine: "true" } },
  parseAccounts: (body) =>
    toObjectList(body["items"]).map((channel) => {
      const id = requireText(channel["id"], "id");
      const snippet = toObject(channel["snippet"]);
      return {
        id,
        handle: toText(snippet["customUrl"])?.replace(/^@/, ""),
        name: toText(snippet["title"]),
        avatarUrl: toText(toObject(toObject(snippet["thumbnails"])["default"])["url"]),
        profileUrl: `https://www.youtube.com/channel/${encodeURIComponent(id)}`,
      };
    }),
  publishing,
  options,
  limits,
  notice: "Until Google has audited this server’s app, YouTube keeps its videos private, for good.",
};
