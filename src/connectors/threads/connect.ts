import { requireText, toText } from "../call-api.ts";
import { createLogin } from "../graph/login.ts";
import type { OAuthPlatform } from "../platform.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import { publishing } from "./publish.ts";
import { results } from "./results.ts";

export const threads: OAuthPlatform = {
  id: "threads",
  name: "Threads",
  endpoints: {
    authorization: "https://threads.com/oauth/authorize",
    token: "https://graph.threads.net/oauth/access_token",
    api: "https://graph.threads.net",
  },
  // Publishing needs only the first two. The others are for results, and for finding a reply whose response was lost.
  scopes: ["threads_basic", "threads_content_publish", "threads_manage_insights", "threads_read_replies"],
  ...createLogin("th"),
  accountCall: { path: "/v1.0/me", query: { fields: "id,username,name,threads_profile_picture_url" } },
  parseAccounts: (body) => {
    const handle = requireText(body["username"], "username");
    return [
      {
        id: requireText(body["id"], "id"),
        handle,
        name: toText(body["name"]),
        avatarUrl: toText(body["threads_profile_picture_url"]),
        profileUrl: `https://www.threads.com/@${encodeURIComponent(handle)}`,
      },
    ];
  },
  publishing: { ...publishing, results },
  limits,
  options,
};
