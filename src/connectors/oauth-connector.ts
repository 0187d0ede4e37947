import { PlatformError } from "#domain/model/platform-error.ts";
import type { InstanceLimits } from "#domain/model/platform-limits.ts";
import type { PlatformTarget } from "#domain/model/connection.ts";
import type { PlatformApp } from "#domain/ports/platforms.ts";
import type { Log } from "#lib/log.ts";
import { fetchAccounts } from "./accounts.ts";
import { callApi } from "./call-api.ts";
import type { Connector, OAuthSetup } from "./connectors.ts";
import { createAuthorizationUrl, exchangeCode, renewTokens, revokeTokens, type ConnectorContext } from "./oauth.ts";
import { timeoutError, withStepTimeout } from "./step-timeout.ts";

/** Connects accounts of platforms that follow RFC 6749, apart from the deviations that `Platform` describes. */
export function createOAuthConnector(base: string, callbackPath: string, setup: OAuthSetup, log?: Log): Connector {
  const { platform, publicFetch } = setup;
  const { appRegistration } = platform;

  const buildRedirectUri = ({ instance }: PlatformTarget): string =>
    `${base}${callbackPath}${platform.id}${instance === "" ? "" : `/${encodeURIComponent(new URL(instance).host)}`}`;

  function createContext(target: PlatformTarget, registeredApp: PlatformApp | undefined): ConnectorContext {
    const { app = registeredApp } = setup;
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

  /** Applies the timeout, and warns the operator if the platform rejects the configured credentials. */
  async function runStep<T>(work: (hasTimedOut: () => boolean) => Promise<T>): Promise<T> {
    try {
      return await withStepTimeout(work);
    } catch (error) {
      if (error instanceof PlatformError && error.kind === "unknown_app" && !appRegistration)
        log?.warn({ platform: platform.id, kind: error.kind }, "platform rejected the configured client id and secret");
      throw error;
    }
  }

  return {
    getRedirectUri: buildRedirectUri,
    async registerApp(target) {
      if (!appRegistration) throw new Error(`${platform.id} does not support registration`);
      const appInfo = { name: "Atelier", website: base, redirectUri: buildRedirectUri(target) };
      const body = await callApi(publicFetch, appRegistration.buildRegistrationCall(target.instance, appInfo));
      try {
        return appRegistration.parseCredentials(body);
      } catch {
        throw new PlatformError("unavailable", `this URL is not a ${platform.name} instance`);
      }
    },
    startAuthorization: async (target, app) => createAuthorizationUrl(createContext(target, app)),
    async finishAuthorization(target, app, callback, pending) {
      const context = createContext(target, app);
      return runStep(async (hasTimedOut) => {
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
    async renew(target, app, tokens) {
      const context = createContext(target, app);
      return runStep(() => renewTokens(context, tokens));
    },
    revoke: (target, app, tokens) => withStepTimeout(() => revokeTokens(createContext(target, app), tokens)),
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
