import type { User, UserStore } from "#domain/access/ports.ts";
import type { Connection } from "./client.ts";
import type { Schema } from "./schema.ts";

export function userStore({ q }: Connection): UserStore {
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
    async isGuest(issuer, subject) {
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
    async memberships(userId) {
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
  };
}

export function toUser(row: Schema["users"]): User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.email_verified === 1,
    activeStudioId: row.active_studio_id,
  };
}
