import { randomBytes } from "node:crypto";
import { scopes as allScopes, type Scope, type SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { hours } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";

/** Stands in for the consent page and the token endpoint: what they would write, without asking anyone. */

export interface TestGrant {
  grantId: string;
  token: string;
}

/** An approval by the person, as the consent page would make it, with an access token of an hour. */
export async function createTestGrant(
  deps: Deps,
  person: SignedInUser,
  options: { scopes?: readonly Scope[]; client?: string } = {},
): Promise<TestGrant> {
  const scopes = options.scopes ?? allScopes;
  const user = await deps.users.find(person.user.id);
  const memberships = await deps.users.listMemberships(person.user.id);
  const studio = memberships.find(({ studioId }) => studioId === user?.activeStudioId) ?? memberships[0];
  const grantId = deps.newId("connection");
  const clientName = options.client ?? "Test client";
  await deps.grants.insert({
    id: grantId,
    userId: person.user.id,
    clientId: `client-${clientName.toLowerCase().replaceAll(" ", "-")}`,
    clientName,
    clientVerified: false,
    redirectHost: "localhost",
    scopes,
    studioId: studio?.studioId ?? null,
    grantedAt: deps.clock(),
    lastUsedAt: null,
    revokedAt: null,
  });
  return { grantId, token: await createTestToken(deps, grantId, scopes) };
}

/** A further token of the same approval, as a refresh gives one. */
export async function createTestToken(
  deps: Deps,
  grantId: string,
  scopes: readonly Scope[] = allScopes,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const record = {
    payload: {},
    grantId,
    audience: `${deps.base}/mcp`,
    scope: scopes.join(" "),
    expiresAt: deps.clock() + hours(1),
  };
  await deps.oauthRecords.put("AccessToken", sha256(token), record);
  return token;
}
