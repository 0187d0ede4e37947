import { errors, type KoaContextWithOIDC, type Provider } from "oidc-provider";
import { grantByAssertion } from "#domain/access/asserted-grants.ts";
import { accessTokenLifetime } from "#domain/model/grant.ts";
import type { AssertedUser } from "#domain/ports/access.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { isInDomains } from "#domain/model/user.ts";
import { authorizeSignIn } from "#domain/studios/authorize-sign-in.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { toDisplayName } from "./consent.ts";
import type { EnterpriseIssuer } from "./enterprise-issuers.ts";
import { createIssuerKeys } from "./issuer-keys.ts";
import { canonicalizeResource } from "./oauth-paths.ts";
import { addDefaultScopes } from "./provider-middleware.ts";
import { AssertionError, assertionMemory, verifyAssertion } from "./verify-assertion.ts";

export interface EnterpriseAccess {
  issuers: readonly EnterpriseIssuer[];
  /** Fetches the metadata and keys of issuers. */
  fetchUrl: PublicFetch;
}

type AssertionDeps = Pick<
  Deps,
  | "users"
  | "invitations"
  | "linkedIdentities"
  | "oauthRecords"
  | "transact"
  | "newId"
  | "clock"
  | "signInAllow"
  | "baseUrl"
>;

/** RFC 7523. */
const assertionGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const assertionProfile = "urn:ietf:params:oauth:grant-profile:id-jag";

/** Adds the grant type with which clients of companies get access for existing users, without a consent page. */
export function registerAssertionGrant(
  provider: Provider,
  deps: AssertionDeps,
  { issuers, fetchUrl }: EnterpriseAccess,
  log: Log,
): void {
  const base = deps.baseUrl;
  const findKey = createIssuerKeys(fetchUrl);

  async function handle(ctx: KoaContextWithOIDC): Promise<void> {
    const { client, params = {} } = ctx.oidc;
    if (!client) throw new errors.InvalidClient();
    const { clientId } = client;
    const resources = [params["resource"] ?? []].flat() as string[];
    if (resources.some((resource) => canonicalizeResource(base, resource) !== `${base}/mcp`))
      throw new errors.InvalidTarget();
    const requestedScopes = addDefaultScopes((params["scope"] as string | undefined) ?? null).split(" ");
    const request = { assertion: params["assertion"], clientId, requestedScopes };
    const { issuer, subject, id, scopes } = await verifyAssertion(
      { issuers, findKey, base, now: deps.clock() },
      request,
    );
    const { user } = await findUser(deps, issuer, subject);
    await consumeId(deps, issuer, id);
    const isVerified = (client as { clientIdMetadataDocument?: boolean }).clientIdMetadataDocument === true;
    const { host } = new URL(issuer.issuer);
    const grantId = await grantByAssertion(deps, user, {
      clientId,
      clientName: toDisplayName(client.clientName) || host,
      clientVerified: isVerified,
      redirectHost: isVerified ? new URL(clientId).host : host,
      scopes,
      issuer: issuer.issuer,
    });
    const token = new provider.AccessToken({
      client,
      accountId: user.id,
      grantId,
      gty: assertionGrantType,
      scope: scopes.join(" "),
      expiresIn: accessTokenLifetime.assertion / 1000,
    });
    token.setAudience(`${base}/mcp`);
    const value = await token.save();
    ctx.body = { access_token: value, token_type: "Bearer", expires_in: token.expiration, scope: token.scope };
  }

  // Any client may use the grant type; an issuer says which ones its assertions can name.
  const prototype = provider.Client.prototype as unknown as { grantTypeAllowed(type: string): boolean };
  const originalCheck = prototype.grantTypeAllowed;
  prototype.grantTypeAllowed = function isGrantTypeAllowed(this: typeof prototype, type: string): boolean {
    return type === assertionGrantType || originalCheck.call(this, type);
  };
  provider.registerGrantType(
    assertionGrantType,
    (ctx) =>
      handle(ctx).catch((error: unknown) => {
        const isRejected = error instanceof AssertionError || (error instanceof AppError && error.code === "forbidden");
        throw isRejected ? new errors.InvalidGrant(error.message) : error;
      }),
    ["assertion", "scope", "resource"],
    ["resource"],
  );
  provider.on("grant.error", (ctx, error) => {
    const { grant_type: grantType, client_id: requestedId } = ctx.oidc.params ?? {};
    if (grantType !== assertionGrantType) return;
    const clientId = ctx.oidc.client?.clientId ?? requestedId;
    const reason = error.error_detail ?? error.error_description ?? error.message;
    log.warn({ clientId, error: error.error, reason }, "assertion rejected");
  });
}

/** Finds the user by issuer and subject, never by email, and checks that they may sign in. */
async function findUser(deps: AssertionDeps, issuer: EnterpriseIssuer, subject: string): Promise<AssertedUser> {
  const { linkedIdentities } = deps;
  const assertedUser = issuer.link
    ? await linkedIdentities.findUser(issuer.issuer, subject)
    : await linkedIdentities.findSignInUser(issuer.issuer, subject);
  if (!assertedUser)
    throw new AssertionError(
      issuer.link ? "no user has linked this subject" : "no user has signed in with this subject",
    );
  const { user, companyEmail } = assertedUser;
  if (companyEmail === null || !isInDomains(companyEmail, issuer.domains))
    throw new AssertionError("the user has no verified email in a domain of the issuer");
  if (user.disabledAt !== null) throw new AppError("forbidden:account_disabled");
  await authorizeSignIn(deps, user, { invitation: undefined });
  return assertedUser;
}

/** Accepts each assertion once, on all instances. Rejected ones do not use up their id. */
async function consumeId({ oauthRecords, clock }: AssertionDeps, issuer: EnterpriseIssuer, id: string): Promise<void> {
  const idHash = sha256(JSON.stringify([issuer.issuer, id]));
  const expiresAt = clock() + assertionMemory;
  await oauthRecords.put("Assertion", idHash, { payload: {}, grantId: null, audience: null, scope: null, expiresAt });
  if (!(await oauthRecords.consume("Assertion", idHash, clock())))
    throw new AssertionError("the assertion was used before");
}
