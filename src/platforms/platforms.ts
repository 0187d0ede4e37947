import { PlatformFailure } from "#domain/platforms/failure.ts";
import type { PlatformPlace } from "#domain/platforms/connection.ts";
import type { PlatformApp, PlatformFacts, Platforms } from "#domain/platforms/ports.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { findAccounts } from "./account.ts";
import { callApi } from "./call.ts";
import { authorizeAddress, redeemCode, renewTokens, revokeTokens, type Site } from "./oauth.ts";
import type { Platform } from "./platform.ts";

/** A platform as this server knows it: who we are there, and how it is reached. */
export interface PlatformSetup {
  platform: Platform;
  /** From the settings. Absent where we register by ourselves, or have none. */
  app?: PlatformApp | undefined;
  reach: PublicFetch;
}

/** What one step with a platform may take. */
export const patienceMs = 10_000;

/** Where platforms send people back to. */
export const callbackPath = "/api/platforms/callback/";

/** The catalogue at work. */
export function createPlatforms(base: string, setups: readonly PlatformSetup[]): Platforms {
  const byId = new Map(setups.map((setup) => [setup.platform.id, setup]));
  const facts = new Map(setups.map((setup) => [setup.platform.id, factsOf(setup)]));

  const redirectUri = ({ platform, instance }: PlatformPlace): string =>
    `${base}${callbackPath}${platform}${instance === "" ? "" : `/${encodeURIComponent(new URL(instance).host)}`}`;

  function siteOf(place: PlatformPlace, registered: PlatformApp | undefined): Site {
    const { platform, app = registered, reach } = setupOf(place.platform);
    if (!app) throw new Error(`nobody has said who we are at ${platform.id}`);
    const { endpoints } = platform;
    return {
      platform,
      endpoints: typeof endpoints === "function" ? endpoints(place.instance) : endpoints,
      app,
      redirectUri: redirectUri(place),
      reach,
    };
  }

  function setupOf(id: string): PlatformSetup {
    const setup = byId.get(id);
    if (!setup) throw new Error(`there is no platform ${id}`);
    return setup;
  }

  return {
    list: () => [...facts.values()],
    find: (id) => facts.get(id),
    redirectUri,
    async register(place) {
      const { platform, reach } = setupOf(place.platform);
      if (platform.app === "settings") throw new Error(`${platform.id} has no registration`);
      const our = { name: "Atelier", website: base, redirectUri: redirectUri(place) };
      const answer = await callApi(reach, platform.app.register(place.instance, our));
      try {
        return platform.app.read(answer);
      } catch {
        throw new PlatformFailure("unreachable", `there is no ${platform.name} at this address`);
      }
    },
    begin: (place, app) => authorizeAddress(siteOf(place, app)),
    finish(place, app, callback, pending) {
      const site = siteOf(place, app);
      return inTime(async () => findAccounts(site, await redeemCode(site, callback, pending)));
    },
    renew: (place, app, tokens) => inTime(() => renewTokens(siteOf(place, app), tokens)),
    revoke: (place, app, tokens) => inTime(() => revokeTokens(siteOf(place, app), tokens)),
  };
}

/** However many requests a step takes, it is over by then: a person waits. */
async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new PlatformFailure("unreachable", "it did not answer in time")), patienceMs);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function factsOf({ platform, app }: PlatformSetup): PlatformFacts {
  const { id, name, limits } = platform;
  return {
    id,
    name,
    perInstance: typeof platform.endpoints === "function",
    configured: app !== undefined || platform.app !== "settings",
    limits,
  };
}
