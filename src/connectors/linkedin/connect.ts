import type { OAuthPlatform } from "../platform.ts";
import { requireText, toText } from "../call-api.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import * as publishing from "./publish.ts";

/**
 * Connects personal profiles; company pages need partner scopes. Access tokens are valid for 60 days. Only partners get
 * refresh tokens, so on most servers users have to connect again after that.
 */
export const linkedin: OAuthPlatform = {
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
  accountCall: { path: "/v2/userinfo" },
  parseAccounts: (body) => [
    { id: requireText(body["sub"], "sub"), name: toText(body["name"]), avatarUrl: toText(body["picture"]) },
  ],
  publishing,
  limits,
  options,
};
