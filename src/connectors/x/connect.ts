import type { OAuthPlatform } from "../platform.ts";
import { requireText, toObject, toText } from "../call-api.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import * as publishing from "./publish.ts";

/** Access tokens are valid for two hours, codes for 30 seconds. Each refresh returns a new refresh token. */
export const x: OAuthPlatform = {
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
  accountCall: { path: "/2/users/me", query: { "user.fields": "profile_image_url" } },
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
  publishing,
  limits,
  options,
};
