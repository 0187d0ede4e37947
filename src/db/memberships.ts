import type { ApprovalRule, Role } from "#domain/policy.ts";
import type { MembershipStore } from "#domain/ports/studios.ts";
import { changesRow, statement, type Connection } from "./database.ts";

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
  return {
    async findWithStudio(studioId, userId) {
      const [row] = await run(findWithStudioQuery, [studioId, userId]);
      return row && { studio: { id: row.id, name: row.name }, role: row.role };
    },
    find: (studioId, userId) =>
      q
        .selectFrom("memberships")
        .selectAll()
        .where((eb) => eb.and({ studioId, userId }))
        .executeTakeFirst(),
    async isMemberForShare(studioId, userId) {
      const row = await q
        .selectFrom("studios as s")
        .innerJoin("memberships as m", "m.studioId", "s.id")
        .select("s.id")
        .where((eb) => eb.and({ "s.id": studioId, "m.userId": userId }))
        // After the wait for a deletion, PostgreSQL reads the locked row again, but not the membership.
        .where("s.deletedAt", "is", null)
        .$if(engine === "postgres", (studios) => studios.forKeyShare(["s"]))
        .executeTakeFirst();
      return row !== undefined;
    },
    findEnabled: async (studioId, userId) => (await run(findEnabledQuery, [studioId, userId]))[0],
    list: (studioId) =>
      q
        .selectFrom("memberships as m")
        .innerJoin("users as u", "u.id", "m.userId")
        .select(["u.name", "u.email"])
        .selectAll("m")
        .where("m.studioId", "=", studioId)
        .orderBy("m.joinedAt")
        .orderBy("m.userId")
        .execute(),
    insert: (membership) =>
      q
        .insertInto("memberships")
        .values(membership)
        .onConflict((conflict) => conflict.columns(["studioId", "userId"]).doNothing())
        .$call(changesRow),
    changeRole: (studioId, userId, from, to) =>
      q
        .updateTable("memberships")
        .set({ role: to })
        .where((eb) => eb.and({ studioId, userId, role: from }))
        .$call(changesRow),
    remove: (studioId, userId, role) =>
      q
        .deleteFrom("memberships")
        .where((eb) => eb.and({ studioId, userId, role }))
        .$call(changesRow),
    async countOwnedForUpdate(userId) {
      // Two statements: a count inside the update would miss what other transactions commit while it waits for the lock.
      await q
        .updateTable("users")
        .set(({ ref }) => ({ activeStudioId: ref("activeStudioId") }))
        .where("id", "=", userId)
        .execute();
      return (await run(countOwnedQuery, [userId]))[0]?.owned ?? 0;
    },
    adjustOwnerCount: (studioId, delta) =>
      q
        .updateTable("studios")
        .set((eb) => ({ ownerCount: eb("ownerCount", "+", delta) }))
        .where("id", "=", studioId)
        .where("ownerCount", ">", delta > 0 ? 0 : 1)
        .where("deletedAt", "is", null)
        .$call(changesRow),
  };
}
