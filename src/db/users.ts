import { sql, type RawBuilder } from "kysely";
import type { SessionStore, UserStore } from "#domain/ports/access.ts";
import type { User } from "#domain/model/user.ts";
import { listColumns } from "./columns.ts";
import {
  changesRow,
  countChangedRows,
  deleteRows,
  execute,
  listStatement,
  statement,
  updateRows,
  type Connection,
} from "./database.ts";

/**
 * Matches rows in which a column contains the text, ignoring the case of A to Z.
 * Use it only for the operator's lists: it scans the whole table.
 */
export function containsText(columns: readonly string[], text: string): RawBuilder<boolean> {
  const pattern = `%${escapeLike(text)}%`;
  return sql<boolean>`(${sql.join(
    columns.map((column) => sql`LOWER(${sql.ref(column)}) LIKE LOWER(${pattern}) ESCAPE '!'`),
    sql` OR `,
  )})`;
}

/** Escapes LIKE wildcards, for use with `ESCAPE '!'`. */
function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, "!$&");
}

const columns = ["id", "name", "email", "emailVerified", "activeStudioId", "disabledAt"] as const;

export function createUserStore({ q }: Connection): UserStore {
  return {
    upsert(id, { issuer, subject, name, email, emailVerified }, now) {
      const profile = { name, email, emailVerified };
      return q
        .insertInto("users")
        .values({ id, issuer, subject, ...profile, createdAt: now })
        .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doUpdateSet(profile))
        .returning(columns)
        .executeTakeFirstOrThrow();
    },
    find: (userId) => q.selectFrom("users").select(columns).where("id", "=", userId).executeTakeFirst(),
    async isInvitedMember(issuer, subject) {
      const row = await q
        .selectFrom("users as u")
        .innerJoin("memberships as m", "m.userId", "u.id")
        .innerJoin("invitations as i", (join) =>
          join.onRef("i.studioId", "=", "m.studioId").onRef("i.acceptedBy", "=", "u.id"),
        )
        .select("u.id")
        .where((eb) => eb.and({ "u.issuer": issuer, "u.subject": subject }))
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    listMemberships: (userId) =>
      q
        .selectFrom("memberships as m")
        .innerJoin("studios as s", "s.id", "m.studioId")
        .select(["m.studioId", "s.name as studioName", "m.role", "m.joinedAt"])
        .where("m.userId", "=", userId)
        .orderBy("m.joinedAt")
        .orderBy("m.studioId")
        .execute(),
    setActiveStudio: (userId, studioId) =>
      updateRows(q, "users", { id: userId }, { activeStudioId: studioId })
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("memberships").select("userId").where("userId", "=", userId).where("studioId", "=", studioId),
          ),
        )
        .$call(changesRow),
    list: ({ search, before, limit }) =>
      q
        .selectFrom("users")
        .select([...columns, "issuer", "createdAt"])
        .$if(search !== undefined, (users) => users.where(containsText(["name", "email"], search!)))
        .$if(before !== undefined, (users) => users.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
    setDisabled: (userId, disabledAt) =>
      updateRows(q, "users", { id: userId }, { disabledAt })
        .where("disabledAt", disabledAt === null ? "is not" : "is", null)
        .$call(changesRow),
  };
}

const findSessionUserQuery = statement<User>(`
  SELECT ${listColumns(columns, "u")} FROM sessions s JOIN users u ON u.id = s.user_id
   WHERE s.token_hash = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL`);

const sessionAccessQuery = listStatement<{ tokenHash: string; expiresAt: number; studioId: string }>(
  (tokenHashes) => `SELECT c.token_hash, c.expires_at, m.studio_id
     FROM sessions c
     JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
     JOIN memberships m ON m.user_id = u.id
     JOIN studios s ON s.id = m.studio_id AND s.deleted_at IS NULL
    WHERE c.token_hash IN ${tokenHashes} AND c.expires_at > $2`,
);

export function createSessionStore({ q, run }: Connection): SessionStore {
  return {
    insert: (tokenHash, userId, createdAt, expiresAt) =>
      q.insertInto("sessions").values({ tokenHash, userId, createdAt, expiresAt }).$call(execute),
    findUser: async (tokenHash, now) => (await run(findSessionUserQuery, [tokenHash, now]))[0],
    async findAccess(tokenHashes, now) {
      const accessByToken = new Map<string, { expiresAt: number; studioIds: Set<string> }>();
      for (const { tokenHash, expiresAt, studioId } of await run(sessionAccessQuery, [tokenHashes, now])) {
        const access = accessByToken.get(tokenHash) ?? { expiresAt, studioIds: new Set() };
        access.studioIds.add(studioId);
        accessByToken.set(tokenHash, access);
      }
      return accessByToken;
    },
    delete: (tokenHash) => deleteRows(q, "sessions", { tokenHash }).$call(execute),
    deleteForUser: (userId) => deleteRows(q, "sessions", { userId }).$call(countChangedRows),
  };
}
