import { requireText, toObjectList, toText } from "../call-api.ts";
import { createLogin } from "../graph/login.ts";
import type { OAuthPlatform } from "../platform.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import { apiVersion, publishing } from "./publish.ts";
import { results } from "./results.ts";

/** Connects professional accounts with Instagram's own login. */
export const instagram: OAuthPlatform = {
  id: "instagram",
  name: "Instagram",
  endpoints: {
    authorization: "https://www.instagram.com/oauth/authorize",
    token: "https://api.instagram.com/oauth/access_token",
    api: "https://graph.instagram.com",
  },
  // The last one is for results only: publishing works without it.
  scopes: ["instagram_business_basic", "instagram_business_content_publish", "instagram_business_manage_insights"],
  ...createLogin("ig"),
  // The code exchange returns the token in a list; the calls of `createLogin` return it directly.
  normalizeToken: (body) => toObjectList(body["data"])[0] ?? body,
  accountCall: { path: `/${apiVersion}/me`, query: { fields: "user_id,username,name,profile_picture_url" } },
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
  publishing: { ...publishing, results },
  limits,
  options,
};
