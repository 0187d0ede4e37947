import type { AuthorityQuery, AuthorityStore } from "#domain/access/authority.ts";
import type { ApprovalRule, Role } from "#domain/policy.ts";
import { statement, type Connection, type Statement } from "./database.ts";

/** How a credential `c` is found by its key (`$1`) and user (`$2`), and locked against what would end it. */
const credentials = {
  session: {
    from: "sessions c JOIN users u ON u.id = c.user_id",
    where: "c.token_hash = $1",
    lock: "FOR KEY SHARE OF c",
  },
  grant: {
    from: "grants c JOIN users u ON u.id = c.user_id",
    where: "c.id = $1 AND c.revoked_at IS NULL",
    lock: "FOR SHARE OF c",
  },
  // Transactions that reserve bytes update the link. If they locked it for sharing first, two of them would deadlock.
  uploadLink: {
    from: "upload_links c JOIN users u ON u.id = c.created_by",
    where: "c.id = $1 AND c.withdrawn_at IS NULL",
    lock: "FOR NO KEY UPDATE OF c",
  },
  grantedUploadLink: {
    from: "upload_links c JOIN users u ON u.id = c.created_by JOIN grants g ON g.id = c.grant_id",
    where: "c.id = $1 AND c.withdrawn_at IS NULL AND g.revoked_at IS NULL",
    lock: "FOR SHARE OF g FOR NO KEY UPDATE OF c",
  },
} as const;

type CredentialName = keyof typeof credentials;

function createQueries(name: CredentialName) {
  const { from, where, lock } = credentials[name];
  const condition = `${where} AND u.id = $2 AND u.disabled_at IS NULL`;
  const credentialSql = `SELECT 1 AS one FROM ${from} WHERE ${condition}`;
  // The studio comes first, as in every transaction that changes memberships.
  const membershipSql = `SELECT m.role, s.approval FROM ${from}
     JOIN memberships m ON m.user_id = u.id
     JOIN studios s ON s.id = m.studio_id AND s.deleted_at IS NULL
    WHERE ${condition} AND m.studio_id = $3`;
  return {
    credential: statement<{ one: number }>(`check_${name}`, `${credentialSql} ${lock}`, credentialSql),
    membership: statement<{ role: Role; approval: ApprovalRule }>(
      `check_${name}_membership`,
      `${membershipSql} FOR KEY SHARE OF s FOR SHARE OF m ${lock}`,
      membershipSql,
    ),
  };
}

const queries = {
  session: createQueries("session"),
  grant: createQueries("grant"),
  uploadLink: createQueries("uploadLink"),
  grantedUploadLink: createQueries("grantedUploadLink"),
};

const lockStudioQuery = statement("lock_studio", "SELECT id FROM studios WHERE id = $1 FOR UPDATE");
const lockGrantQuery = statement("lock_grant", "SELECT id FROM grants WHERE id = $1 FOR NO KEY UPDATE");

/** SQLite runs one writing transaction at a time, so only PostgreSQL needs locks. */
export function createAuthorityStore({ run, engine }: Connection): AuthorityStore {
  const lock = async (query: Statement<unknown>, id: string): Promise<void> => {
    if (engine === "postgres") await run(query, [id]);
  };
  return {
    async isValid({ credential, userId }) {
      const { name, key } = identify(credential);
      return (await run(queries[name].credential, [key, userId])).length > 0;
    },
    async findMembership({ credential, userId, studioId, changesAccess }) {
      if (changesAccess) await lock(lockStudioQuery, studioId);
      if (changesAccess && credential.kind === "grant") await lock(lockGrantQuery, credential.grantId);
      const { name, key } = identify(credential);
      return (await run(queries[name].membership, [key, userId, studioId]))[0];
    },
  };
}

function identify(credential: AuthorityQuery["credential"]): { name: CredentialName; key: string } {
  switch (credential.kind) {
    case "session":
      return { name: "session", key: credential.tokenHash };
    case "grant":
      return { name: "grant", key: credential.grantId };
    case "uploadLink":
      return { name: credential.grantId === null ? "uploadLink" : "grantedUploadLink", key: credential.linkId };
  }
}
