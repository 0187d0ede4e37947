import type { OAuthPlatform } from "../platform.ts";
import { requireId, toText } from "../call-api.ts";
import { instanceLimits, limits } from "./limits.ts";
import { options } from "./options.ts";
import * as publishing from "./publish.ts";

const scopes = ["read:accounts", "read:statuses", "write:media", "write:statuses"];

/** Connects to any Mastodon instance. Atelier registers its app there, so operators need no setup. Tokens do not expire. */
export const mastodon: OAuthPlatform = {
  id: "mastodon",
  name: "Mastodon",
  endpoints: (instance) => ({
    authorization: `${instance}/oauth/authorize`,
    token: `${instance}/oauth/token`,
    revocation: `${instance}/oauth/revoke`,
    api: instance,
  }),
  appRegistration: {
    buildRegistrationCall: (instance, { name, website, redirectUri }) => ({
      method: "POST",
      url: `${instance}/api/v1/apps`,
      form: { client_name: name, website, redirect_uris: redirectUri, scopes: scopes.join(" ") },
    }),
    parseCredentials: (body) => ({
      clientId: requireId(body["client_id"], "client_id"),
      clientSecret: requireId(body["client_secret"], "client_secret"),
    }),
  },
  scopes,
  // Mastodon supports PKCE since 4.3; older instances ignore unknown parameters, as RFC 6749 §3.1 requires.
  pkce: true,
  clientAuth: "post",
  refresh: "none",
  revoke: "standard",
  accountCall: { path: "/api/v1/accounts/verify_credentials" },
  parseAccounts: (body) => [
    {
      id: requireId(body["id"]),
      handle: toText(body["acct"]),
      name: toText(body["display_name"]),
      avatarUrl: toText(body["avatar"]),
      profileUrl: toText(body["url"]),
    },
  ],
  publishing,
  instanceLimits,
  limits,
  options,
};
