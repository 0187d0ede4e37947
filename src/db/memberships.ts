import type { ApprovalRule, Role } from "#domain/policy.ts";
import type { MembershipRecord, MembershipStore } from "#domain/studios/ports.ts";
import { statement, type Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

const findWithStudioQuery = statement<{ id: string; name: string; role: Role }>(
  "find_membership_with_studio",
  "SELECT s.id, s.name, m.role FROM memberships m JOIN studios s ON s.id = m.studio_id WHERE m.studio_id = $1 AND m.user_id = $2",
);

const findEnabledQuery = statement<{ role: Role; approval: ApprovalRule }>(
  "find_enabled_member",
  `SELECT m.role, s.approval FROM memberships m
     JOIN studios s ON s.id = m.studio_id
     JOIN users u ON u.id = m.user_id
    WHERE m.studio_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL`,
);

const countOwnedQuery = statement<{ owned: number }>(
  "count_owned_studios",
  "SELECT CAST(COUNT(*) AS INTEGER) AS owned FROM memberships WHERE user_id = $1 AND role = 'owner'",
);

export function createMembershipStore({ q, run, engine }: Connection): MembershipStore {
  const toKeyColumns = (studioId: string, userId: string) => ({ studio_id: studioId, user_id: userId });
  return {
    async findWithStudio(studioId, userId) {
      const [row] = await run(findWithStudioQuery, [studioId, userId]);
      return row && { studio: { id: row.id, name: row.name }, role: row.role };
    },
    async find(studioId, userId) {
      const row = await q
        .selectFrom("memberships")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return row && toMembership(row);
    },
    async isMemberForShare(studioId, userId) {
      const row = await q
        .selectFrom("studios as s")
        .innerJoin("memberships as m", "m.studio_id", "s.id")
        .select("s.id")
        .where("s.id", "=", studioId)
        .where("m.user_id", "=", userId)
        // After the wait for a deletion, PostgreSQL reads the locked row again, but not the membership.
        .where("s.deleted_at", "is", null)
        .$if(engine === "postgres", (studios) => studios.forKeyShare(["s"]))
        .executeTakeFirst();
      return row !== undefined;
    },
    async findEnabled(studioId, userId) {
      return (await run(findEnabledQuery, [studioId, userId]))[0];
    },
    async list(studioId) {
      const rows = await q
        .selectFrom("memberships as m")
        .innerJoin("users as u", "u.id", "m.user_id")
        .selectAll("m")
        .select(["u.name", "u.email"])
        .where("m.studio_id", "=", studioId)
        .orderBy("m.joined_at")
        .orderBy("m.user_id")
        .execute();
      return rows.map((row) => ({ ...toMembership(row), name: row.name, email: row.email }));
    },
    async insert({ studioId, userId, role, joinedAt }) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("memberships")
        .values({ ...toKeyColumns(studioId, userId), role, joined_at: joinedAt })
        .onConflict((conflict) => conflict.columns(["studio_id", "user_id"]).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows !== 0n;
    },
    async changeRole(studioId, userId, from, to) {
      const { numUpdatedRows } = await q
        .updateTable("memberships")
        .set({ role: to })
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("role", "=", from)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(studioId, userId, role) {
      const { numDeletedRows } = await q
        .deleteFrom("memberships")
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("role", "=", role)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async countOwnedForUpdate(userId) {
      // Two statements: a count inside the update would miss what other transactions commit while it waits for the lock.
      await q
        .updateTable("users")
        .set(({ ref }) => ({ active_studio_id: ref("active_studio_id") }))
        .where("id", "=", userId)
        .execute();
      return (await run(countOwnedQuery, [userId]))[0]?.owned ?? 0;
    },
    async adjustOwnerCount(studioId, delta) {
      const { numUpdatedRows } = await q
        .updateTable("studios")
        .set((eb) => ({ owner_count: eb("owner_count", "+", delta) }))
        .where("id", "=", studioId)
        .where("owner_count", ">", delta > 0 ? 0 : 1)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

function toMembership(row: Schema["memberships"]): MembershipRecord {
  return { studioId: row.studio_id, userId: row.user_id, role: row.role, joinedAt: row.joined_at };
}
