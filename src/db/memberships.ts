import type { ApprovalRule, Role } from "#domain/policy.ts";
import type { MembershipStore } from "#domain/ports/studios.ts";
import { changesRow, deleteRows, first, selectRows, statement, updateRows, type Connection } from "./database.ts";

const findWithStudioQuery = statement<{ id: string; name: string; role: Role }>(
  "SELECT s.id, s.name, m.role FROM memberships m JOIN studios s ON s.id = m.studio_id WHERE m.studio_id = $1 AND m.user_id = $2",
);

const findEnabledQuery = statement<{ role: Role; approval: ApprovalRule }>(`
  SELECT m.role, s.approval FROM memberships m
    JOIN studios s ON s.id = m.studio_id
    JOIN users u ON u.id = m.user_id
   WHERE m.studio_id = $1 AND m.user_id = $2 AND u.disabled_at IS NULL`);

const countOwnedQuery = statement<{ owned: number }>(
  "SELECT CAST(COUNT(*) AS INTEGER) AS owned FROM memberships WHERE user_id = $1 AND role = 'owner'",
);

export function createMembershipStore({ q, run, engine }: Connection): MembershipStore {
  return {
    findWithStudio: (studioId, userId) =>
      first(run(findWithStudioQuery, [studioId, userId]), ({ role, ...studio }) => ({ studio, role })),
    find: (studioId, userId) => selectRows(q, "memberships", { studioId, userId }).selectAll().executeTakeFirst(),
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
      updateRows(q, "memberships", { studioId, userId, role: from }, { role: to }).$call(changesRow),
    remove: (studioId, userId, role) => deleteRows(q, "memberships", { studioId, userId, role }).$call(changesRow),
    async countOwnedForUpdate(userId) {
      // Two statements: a count inside the update would miss what other transactions commit while it waits for the lock.
      await updateRows(q, "users", { id: userId }, ({ ref }) => ({ activeStudioId: ref("activeStudioId") })).execute();
      return (await run(countOwnedQuery, [userId]))[0]?.owned ?? 0;
    },
    adjustOwnerCount: (studioId, delta) =>
      updateRows(q, "studios", { id: studioId, deletedAt: null }, (eb) => ({
        ownerCount: eb("ownerCount", "+", delta),
      }))
        .where("ownerCount", ">", delta > 0 ? 0 : 1)
        .$call(changesRow),
  };
}
