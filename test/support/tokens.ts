import { createHash, randomBytes } from "node:crypto";
import { statement, type Database } from "#db/client.ts";
import type { Authenticate, Seat } from "#domain/access/authenticator.ts";
import { scopes as allScopes, type Scope, type SignedIn } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import type { Role } from "#domain/policy.ts";
import { hours } from "#lib/clock.ts";

/** Stands in for the OAuth server: tokens are handed out without asking anyone, and read back as the real one will. */

interface TokenRow {
  grant_id: string;
  grant_studio_id: string | null;
  scopes: string;
  client_id: string;
  client_name: string;
  user_id: string;
  user_name: string;
  user_email: string | null;
  studio_id: string | null;
  studio_name: string | null;
  role: Role | null;
  next_studio_id: string | null;
  next_studio_name: string | null;
  next_role: Role | null;
}

/** The wanted studio if the user is a member of it, otherwise the user's first membership: three look-ups by index. */
const seatAt = (wanted: string): string => `COALESCE(
  (SELECT w.studio_id FROM memberships w WHERE w.user_id = u.id AND w.studio_id = ${wanted}),
  (SELECT f.studio_id FROM memberships f WHERE f.user_id = u.id ORDER BY f.joined_at, f.studio_id LIMIT 1))`;

export const findToken = statement<TokenRow>(
  "find_token",
  `SELECT g.id AS grant_id, g.studio_id AS grant_studio_id, t.scope AS scopes, g.client_id, g.client_name,
     u.id AS user_id, u.name AS user_name, u.email AS user_email,
     m.studio_id, s.name AS studio_name, m.role, n.studio_id AS next_studio_id, z.name AS next_studio_name, n.role AS next_role
   FROM oauth_records t
   JOIN grants g ON g.id = t.grant_id AND g.revoked_at IS NULL
   JOIN users u ON u.id = g.user_id
   LEFT JOIN memberships m ON m.user_id = u.id AND m.studio_id = ${seatAt("COALESCE($1, g.studio_id)")}
   LEFT JOIN studios s ON s.id = m.studio_id
   LEFT JOIN memberships n ON n.user_id = u.id AND n.studio_id = ${seatAt("u.active_studio_id")}
   LEFT JOIN studios z ON z.id = n.studio_id
   WHERE t.model = 'AccessToken' AND t.id_hash = $2 AND t.expires_at > $3`,
);

const digest = (token: string): string => createHash("sha256").update(token).digest("hex");

export function createAuthenticate({ run }: Pick<Database, "run">, deps: Pick<Deps, "clock">): Authenticate {
  return async (token, sealedStudioId) => {
    const [row] = await run(findToken, [sealedStudioId ?? null, digest(token), deps.clock()]);
    return (
      row && {
        user: { id: row.user_id, name: row.user_name, email: row.user_email },
        client: { id: row.client_id, name: row.client_name },
        scopes: row.scopes.split(" ") as Scope[],
        grantId: row.grant_id,
        grantStudioId: row.grant_studio_id,
        seat: toSeat(row.studio_id, row.studio_name, row.role),
        nextSeat: toSeat(row.next_studio_id, row.next_studio_name, row.next_role),
      }
    );
  };
}

function toSeat(id: string | null, name: string | null, role: Role | null): Seat | undefined {
  return id !== null && name !== null && role !== null ? { studio: { id, name }, role } : undefined;
}

export interface Approval {
  grantId: string;
  token: string;
}

/** An approval by the person, as the consent page would make it, with an access token of an hour. */
export async function approve(
  database: Database,
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
  return { grantId, token: await newToken(database, deps, grantId, scopes) };
}

/** A further token of the same approval, as a refresh gives one. */
export async function newToken(
  { q }: Database,
  deps: Deps,
  grantId: string,
  scopes: readonly Scope[] = allScopes,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await q
    .insertInto("oauth_records")
    .values({
      model: "AccessToken",
      id_hash: digest(token),
      payload: "{}",
      grant_id: grantId,
      audience: null,
      scope: scopes.join(" "),
      generation: 0,
      expires_at: deps.clock() + hours(1),
      consumed_at: null,
    })
    .execute();
  return token;
}
