import { PlatformError } from "#domain/model/platform-error.ts";
import type { InstanceLimits } from "#domain/model/platform-limits.ts";
import type { Account, PlatformTarget } from "#domain/model/connection.ts";
import type { PlatformApp, PlatformTokens } from "#domain/ports/platforms.ts";
import type { Log } from "#lib/log.ts";
import { callApi, requireId, toUrl } from "./call-api.ts";
import type { Connector, OAuthSetup } from "./connectors.ts";
import {
  createAuthorizationUrl,
  exchangeCode,
  renewTokens,
  revokeTokens,
  toTokenContext,
  type ConnectorContext,
} from "./oauth.ts";
import {
  callbackPath,
  getEndpoints,
  maxAccounts,
  type ApiCall,
  type TokenContext,
  type JsonObject,
  type OAuthPlatform,
  type PlatformAccount,
} from "./platform.ts";
import { timeoutError, withStepTimeout } from "./step-timeout.ts";
import { toTokens } from "./token-response.ts";

/** Connects accounts of platforms that follow RFC 6749, apart from the deviations that `OAuthPlatform` describes. */
export function createOAuthConnector(base: string, setup: OAuthSetup, log?: Log): Connector {
  const { platform, publicFetch } = setup;
  const { appRegistration } = platform;

  const buildRedirectUri = ({ instance }: PlatformTarget): string =>
    `${base}${callbackPath}${platform.id}${instance === "" ? "" : `/${encodeURIComponent(new URL(instance).host)}`}`;

  function createContext(target: PlatformTarget, registeredApp: PlatformApp | undefined): ConnectorContext {
    const { app = registeredApp } = setup;
    if (!app) throw new Error(`there are no credentials for ${platform.id}`);
    const endpoints = getEndpoints(platform, target.instance);
    return { platform, endpoints, app, redirectUri: buildRedirectUri(target), publicFetch };
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

/** Fetches the accounts that the tokens give access to. */
async function fetchAccounts(
  context: ConnectorContext,
  tokens: PlatformTokens,
): Promise<readonly { account: Account; tokens: PlatformTokens }[]> {
  const body = await callApi(context.publicFetch, buildAccountCall(context.platform, toTokenContext(context, tokens)));
  const accounts = parseAccounts(context, body);
  if (accounts.length === 0) throw new PlatformError("denied", "no account was selected");
  return accounts.slice(0, maxAccounts).map(({ accessToken, ...account }) => ({
    account: sanitizeAccount(account),
    // The expiry of the user's token does not apply to an account's own token.
    tokens: accessToken === undefined ? tokens : toTokens({ access_token: accessToken }),
  }));
}

export const buildAccountCall = (
  { accountCall: { path, query } }: Pick<OAuthPlatform, "accountCall">,
  { accessToken, endpoints }: TokenContext,
): ApiCall => ({ method: "GET", url: `${endpoints.api}${path}`, ...(query && { query }), bearer: accessToken });

function parseAccounts({ platform }: ConnectorContext, body: JsonObject): readonly PlatformAccount[] {
  try {
    return platform.parseAccounts(body).map((account) => ({ ...account, id: requireId(account.id) }));
  } catch {
    throw new PlatformError("unavailable", "it sent an invalid response");
  }
}

/** Makes the account safe to store and display. Users of the platform choose its handle, name and URLs. */
function sanitizeAccount({ id, handle, name, avatarUrl, profileUrl }: PlatformAccount): Account {
  return {
    id,
    handle: sanitizeText(handle),
    name: sanitizeText(name),
    avatarUrl: toUrl(avatarUrl),
    profileUrl: toUrl(profileUrl),
  };
}

function sanitizeText(text: string | undefined): string | null {
  const sanitizedText =
    text
      ?.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
      .trim()
      .slice(0, 200)
      // Last, because the slice may end within a surrogate pair.
      .toWellFormed() ?? "";
  return sanitizedText === "" ? null : sanitizedText;
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
