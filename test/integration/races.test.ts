import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Database } from "#db/database.ts";
import type { Deps } from "#domain/deps.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { roles } from "#domain/policy.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("races for the last owner", (fixture) => {
  let deps: Deps;
  let database: Database;
  before(() => void ({ deps, database } = fixture));

  /** Counts the owners and checks that the studio's owner_count matches. */
  async function countOwners(studioId: string): Promise<number> {
    const { q } = database;
    const studio = await q
      .selectFrom("studios")
      .select("owner_count")
      .where("id", "=", studioId)
      .executeTakeFirstOrThrow();
    const ownerRows = await q
      .selectFrom("memberships")
      .select("user_id")
      .where("studio_id", "=", studioId)
      .where("role", "=", "owner")
      .execute();
    assert.equal(studio.owner_count, ownerRows.length, "owner_count matches the memberships");
    return ownerRows.length;
  }

  test("one owner remains when two owners demote each other in parallel, in each of a hundred rounds (ROLE-3, T5)", async () => {
    const a = await newStudio(deps);
    const b = await newMember(deps, a, "owner");
    for (let round = 0; round < 100; round++) {
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

  test("one owner remains when two owners leave or remove each other in parallel, in each of fifty rounds (ROLE-3, T5)", async () => {
    for (let round = 0; round < 50; round++) {
      const a = await newStudio(deps);
      const b = await newMember(deps, a, "owner");
      const [first, second] = round % 2 ? [a.user.id, b.user.id] : [b.user.id, a.user.id];
      await countOutcomes([removeMember(deps, a, { userId: first }), removeMember(deps, b, { userId: second })]);
      assert.equal(await countOwners(a.studio.id), 1);
    }
  });

  test("two hundred parallel role changes keep the owner count correct (ROLE-3, T5)", async () => {
    const owner = await newStudio(deps);
    const owners = [owner];
    for (let i = 0; i < 9; i++) owners.push(await newMember(deps, owner, "owner"));
    const attempts = Array.from({ length: 200 }, (_, i) => {
      const caller = owners[i % 10] ?? owner;
      const target = owners[(i * 7 + Math.floor(i / 10)) % 10] ?? owner;
      const role = roles[(i * 31) % 3] ?? "member";
      return changeRole(deps, caller, { userId: target.user.id, role });
    });
    const outcomes = await countOutcomes(attempts);
    // On a slow machine some calls may not get a database connection in time; they fail without changing anything.
    assert.deepEqual(
      Object.keys(outcomes).filter((code) => !["ok", "forbidden", "storage_unavailable"].includes(code)),
      [],
    );
    assert.ok((outcomes.ok ?? 0) > 50, JSON.stringify(outcomes));
    assert.ok((await countOwners(owner.studio.id)) >= 1);
    await assertActivityMatchesRoles(
      owner.studio.id,
      owners.map(({ user }) => user.id),
    );
  });

  test("one owner remains when twenty owners step down and leave in parallel (ROLE-3, T5)", async () => {
    const owner = await newStudio(deps);
    const owners = [owner];
    for (let i = 0; i < 19; i++) owners.push(await newMember(deps, owner, "owner"));
    const demote = owners.map((caller) => changeRole(deps, caller, { userId: caller.user.id, role: "admin" }));
    const leave = owners.map((caller) => removeMember(deps, caller, { userId: caller.user.id }));
    const outcomes = await countOutcomes([...demote, ...leave]);
    assert.ok((outcomes.forbidden ?? 0) >= 1, "at least one owner is kept");
    assert.equal(await countOwners(owner.studio.id), 1);
    const memberOutcomes = await Promise.all(
      owners.map((caller) => getOutcome(resolveStudioCaller(deps, caller, owner.studio.id))),
    );
    assert.ok(memberOutcomes.includes("ok"));
  });

  /** Sums up each user's recorded role changes: together they must lead from owner to the current role. */
  async function assertActivityMatchesRoles(studioId: string, userIds: readonly string[]): Promise<void> {
    const { q } = database;
    for (const userId of userIds) {
      const rows = await q
        .selectFrom("activity")
        .select(["detail"])
        .where("studio_id", "=", studioId)
        .where("subject_id", "=", userId)
        .where("action", "=", "member.role_changed")
        .execute();
      const changes = rows.map(({ detail }) => JSON.parse(detail) as { from: string; to: string });
      const balance = (role: string) =>
        changes.filter(({ to }) => to === role).length - changes.filter(({ from }) => from === role).length;
      const { role } = await q
        .selectFrom("memberships")
        .select("role")
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      const expected = { owner: 0, admin: 0, member: 0, ...(role === "owner" ? {} : { owner: -1, [role]: 1 }) };
      assert.deepEqual({ owner: balance("owner"), admin: balance("admin"), member: balance("member") }, expected);
    }
  }
});
