import assert from "node:assert/strict";
import { test } from "node:test";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { roles } from "#domain/policy.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("races for the last owner", ({ deps, database }) => {
  /** Counts the owners and checks that the studio's owner_count matches. */
  async function countOwners(studioId: string): Promise<number> {
    const studio = database.q.selectFrom("studios").select("ownerCount").where("id", "=", studioId);
    const owners = database.q.selectFrom("memberships").select("userId").where("studioId", "=", studioId);
    const [row, ownerRows] = [await studio.execute(), await owners.where("role", "=", "owner").execute()];
    assert.equal(row[0]?.ownerCount, ownerRows.length, "owner_count matches the memberships");
    return ownerRows.length;
  }

  test("one owner remains when two owners demote each other in parallel, in each of fifty rounds (ROLE-3, T5)", async () => {
    const a = await newStudio(deps);
    const b = await newMember(deps, a, "owner");
    for (let round = 0; round < 50; round++) {
      const results = await Promise.all([
        getOutcome(changeRole(deps, a, { userId: b.user.id, role: "member" })),
        getOutcome(changeRole(deps, b, { userId: a.user.id, role: "member" })),
      ]);
      assert.deepEqual(results.toSorted(), ["forbidden", "ok"]);
      assert.equal(await countOwners(a.studio.id), 1);
      const [loser, winner] = results[0] === "ok" ? [b, a] : [a, b];
      await changeRole(deps, winner, { userId: loser.user.id, role: "owner" });
    }
  });

  test("two hundred role changes, ten at a time, keep the owner count correct (ROLE-3, T5)", async () => {
    const owner = await newStudio(deps);
    const owners = [owner];
    for (let i = 0; i < 9; i++) owners.push(await newMember(deps, owner, "owner"));
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < 20; round++) {
      const attempts = owners.map((caller, i) => {
        const target = owners[(i * 7 + round) % 10] ?? owner;
        const role = roles[(i * 31) % 3] ?? "member";
        return getOutcome(changeRole(deps, caller, { userId: target.user.id, role }));
      });
      for (const outcome of await Promise.all(attempts)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      assert.ok((await countOwners(owner.studio.id)) >= 1);
    }
    assert.deepEqual(Object.keys(outcomes).toSorted(), ["forbidden", "ok"]);
    await assertActivityMatchesRoles(
      owner.studio.id,
      owners.map(({ user }) => user.id),
    );
  });

  test("one owner remains when three owners step down, leave and remove each other in parallel, in each of ten rounds (ROLE-3, T5)", async () => {
    for (let round = 0; round < 10; round++) {
      const owner = await newStudio(deps);
      const owners = [owner, await newMember(deps, owner, "owner"), await newMember(deps, owner, "owner")];
      const outcomes = await countOutcomes(
        owners.flatMap((caller, i) => {
          const [userId, otherId = ""] = [caller.user.id, owners[(i + 1) % 3]?.user.id];
          return [
            changeRole(deps, caller, { userId, role: "admin" }),
            removeMember(deps, caller, { userId }),
            removeMember(deps, caller, { userId: otherId }),
          ];
        }),
      );
      assert.ok((outcomes.forbidden ?? 0) >= 1, "at least one owner is kept");
      assert.equal(await countOwners(owner.studio.id), 1);
    }
  });

  /** Sums up each user's recorded role changes: together they must lead from owner to the current role. */
  async function assertActivityMatchesRoles(studioId: string, userIds: readonly string[]): Promise<void> {
    const { q } = database;
    for (const userId of userIds) {
      const activity = q.selectFrom("activity").select("detail").where("studioId", "=", studioId);
      const rows = await activity.where("subjectId", "=", userId).where("action", "=", "member.role_changed").execute();
      const changes = rows.map(({ detail }) => JSON.parse(detail) as { from: string; to: string });
      const balance = (role: string) =>
        changes.filter(({ to }) => to === role).length - changes.filter(({ from }) => from === role).length;
      const membership = q.selectFrom("memberships").select("role").where("studioId", "=", studioId);
      const { role } = await membership.where("userId", "=", userId).executeTakeFirstOrThrow();
      const expected = { owner: 0, admin: 0, member: 0, ...(role === "owner" ? {} : { owner: -1, [role]: 1 }) };
      assert.deepEqual({ owner: balance("owner"), admin: balance("admin"), member: balance("member") }, expected);
    }
  }
});
