import { randomBytes } from "node:crypto";
import { scopes as allScopes, type Scope, type SignedIn } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { hours } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";

/** Stands in for the consent page and the token endpoint: what they would write, without asking anyone. */

export interface Approval {
  grantId: string;
  token: string;
}

/** An approval by the person, as the consent page would make it, with an access token of an hour. */
export async function approve(
  deps: Deps,
  person: SignedIn,
  given: { scopes?: readonly Scope[]; client?: string } = {},
): Promise<Approval> {
  const scopes = given.scopes ?? allScopes;
  const user = await deps.users.find(person.user.id);
  const memberships = await deps.users.memberships(person.user.id);
  const studio = memberships.find(({ studioId }) => studioId === user?.activeStudioId) ?? memberships[0];
  const grantId = deps.newId("connection");
  const clientName = given.client ?? "Test client";
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
  return { grantId, token: await newToken(deps, grantId, scopes) };
}

/** A further token of the same approval, as a refresh gives one. */
export async function newToken(deps: Deps, grantId: string, scopes: readonly Scope[] = allScopes): Promise<string> {
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
