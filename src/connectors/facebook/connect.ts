import { requireText, toObject, toObjectList, toText } from "../call-api.ts";
import { readGraphErrorCode } from "../graph/errors.ts";
import { maxAccounts, type OAuthPlatform } from "../platform.ts";
import { limits } from "./limits.ts";
import * as publishing from "./publish.ts";

const graph = "https://graph.facebook.com/v25.0";

/**
 * Connects pages, because Facebook does not let apps post as a person. Each selected page has its own token. A page
 * token that was requested with a long-lived user token does not expire, so we make the user token long-lived before we
 * request page tokens, and never refresh them.
 */
export const facebook: OAuthPlatform = {
  id: "facebook",
  name: "Facebook Pages",
  endpoints: {
    authorization: "https://www.facebook.com/v25.0/dialog/oauth",
    token: `${graph}/oauth/access_token`,
    api: graph,
  },
  // The last one is for results only: publishing works without it.
  scopes: ["pages_show_list", "pages_read_engagement", "pages_manage_posts", "read_insights"],
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
  accountCall: {
    path: "/me/accounts",
    query: { fields: "id,name,username,access_token,tasks,picture{url}", limit: String(maxAccounts) },
  },
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
  publishing,
  limits,
};
