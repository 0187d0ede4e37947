import type { EventEmitter } from "node:events";
import {
  errors,
  interactionPolicy,
  Provider,
  type ClientMetadata,
  type Configuration,
  type KoaContextWithOIDC,
} from "oidc-provider";
import { scopes as studioScopes } from "#domain/caller.ts";
import { accessTokenLifetime } from "#domain/model/grant.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { deriveSigningKeys } from "#lib/signing-keys.ts";
import { days, hours, minutes, seconds } from "#lib/clock.ts";
import { equalsInConstantTime, sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { deriveKey } from "#lib/signed-token.ts";
import { consentLifetime, createAdapterFactory, type AdapterDeps } from "./adapter.ts";
import {
  createFailureHandler,
  fixResponseTypeError,
  normalizeAuthorizationRequest,
  normalizeResponse,
  redirectToLogin,
  unusedSessionCookie,
  validateBeforeConsumingTokens,
} from "./provider-middleware.ts";
import { assertionProfile, registerAssertionGrant, type EnterpriseAccess } from "./assertion-grant.ts";
import {
  buildDocumentSettings,
  explainDocumentsOff,
  explainFetchFailure,
  type ClientDocuments,
} from "./client-documents.ts";
import { normalizeClientMetadata } from "./client-metadata.ts";
import { showEarlyErrors, type AuthorizationError } from "./early-errors.ts";
import { listResourceAliases, oauthPaths, pinUrls } from "./oauth-paths.ts";

export interface ProviderOptions {
  deps: AdapterDeps & Pick<Deps, "baseUrl" | "invitations" | "linkedIdentities" | "signInAllow">;
  secrets: readonly string[];
  /** Clients that the operator registered, as RFC 7591 metadata. */
  clients: readonly ClientMetadata[];
  clientDocuments: ClientDocuments | undefined;
  enterprise: EnterpriseAccess;
  loginUrl: string;
  isSignedIn: (cookieHeader: string) => Promise<boolean>;
  renderError: (error: { status: number; title: string; message: string; hint: string }) => {
    headers: Record<string, string>;
    body: string;
  };
  log: Log;
}

/** A client metadata document is small, and a user waits while we fetch it. */
export const documentLimits = { timeoutMs: seconds(3), maxBytes: 10 * 1024 } as const;

const toSeconds = (ms: number): number => ms / 1000;
const refreshIdleSeconds = toSeconds(days(30));
const refreshMaxSeconds = toSeconds(days(90));

/** The authorization server: OAuth 2.1 with PKCE, for public and confidential clients and one resource. */
export function createProvider(options: ProviderOptions): Provider {
  const base = options.deps.baseUrl;
  const provider = new Provider(base, buildConfiguration(options));
  pinUrls(provider, base);
  provider.on("server_error", createFailureHandler(options.log));
  (provider as EventEmitter).on("error", (err) => options.log.error({ err }, "authorization server failed"));
  provider.use(normalizeResponse);
  provider.use(normalizeAuthorizationRequest(base));
  provider.use(redirectToLogin(options));
  const operatorClients = new Set(options.clients.map((client) => client.client_id));
  const isOperatorClient = (id: string): boolean => operatorClients.has(id);
  const showError = createErrorRenderer(options.renderError, options.clientDocuments !== undefined);
  provider.use(showEarlyErrors(isOperatorClient, options.isSignedIn, showError));
  provider.use(fixResponseTypeError);
  validateBeforeConsumingTokens(provider, base);
  compareSecretDigests(provider, isOperatorClient);
  if (hasEnterprise(options)) registerAssertionGrant(provider, options.deps, options.enterprise, options.log);
  return provider;
}

const hasEnterprise = ({ enterprise }: ProviderOptions): boolean => enterprise.issuers.length > 0;

function buildConfiguration(options: ProviderOptions): Configuration {
  const { deps, secrets, clients, clientDocuments, renderError } = options;
  const documentSettings = buildDocumentSettings(clientDocuments);
  const base = deps.baseUrl;
  const mcpResource = `${base}/mcp`;
  const resourceAliases = listResourceAliases(base);
  const isSecure = base.startsWith("https:");
  const prefix = isSecure ? "__Secure-" : ""; // not __Host-, which requires the path /
  const cookieOptions = { signed: true, httpOnly: true, sameSite: "lax", secure: isSecure, overwrite: true } as const;
  return {
    adapter: createAdapterFactory(deps),
    clients: [...clients],
    jwks: { keys: deriveSigningKeys(secrets, "oauth-signing-key") },
    cookies: {
      keys: secrets.map((secret) => deriveKey(secret, "oauth-cookies").toString("base64url")),
      names: {
        session: unusedSessionCookie,
        interaction: `${prefix}atelier_approval`,
        resume: `${prefix}atelier_resume`,
      },
      long: cookieOptions,
      short: cookieOptions,
    },
    routes: { ...oauthPaths },
    scopes: ["openid", "offline_access", ...studioScopes],
    claims: { openid: ["sub"] },
    responseTypes: ["code"],
    discovery: hasEnterprise(options) ? { authorization_grant_profiles_supported: [assertionProfile] } : {},
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    clientDefaults: { grant_types: ["authorization_code", "refresh_token"], id_token_signed_response_alg: "ES256" },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    extraClientMetadata: {
      properties: ["software_id", "software_version"],
      // The library calls the validator for each of these properties; normalizing once is enough.
      validator: (_ctx, key, _value, metadata) => {
        if (key === "software_id") normalizeClientMetadata(metadata);
      },
    },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      // RFC 7009 §2.1: a client can revoke only its own tokens, and learns nothing about others.
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: documentSettings.feature,
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcpResource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (!resourceAliases.includes(resource)) throw new errors.InvalidTarget();
          return {
            scope: studioScopes.join(" "),
            audience: mcpResource,
            accessTokenFormat: "opaque" as const,
            accessTokenTTL: toSeconds(accessTokenLifetime.consent),
          };
        },
      },
    },
    fetch: documentSettings.fetch,
    fetchResponseBodyLimits: { "client_id metadata document": documentLimits.maxBytes },
    // Signing out of the web app does not revoke a client's tokens.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    // Only the grant of this consent: an earlier grant never replaces the user's decision.
    loadExistingGrant: async (ctx) => {
      const grantId = (ctx.oidc.result?.consent as { grantId?: string } | undefined)?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: { policy: createInteractionPolicy(), url: (_ctx, interaction) => `/consent/${interaction.uid}` },
    findAccount: async (_ctx, id) =>
      (await deps.users.find(id)) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    renderError: createErrorRenderer(renderError, clientDocuments !== undefined),
    clientBasedCORS: () => true,
    ttl: {
      AccessToken: toSeconds(accessTokenLifetime.consent),
      AuthorizationCode: 60,
      IdToken: toSeconds(hours(1)),
      Interaction: toSeconds(consentLifetime),
      Session: toSeconds(minutes(30)),
      Grant: toSeconds(days(365)),
      // 30 days after the last use, but no more than 90 days after the consent.
      RefreshToken: (_ctx, token) =>
        Math.max(1, Math.min(refreshIdleSeconds, (token.iiat ?? nowSeconds()) + refreshMaxSeconds - nowSeconds())),
    },
  } as Configuration;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Every authorization requires its own login check and consent, regardless of earlier decisions. */
function createInteractionPolicy(): interactionPolicy.DefaultPolicy {
  const { Check, Prompt } = interactionPolicy;
  const policy = interactionPolicy.base();
  policy.clear();
  policy.add(
    new Prompt(
      { name: "login", requestable: true },
      new Check("sign_in", "the user must sign in", "login_required", (ctx) => !ctx.oidc.result?.login),
    ),
  );
  policy.add(
    new Prompt(
      { name: "consent", requestable: true },
      new Check("consent", "the user must consent", "consent_required", (ctx) => !ctx.oidc.grant),
    ),
  );
  return policy;
}

/** Secrets of self-registered clients are stored as digests; the operator's file has plain text. */
function compareSecretDigests(provider: Provider, isOperatorClient: (id: string) => boolean): void {
  Object.assign(provider.Client.prototype as object, {
    compareClientSecret(this: { clientId: string; clientSecret: string }, candidate: string): boolean {
      return equalsInConstantTime(isOperatorClient(this.clientId) ? candidate : sha256(candidate), this.clientSecret);
    },
  });
}

function createErrorRenderer(renderError: ProviderOptions["renderError"], areDocumentsEnabled: boolean) {
  const explain = areDocumentsEnabled ? explainFetchFailure : explainDocumentsOff;
  return (
    ctx: KoaContextWithOIDC,
    { error, error_description: description }: AuthorizationError,
    cause?: Error,
  ): void => {
    const isRequestInvalid = cause === undefined || cause instanceof errors.OIDCProviderError;
    const page = renderError({
      status: ctx.status,
      title: "This sign-in request can’t continue",
      ...(isRequestInvalid
        ? {
            message: describeError(error, description),
            hint: "Nothing was shared with the application. Go back and connect again. If that fails too, send its developer the text in parentheses.",
          }
        : {
            message: cause instanceof AppError ? cause.message : "Something went wrong on this server.",
            hint: "Nothing was shared with the application. Wait a moment, then go back and connect again.",
          }),
      ...(cause instanceof errors.OIDCProviderError ? explain(ctx.query["client_id"], cause) : {}),
    });
    ctx.set(page.headers);
    ctx.body = page.body;
  };
}

function describeError(error: string, description: string | undefined): string {
  return `The application that sent you here made an invalid request (${error}${description ? `: ${description}` : ""}).`;
}
