import type { Platform } from "../platform.ts";
import { demand, textIn } from "../read-json.ts";

/** A platform in this very process, on a development instance: the whole path can be walked without anyone else. */
export function sandbox(origin: string): Platform {
  return {
    id: "sandbox",
    name: "Sandbox",
    endpoints: {
      issuer: origin,
      authorization: `${origin}/auth`,
      token: `${origin}/token`,
      revocation: `${origin}/revoke`,
      api: origin,
    },
    app: "settings",
    scopes: ["openid", "profile", "offline_access"],
    pkce: true,
    clientAuth: "basic",
    authorizeParams: { prompt: "consent" },
    refresh: "standard",
    revoke: "standard",
    account: ({ accessToken, endpoints }) => ({ method: "GET", url: `${endpoints.api}/me`, bearer: accessToken }),
    readAccounts: (answer) => [
      {
        id: demand(answer["sub"], "sub"),
        handle: textIn(answer["preferred_username"]),
        name: textIn(answer["name"]),
      },
    ],
    limits: {
      text: { max: 280, countedIn: "graphemes" },
      images: { max: 4, types: ["image/jpeg", "image/png", "image/gif", "image/webp"], maxBytes: 5 * 1024 * 1024 },
      videos: { max: 1, types: ["video/mp4"], maxBytes: 512 * 1024 * 1024, maxDurationMs: 140_000 },
      mixed: false,
      altText: { maxLength: 1000 },
      // Made up here, so that each kind of problem can be seen.
      sources: [{ url: `${origin}/about`, readOn: "2026-11-15" }],
    },
    sources: [{ url: `${origin}/about`, readOn: "2026-11-15" }],
  };
}
