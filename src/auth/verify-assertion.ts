import { decodeJwt, jwtVerify, type JWTPayload } from "jose";
import { scopes as studioScopes, type Scope } from "#domain/caller.ts";
import { isInDomains } from "#domain/model/user.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { EnterpriseIssuer } from "./enterprise-issuers.ts";
import type { FindIssuerKey } from "./issuer-keys.ts";
import { canonicalizeResource } from "./oauth-paths.ts";

/** Asymmetric only: with HS256, an issuer's public key would be the secret. */
const algorithms = [
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
  "EdDSA",
  "Ed25519",
];
const clockTolerance = seconds(30);
const maxAge = hours(1);
const maxLength = 16 * 1024;

/** How long to remember the id of an accepted assertion: no assertion is valid for longer. */
export const assertionMemory = maxAge + 2 * clockTolerance + minutes(1);

/** What an assertion gives, if its user may have it. */
export interface VerifiedAssertion {
  issuer: EnterpriseIssuer;
  subject: string;
  id: string;
  /** Never `studio:publish`, which only the user can give. */
  scopes: Scope[];
}

/** The reason why an assertion is rejected; only for the log. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

export interface AssertionRequest {
  assertion: unknown;
  clientId: string;
  /** As in authorization requests, with the defaults. */
  requestedScopes: readonly string[];
}

/**
 * Verifies an Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant-04 §4.4.1) as
 * the MCP extension Enterprise-Managed Authorization requires. Whether the id was used before is not checked here.
 */
export async function verifyAssertion(
  {
    issuers,
    findKey,
    base,
    now,
  }: { issuers: readonly EnterpriseIssuer[]; findKey: FindIssuerKey; base: string; now: number },
  { assertion, clientId, requestedScopes }: AssertionRequest,
): Promise<VerifiedAssertion> {
  if (typeof assertion !== "string" || assertion.length > maxLength) throw new AssertionError("no assertion");
  const issuer = findIssuer(issuers, assertion);
  const { payload } = await jwtVerify(assertion, findKey(issuer), {
    typ: "oauth-id-jag+jwt",
    algorithms,
    issuer: issuer.issuer,
    audience: base,
    requiredClaims: ["sub", "aud", "exp", "iat", "jti"],
    maxTokenAge: maxAge / 1000,
    clockTolerance: clockTolerance / 1000,
    currentDate: new Date(now),
  }).catch((error: unknown) => {
    throw error instanceof AppError ? error : new AssertionError((error as Error).message);
  });
  const { sub, jti, aud, scope } = payload;
  if ([aud].flat().length !== 1) throw new AssertionError("the assertion has several audiences");
  if (!isText(sub) || !isText(jti)) throw new AssertionError("sub or jti is not a text of 1 to 255 characters");
  if (payload["client_id"] !== clientId) throw new AssertionError("the assertion is for another client");
  if (!issuer.client_ids.includes(clientId)) throw new AssertionError("the issuer may not name this client");
  checkResource(payload, base);
  checkEmail(payload, issuer);
  if (scope !== undefined && typeof scope !== "string") throw new AssertionError("scope is not a text");
  const assertedScopes = scope?.split(" ") ?? studioScopes;
  const scopes = studioScopes.filter(
    (name) => name !== "studio:publish" && assertedScopes.includes(name) && requestedScopes.includes(name),
  );
  if (scopes.length === 0) throw new AssertionError("the assertion allows none of the requested scopes");
  return { issuer, subject: sub, id: jti, scopes };
}

function findIssuer(issuers: readonly EnterpriseIssuer[], assertion: string): EnterpriseIssuer {
  let claims: JWTPayload;
  try {
    claims = decodeJwt(assertion);
  } catch {
    throw new AssertionError("the assertion is not a JWT");
  }
  const issuer = issuers.find((entry) => entry.issuer === claims.iss);
  if (!issuer) throw new AssertionError("the issuer is not in ENTERPRISE_ISSUERS");
  return issuer;
}

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.isWellFormed() && /^\P{Cc}{1,255}$/u.test(value);

function checkResource(payload: JWTPayload, base: string): void {
  const resources = [payload["resource"] ?? []].flat() as unknown[];
  const isOurs = (resource: unknown): boolean =>
    typeof resource === "string" && canonicalizeResource(base, resource) === `${base}/mcp`;
  if (resources.length === 0 || !resources.every(isOurs)) throw new AssertionError("the resource is not this server");
}

/** The claim is optional, and never identifies the user. */
function checkEmail({ email }: JWTPayload, { domains }: EnterpriseIssuer): void {
  if (email !== undefined && (typeof email !== "string" || !isInDomains(email, domains)))
    throw new AssertionError("the email is in no domain of the issuer");
}
