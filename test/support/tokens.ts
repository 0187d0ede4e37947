import { randomBytes } from "node:crypto";
import { scopes as allScopes, type Scope, type SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { hours } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";

export interface TestGrant {
  grantId: string;
  token: string;
}

/**
 * Creates a grant of the user, with an access token that is valid for an hour, as the consent page and the token endpoint
 * do, but without HTTP requests.
 */
export async function createTestGrant(
  deps: Deps,
  { user }: SignedInUser,
  options: { scopes?: readonly Scope[]; client?: string } = {},
): Promise<TestGrant> {
  const scopes = options.scopes ?? allScopes;
  const storedUser = await deps.users.find(user.id);
  const memberships = await deps.users.listMemberships(user.id);
  const studio = memberships.find(({ studioId }) => studioId === storedUser?.activeStudioId) ?? memberships[0];
  const grantId = deps.newId("grant");
  const clientName = options.client ?? "Test client";
  await deps.grants.insert({
    id: grantId,
    userId: user.id,
    clientId: `client-${clientName.toLowerCase().replaceAll(" ", "-")}`,
    clientName,
    clientVerified: false,
    redirectHost: "localhost",
    scopes,
    studioId: studio?.studioId ?? null,
    grantedAt: deps.clock(),
    lastUsedAt: null,
    revokedAt: null,
    issuer: null,
    isBlocked: false,
  });
  return { grantId, token: await createTestToken(deps, grantId, scopes) };
}

/** Creates another access token of the same grant, as a refresh does. */
export async function createTestToken(
  deps: Deps,
  grantId: string,
  scopes: readonly Scope[] = allScopes,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const record = {
    payload: {},
    grantId,
    audience: `${deps.baseUrl}/mcp`,
    scope: scopes.join(" "),
    expiresAt: deps.clock() + hours(1),
  };
  await deps.oauthRecords.put("AccessToken", sha256(token), record);
  return token;
}
