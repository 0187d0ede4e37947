import type { PlatformApp } from "#domain/ports/platforms.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { bluesky } from "./bluesky/connect.ts";
import { facebook } from "./facebook/connect.ts";
import { instagram } from "./instagram/connect.ts";
import { linkedin } from "./linkedin/connect.ts";
import { mastodon } from "./mastodon/connect.ts";
import { pinterest } from "./pinterest/connect.ts";
import { threads } from "./threads/connect.ts";
import { tiktok } from "./tiktok/connect.ts";
import { x } from "./x/connect.ts";
import { youtube } from "./youtube/connect.ts";
import type { OAuthPlatform } from "./platform.ts";
import type { AtprotoSetup } from "./atproto/connector.ts";
import type { PlatformSetup } from "./connectors.ts";
import { stepTimeoutMs } from "./step-timeout.ts";

/** Every platform that uses RFC 6749: all except Bluesky. In development, the sandbox is added. */
export const catalog: readonly OAuthPlatform[] = [
  linkedin,
  x,
  facebook,
  instagram,
  threads,
  tiktok,
  youtube,
  pinterest,
  mastodon,
];

/** Limits for one response from a platform. */
export const platformFetchLimits = { timeoutMs: stepTimeoutMs, maxBytes: 256 * 1024 } as const;

/** Combines the catalog with the credentials from the settings. */
export function createPlatformSetups(
  credentials: Readonly<Record<string, PlatformApp>>,
  publicFetch: PublicFetch,
  atprotoOptions: Omit<AtprotoSetup, "platform" | "publicFetch">,
): PlatformSetup[] {
  return [
    ...catalog.map((platform) => ({
      platform,
      app: platform.appRegistration ? undefined : credentials[platform.id],
      publicFetch,
    })),
    { platform: bluesky, publicFetch, ...atprotoOptions },
  ];
}

/** An error message for each credential of an unknown platform, or of a platform that needs none: probably typos. */
export function describeUnusedCredentials(credentials: Readonly<Record<string, PlatformApp>>): string[] {
  const configurableIds = catalog.filter(({ appRegistration }) => !appRegistration).map(({ id }) => id);
  return Object.keys(credentials)
    .filter((name) => !configurableIds.includes(name))
    .map((name) => {
      const platform = [...catalog, bluesky].find(({ id }) => id === name);
      if (platform) return `PLATFORM_${name.toUpperCase()}_CLIENT_ID: ${platform.name} needs no credentials`;
      return `PLATFORM_${name.toUpperCase()}_CLIENT_ID: unknown platform; expected one of ${configurableIds.join(", ")}`;
    });
}
