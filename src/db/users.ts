import { sql, type RawBuilder, type Selectable } from "kysely";
import type { SessionStore, User, UserStore } from "#domain/access/ports.ts";
import { statement, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

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

export type UserRow = Selectable<Schema["users"]>;

export function createUserStore({ q }: Connection): UserStore {
  return {
    async upsert(id, identity, now) {
      const profile = { name: identity.name, email: identity.email, email_verified: Number(identity.emailVerified) };
      const row = await q
        .insertInto("users")
        .values({
          id,
          issuer: identity.issuer,
          subject: identity.subject,
          ...profile,
          active_studio_id: null,
          created_at: now,
        })
        .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doUpdateSet(profile))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toUser(row);
    },
    async find(userId) {
      const row = await q.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirst();
      return row && toUser(row);
    },
    async isInvitedMember(issuer, subject) {
      const row = await q
        .selectFrom("users as u")
        .innerJoin("memberships as m", "m.user_id", "u.id")
        .innerJoin("invitations as i", (join) =>
          join.onRef("i.studio_id", "=", "m.studio_id").onRef("i.accepted_by", "=", "u.id"),
        )
        .select("u.id")
        .where("u.issuer", "=", issuer)
        .where("u.subject", "=", subject)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async listMemberships(userId) {
      return q
        .selectFrom("memberships as m")
        .innerJoin("studios as s", "s.id", "m.studio_id")
        .select(["m.studio_id as studioId", "s.name as studioName", "m.role as role", "m.joined_at as joinedAt"])
        .where("m.user_id", "=", userId)
        .orderBy("m.joined_at")
        .orderBy("m.studio_id")
        .execute();
    },
    async setActiveStudio(userId, studioId) {
      const { numUpdatedRows } = await q
        .updateTable("users")
        .set({ active_studio_id: studioId })
        .where("id", "=", userId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("memberships").select("user_id").where("user_id", "=", userId).where("studio_id", "=", studioId),
          ),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async list({ search, before, limit }) {
      const rows = await q
        .selectFrom("users")
        .selectAll()
        .$if(search !== undefined, (users) => users.where(containsText(["name", "email"], search!)))
        .$if(before !== undefined, (users) => users.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...toUser(row), issuer: row.issuer, createdAt: row.created_at }));
    },
    async setDisabled(userId, disabledAt) {
      const { numUpdatedRows } = await q
        .updateTable("users")
        .set({ disabled_at: disabledAt })
        .where("id", "=", userId)
        .where("disabled_at", disabledAt === null ? "is not" : "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

function toUser(row: UserRow): User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.email_verified === 1,
    activeStudioId: row.active_studio_id,
    disabledAt: row.disabled_at,
  };
}

const findSessionUserQuery = statement<UserRow>(
  "find_session_user",
  `SELECT u.* FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL`,
);

export function createSessionStore({ q, run }: Connection): SessionStore {
  return {
    async insert(tokenHash, userId, now, expiresAt) {
      await q
        .insertInto("sessions")
        .values({ token_hash: tokenHash, user_id: userId, created_at: now, expires_at: expiresAt })
        .execute();
    },
    async findUser(tokenHash, now) {
      const [row] = await run(findSessionUserQuery, [tokenHash, now]);
      return row && toUser(row);
    },
    async delete(tokenHash) {
      await q.deleteFrom("sessions").where("token_hash", "=", tokenHash).execute();
    },
    async deleteForUser(userId) {
      const { numDeletedRows } = await q.deleteFrom("sessions").where("user_id", "=", userId).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
