import { PlatformError } from "#domain/platforms/platform-error.ts";
import type { PlatformTarget } from "#domain/platforms/connection.ts";
import type { PlatformApp, PlatformInfo, Platforms } from "#domain/platforms/ports.ts";
import type { Log } from "#lib/log.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { fetchAccounts } from "./accounts.ts";
import { callApi } from "./call-api.ts";
import { createAuthorizationUrl, exchangeCode, renewTokens, revokeTokens, type ConnectorContext } from "./oauth.ts";
import type { Platform } from "./platform.ts";

/** A platform as this server knows it: who we are there, and how it is reached. */
export interface PlatformSetup {
  platform: Platform;
  /** From the settings. Absent where we register by ourselves, or have none. */
  app?: PlatformApp | undefined;
  publicFetch: PublicFetch;
}

/** What one step with a platform may take. */
export const stepTimeoutMs = 10_000;

/** Where platforms send people back to. */
export const callbackPath = "/api/platforms/callback/";

/** The catalogue at work. */
export function createPlatforms(base: string, setups: readonly PlatformSetup[], log?: Log): Platforms {
  const byId = new Map(setups.map((setup) => [setup.platform.id, setup]));
  const infoById = new Map(setups.map((setup) => [setup.platform.id, toPlatformInfo(setup)]));

  const buildRedirectUri = ({ platform, instance }: PlatformTarget): string =>
    `${base}${callbackPath}${platform}${instance === "" ? "" : `/${encodeURIComponent(new URL(instance).host)}`}`;

  function createContext(target: PlatformTarget, registered: PlatformApp | undefined): ConnectorContext {
    const { platform, app = registered, publicFetch } = getSetup(target.platform);
    if (!app) throw new Error(`nobody has said who we are at ${platform.id}`);
    const { endpoints } = platform;
    return {
      platform,
      endpoints: typeof endpoints === "function" ? endpoints(target.instance) : endpoints,
      app,
      redirectUri: buildRedirectUri(target),
      publicFetch,
    };
  }

  function getSetup(id: string): PlatformSetup {
    const setup = byId.get(id);
    if (!setup) throw new Error(`there is no platform ${id}`);
    return setup;
  }

  /** In time; and where it turns out that the settings are wrong, the operator reads so. */
  async function withAppWarning<T>(
    { platform }: ConnectorContext,
    work: (hasTimedOut: () => boolean) => Promise<T>,
  ): Promise<T> {
    try {
      return await withTimeout(work);
    } catch (error) {
      if (error instanceof PlatformError && error.kind === "unknown_app" && platform.app === "settings")
        log?.warn({ platform: platform.id, kind: error.kind }, "a platform does not accept our client id and secret");
      throw error;
    }
  }

  return {
    list: () => [...infoById.values()],
    find: (id) => infoById.get(id),
    redirectUri: buildRedirectUri,
    async registerApp(target) {
      const { platform, publicFetch } = getSetup(target.platform);
      if (platform.app === "settings") throw new Error(`${platform.id} has no registration`);
      const appInfo = { name: "Atelier", website: base, redirectUri: buildRedirectUri(target) };
      const body = await callApi(publicFetch, platform.app.buildCall(target.instance, appInfo));
      try {
        return platform.app.parseCredentials(body);
      } catch {
        throw new PlatformError("unreachable", `there is no ${platform.name} at this address`);
      }
    },
    startAuthorization: (target, app) => createAuthorizationUrl(createContext(target, app)),
    finishAuthorization(target, app, callback, pending) {
      const context = createContext(target, app);
      return withAppWarning(context, async (hasTimedOut) => {
        const tokens = await exchangeCode(context, callback, pending);
        try {
          const accounts = await fetchAccounts(context, tokens);
          if (hasTimedOut()) throw timeoutError();
          return accounts;
        } catch (error) {
          // Nobody will ever use them. That the platform may not hear of it changes nothing for the person.
          await revokeTokens(context, tokens).catch(() => {});
          throw error;
        }
      });
    },
    renew(target, app, tokens) {
      const context = createContext(target, app);
      return withAppWarning(context, () => renewTokens(context, tokens));
    },
    revoke: (target, app, tokens) => withTimeout(() => revokeTokens(createContext(target, app), tokens)),
  };
}

/** However many requests a step takes, it is over by then: a person waits. */
async function withTimeout<T>(work: (hasTimedOut: () => boolean) => Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    reject(timeoutError());
  }, stepTimeoutMs);
  try {
    return await Promise.race([work(() => hasTimedOut), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

const timeoutError = (): PlatformError => new PlatformError("unreachable", "it did not answer in time");

function toPlatformInfo({ platform, app }: PlatformSetup): PlatformInfo {
  const { id, name, limits } = platform;
  return {
    id,
    name,
    hasInstances: typeof platform.endpoints === "function",
    isConfigured: app !== undefined || platform.app !== "settings",
    limits,
  };
}
