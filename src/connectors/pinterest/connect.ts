import type { OAuthPlatform } from "../platform.ts";
import { requireText, toText } from "../call-api.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import * as publishing from "./publish.ts";

/** For apps since 25 September 2025, access tokens are valid for 30 days, refresh tokens for 60. A refresh renews both. */
export const pinterest: OAuthPlatform = {
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
  accountCall: { path: "/user_account" },
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
  publishing,
  options,
  limits,
  notice: "Until Pinterest gives this server’s app standard access, only you see its pins.",
};
