import type { PlatformApp } from "#domain/platforms/ports.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { catalog } from "./catalog.ts";
import { patienceMs, type PlatformSetup } from "./platforms.ts";

/** What one answer of a platform may take and hold. */
export const platformLimits = { timeoutMs: patienceMs, maxBytes: 256 * 1024 } as const;

/** The catalogue with what the settings say of it. */
export function catalogSetups(credentials: Readonly<Record<string, PlatformApp>>, reach: PublicFetch): PlatformSetup[] {
  return catalog.map((platform) => ({
    platform,
    app: platform.app === "settings" ? credentials[platform.id] : undefined,
    reach,
  }));
}

/** Settings for platforms that are none, or that need none: a slip of the keyboard that would never be noticed. */
export function strayCredentials(credentials: Readonly<Record<string, PlatformApp>>): string[] {
  const taken = catalog.filter(({ app }) => app === "settings").map(({ id }) => id);
  return Object.keys(credentials)
    .filter((name) => !taken.includes(name))
    .map((name) => {
      const known = taken.length === 0 ? "none takes settings" : `known are ${taken.join(", ")}`;
      return `PLATFORM_${name.toUpperCase()}_CLIENT_ID: there is no such platform to set up; ${known}`;
    });
}
