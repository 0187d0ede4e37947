import type { TokenStore } from "#domain/ports/access.ts";
import type { Membership } from "#domain/model/authentication.ts";
import { scopes, type Caller, type Credential, type SignedInUser } from "#domain/caller.ts";
import type { CurrentAccess } from "#domain/model/authority.ts";
import type { TransactOptions } from "#domain/ports/deps.ts";
import type { ApprovalRule, Role } from "#domain/policy.ts";
import { statement, type Connection } from "./database.ts";

interface TokenRow {
  scope: string;
  grantId: string;
  clientId: string;
  clientName: string;
  grantStudioId: string | null;
  lastUsedAt: number | null;
  userId: string;
  userName: string;
  email: string | null;
  studioId: string | null;
  studioName: string | null;
  role: Role | null;
  nextId: string | null;
  nextName: string | null;
  nextRole: Role | null;
  isSessionStudioDeleted: boolean;
}

/** The studio that the user `u` joined first. */
const firstStudioSql =
  "(SELECT e.studio_id FROM memberships e WHERE e.user_id = u.id ORDER BY e.joined_at, e.studio_id LIMIT 1)";

/** The given studio if the user `u` is a member of it, otherwise the studio that they joined first. */
export const memberStudioSql = (studioSql: string): string => `COALESCE(
  (SELECT w.studio_id FROM memberships w WHERE w.user_id = u.id AND w.studio_id = ${studioSql}), ${firstStudioSql})`;

/**
 * Runs for every call of every client: resolves a token to its grant, user, studio and role in one statement. A CASE
 * avoids lookups that are rarely needed: the first membership (`f`), for a user who has left the requested studio, and
 * the membership of the next session (`nm`), if its studio differs.
 */
export const resolveTokenQuery = statement<TokenRow>(`
  SELECT r.scope, g.id AS grant_id, g.client_id, g.client_name, g.studio_id AS grant_studio_id, g.last_used_at,
         u.id AS user_id, u.name AS user_name, u.email,
         s.id AS studio_id, s.name AS studio_name, COALESCE(m.role, f.role) AS role,
         ns.id AS next_id, ns.name AS next_name, nm.role AS next_role,
         m.studio_id IS NULL AND CAST($1 AS TEXT) IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM studios d WHERE d.id = $1 AND d.deleted_at IS NULL) AS is_session_studio_deleted
    FROM oauth_records r
    JOIN grants g ON g.id = r.grant_id AND g.revoked_at IS NULL
    JOIN users u ON u.id = g.user_id AND u.disabled_at IS NULL
    LEFT JOIN memberships m ON m.user_id = u.id AND m.studio_id = COALESCE(CAST($1 AS TEXT), g.studio_id)
    LEFT JOIN memberships f ON f.user_id = u.id AND f.studio_id = CASE WHEN m.studio_id IS NULL THEN ${firstStudioSql} END
    LEFT JOIN studios s ON s.id = COALESCE(m.studio_id, f.studio_id)
    LEFT JOIN memberships nm ON nm.user_id = u.id
          AND nm.studio_id = CASE WHEN s.id = u.active_studio_id THEN NULL ELSE ${memberStudioSql("u.active_studio_id")} END
    LEFT JOIN studios ns ON ns.id = nm.studio_id
   WHERE r.model = 'AccessToken' AND r.id_hash = $2 AND r.audience = $3 AND r.expires_at > $4`);

export function createTokenStore({ run }: Connection): TokenStore {
  return {
    async resolve(tokenHash, audience, sessionStudioId, now) {
      const [row] = await run(resolveTokenQuery, [sessionStudioId ?? null, tokenHash, audience, now]);
      if (!row) return undefined;
      const grantedScopes = row.scope.split(" ");
      const membership = toMembership(row.studioId, row.studioName, row.role);
      return {
        lastUsedAt: row.lastUsedAt,
        authentication: {
          user: { id: row.userId, name: row.userName, email: row.email },
          client: { id: row.clientId, name: row.clientName },
          scopes: scopes.filter((scope) => grantedScopes.includes(scope)),
          grantId: row.grantId,
          tokenHash,
          grantStudioId: row.grantStudioId,
          membership,
          nextSessionMembership: toMembership(row.nextId, row.nextName, row.nextRole) ?? membership,
          isSessionStudioDeleted: row.isSessionStudioDeleted,
        },
      };
    },
  };
}

function toMembership(id: string | null, name: string | null, role: Role | null): Membership | undefined {
  return id === null || name === null || role === null ? undefined : { studio: { id, name }, role };
}

/** Finds a credential `c` by its key (`$1`) and user (`$2`), and locks it against what would end it. */
function createQueries(from: string, where: string, lock: string) {
  const condition = `${where} AND u.id = $2 AND u.disabled_at IS NULL`;
  const credentialSql = `SELECT 1 AS one FROM ${from} WHERE ${condition}`;
  // The studio comes first, as in every transaction that changes memberships.
  const membershipSql = `SELECT m.role, s.approval FROM ${from}
     JOIN memberships m ON m.user_id = u.id
     JOIN studios s ON s.id = m.studio_id AND s.deleted_at IS NULL
    WHERE ${condition} AND m.studio_id = $3`;
  return {
    credential: statement<{ one: number }>(`${credentialSql} ${lock}`, { sqlite: credentialSql }),
    membership: statement<{ role: Role; approval: ApprovalRule }>(
      `${membershipSql} FOR KEY SHARE OF s FOR SHARE OF m ${lock}`,
      { sqlite: membershipSql },
    ),
  };
}

const sessionQueries = createQueries(
  "sessions c JOIN users u ON u.id = c.user_id",
  "c.token_hash = $1",
  "FOR KEY SHARE OF c",
);
const grantQueries = createQueries(
  "grants c JOIN users u ON u.id = c.user_id",
  "c.id = $1 AND c.revoked_at IS NULL",
  "FOR SHARE OF c",
);
// Transactions that reserve bytes update the upload link, and those of guests count their comments on the review link. If
// they locked it for sharing first, two of them would deadlock.
const createLinkQueries = (table: string) => ({
  direct: createQueries(
    `${table} c JOIN users u ON u.id = c.created_by`,
    "c.id = $1 AND c.withdrawn_at IS NULL",
    "FOR NO KEY UPDATE OF c",
  ),
  granted: createQueries(
    `${table} c JOIN users u ON u.id = c.created_by JOIN grants g ON g.id = c.grant_id`,
    "c.id = $1 AND c.withdrawn_at IS NULL AND g.revoked_at IS NULL",
    "FOR SHARE OF g FOR NO KEY UPDATE OF c",
  ),
});
const linkQueries = {
  uploadLink: createLinkQueries("upload_links"),
  reviewLink: createLinkQueries("review_links"),
};

const lockStudioQuery = statement("SELECT id FROM studios WHERE id = $1 FOR UPDATE");
const lockGrantQuery = statement("SELECT id FROM grants WHERE id = $1 FOR NO KEY UPDATE");

/**
 * Finds what the caller of a transaction may do now, and locks what it reads: whatever ends this authority waits for the
 * transaction, or has already ended it. SQLite runs one writing transaction at a time, so only PostgreSQL needs locks.
 */
export async function findCurrentAccess(
  { run, engine }: Connection,
  authority: SignedInUser | Caller,
  { changesAccess = false }: TransactOptions = {},
): Promise<CurrentAccess | undefined> {
  const { user, credential } = authority;
  const { queries, key } = identify(credential);
  if (!("studio" in authority))
    return (await run(queries.credential, [key, user.id])).length > 0 ? { membership: undefined } : undefined;
  if (changesAccess && engine === "postgres") {
    await run(lockStudioQuery, [authority.studio.id]);
    if (credential.kind === "grant") await run(lockGrantQuery, [credential.grantId]);
  }
  const [membership] = await run(queries.membership, [key, user.id, authority.studio.id]);
  return membership && { membership };
}

function identify(credential: Credential): { queries: ReturnType<typeof createQueries>; key: string } {
  switch (credential.kind) {
    case "session":
      return { queries: sessionQueries, key: credential.tokenHash };
    case "grant":
      return { queries: grantQueries, key: credential.grantId };
    case "uploadLink":
    case "reviewLink": {
      const queries = linkQueries[credential.kind];
      return { queries: credential.grantId === null ? queries.direct : queries.granted, key: credential.linkId };
    }
  }
}
