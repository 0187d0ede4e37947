import { PlatformError } from "#domain/platforms/platform-error.ts";
import type { InstanceLimits } from "#domain/platforms/instance-limits.ts";
import type { PlatformTarget } from "#domain/platforms/connection.ts";
import type { PlatformApp, PlatformInfo, Platforms } from "#domain/platforms/ports.ts";
import type { Log } from "#lib/log.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { fetchAccounts } from "./accounts.ts";
import { callApi } from "./call-api.ts";
import { createAuthorizationUrl, exchangeCode, renewTokens, revokeTokens, type ConnectorContext } from "./oauth.ts";
import type { Platform } from "./platform.ts";

/** A platform, and this server's credentials for it. */
export interface PlatformSetup {
  platform: Platform;
  /** From the settings. Undefined if the operator has not set it, or if the server registers with each instance. */
  app?: PlatformApp | undefined;
  publicFetch: PublicFetch;
}

/** Timeout for one step of connecting an account or renewing its credentials, for all requests of the step together. */
export const stepTimeoutMs = 10_000;

/** Platforms redirect users to this path. */
export const callbackPath = "/api/platforms/callback/";

export function createPlatforms(base: string, setups: readonly PlatformSetup[], log?: Log): Platforms {
  const setupById = new Map(setups.map((setup) => [setup.platform.id, setup]));
  const infoById = new Map(setups.map((setup) => [setup.platform.id, toPlatformInfo(setup)]));

  const buildRedirectUri = ({ platform, instance }: PlatformTarget): string =>
    `${base}${callbackPath}${platform}${instance === "" ? "" : `/${encodeURIComponent(new URL(instance).host)}`}`;

  function createContext(target: PlatformTarget, registeredApp: PlatformApp | undefined): ConnectorContext {
    const { platform, app = registeredApp, publicFetch } = getSetup(target.platform);
    if (!app) throw new Error(`there are no credentials for ${platform.id}`);
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
    const setup = setupById.get(id);
    if (!setup) throw new Error(`unknown platform ${id}`);
    return setup;
  }

  /** Applies the timeout, and warns the operator if the platform rejects the configured credentials. */
  async function withAppWarning<T>(
    { platform }: ConnectorContext,
    work: (hasTimedOut: () => boolean) => Promise<T>,
  ): Promise<T> {
    try {
      return await withTimeout(work);
    } catch (error) {
      if (error instanceof PlatformError && error.kind === "unknown_app" && platform.appCredentialsFrom === "settings")
        log?.warn({ platform: platform.id, kind: error.kind }, "platform rejected the configured client id and secret");
      throw error;
    }
  }

  return {
    list: () => [...infoById.values()],
    find: (id) => infoById.get(id),
    getRedirectUri: buildRedirectUri,
    async registerApp(target) {
      const { platform, publicFetch } = getSetup(target.platform);
      if (platform.appCredentialsFrom === "settings") throw new Error(`${platform.id} does not support registration`);
      const appInfo = { name: "Atelier", website: base, redirectUri: buildRedirectUri(target) };
      const body = await callApi(
        publicFetch,
        platform.appCredentialsFrom.buildRegistrationCall(target.instance, appInfo),
      );
      try {
        return platform.appCredentialsFrom.parseCredentials(body);
      } catch {
        throw new PlatformError("unavailable", `this URL is not a ${platform.name} instance`);
      }
    },
    startAuthorization: (target, app) => createAuthorizationUrl(createContext(target, app)),
    finishAuthorization(target, app, callback, pending) {
      const context = createContext(target, app);
      return withAppWarning(context, async (hasTimedOut) => {
        const tokens = await exchangeCode(context, callback, pending);
        try {
          const accounts = await fetchAccounts(context, tokens);
          const limits = await readInstanceLimits(context, target.instance);
          if (hasTimedOut()) throw timeoutError();
          return accounts.map((grantedAccount) => ({ ...grantedAccount, limits }));
        } catch (error) {
          // The tokens will never be used. A failed revocation makes no difference to the user.
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

/** Null if the instance does not state its limits: connecting works without them. */
async function readInstanceLimits(
  { platform: { instanceLimits }, publicFetch }: ConnectorContext,
  instance: string,
): Promise<InstanceLimits | null> {
  for (const call of instanceLimits?.buildCalls(instance) ?? []) {
    const limits = await callApi(publicFetch, call).then(instanceLimits?.parse, () => undefined);
    if (limits && Object.keys(limits).length > 0) return limits;
  }
  return null;
}

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

const timeoutError = (): PlatformError => new PlatformError("unavailable", "it did not respond in time");

function toPlatformInfo({ platform, app }: PlatformSetup): PlatformInfo {
  const { id, name, limits } = platform;
  return {
    id,
    name,
    hasInstances: typeof platform.endpoints === "function",
    isConfigured: app !== undefined || platform.appCredentialsFrom !== "settings",
    canPublish: platform.publishing !== undefined,
    limits,
  };
}
