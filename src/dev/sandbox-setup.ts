import { Readable } from "node:stream";
import type { PublicFetch, PublicRequest } from "#lib/public-fetch.ts";
import { platformFetchLimits } from "#connectors/catalog.ts";
import type { OAuthPlatform } from "#connectors/platform.ts";
import type { OAuthSetup } from "#connectors/connectors.ts";
import { requireId, toText } from "#connectors/call-api.ts";
import * as publishing from "./sandbox-publish.ts";
import type { SandboxPlatform } from "./sandbox-platform.ts";

/** Connects Atelier to the sandbox in the same process. Requests outside its own URLs are rejected. */
export function createSandboxSetup({ origin, app }: Pick<SandboxPlatform, "origin" | "app">): OAuthSetup {
  const sandboxFetch: PublicFetch = async (url, request = {}) => {
    if (!url.startsWith(`${origin}/`)) throw new Error("not a URL of the sandbox");
    const { method = "GET", headers = {}, body, timeoutMs = platformFetchLimits.timeoutMs } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    return fetch(url, {
      method,
      headers,
      ...(await toFetchBody(body)),
      redirect: "manual",
      signal: request.signal ? AbortSignal.any([timeout, request.signal]) : timeout,
    });
  };
  return { platform: createSandboxEntry(origin), app, publicFetch: sandboxFetch };
}

async function toFetchBody(body: PublicRequest["body"]): Promise<RequestInit> {
  if (body === undefined) return {};
  if (typeof body === "object" && "open" in body) return { body: Readable.from(await body.open()), duplex: "half" };
  return { body: typeof body === "string" ? body : new Uint8Array(body) };
}

/** Describes the sandbox as a platform. */
function createSandboxEntry(origin: string): OAuthPlatform {
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
    scopes: ["openid", "profile", "offline_access"],
    pkce: true,
    clientAuth: "basic",
    authorizeParams: { prompt: "consent" },
    refresh: "standard",
    revoke: "standard",
    accountCall: { path: "/me" },
    parseAccounts: (response) => [
      {
        id: requireId(response["sub"], "sub"),
        handle: toText(response["preferred_username"]),
        name: toText(response["name"]),
      },
    ],
    publishing,
    options: [
      {
        name: "visibility",
        label: "Visibility",
        kind: "choice",
        values: [
          { value: "public", label: "Public" },
          { value: "unlisted", label: "Unlisted" },
        ],
        default: "public",
        chosenBy: "anyone",
      },
      {
        name: "audience",
        label: "Audience",
        help: "Required for posts with the hashtag #ad. Only a person can choose it.",
        kind: "choice",
        values: [
          { value: "everyone", label: "Everyone" },
          { value: "adults", label: "Adults" },
        ],
        requiredIf: { hashtag: "ad" },
        chosenBy: "person",
      },
    ],
    limits: {
      text: { max: 280, unit: "graphemes" },
      images: {
        max: 4,
        types: ["image/jpeg", "image/png", "image/gif", "image/webp"],
        maxBytes: 5 * 1024 * 1024,
        animatedTypes: ["image/gif", "image/webp"],
      },
      videos: { max: 1, types: ["video/mp4"], maxBytes: 512 * 1024 * 1024, maxDurationMs: 140_000 },
      allowsMixedKinds: false,
      altText: { maxLength: 1000 },
      // These limits are made up so that each kind of problem can be shown.
      sources: [{ url: `${origin}/about`, readOn: "2026-11-15" }],
    },
  };
}
