import assert from "node:assert/strict";
import { test } from "node:test";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { roles } from "#domain/policy.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("races for the last owner", (fixture) => {
  /** The owners there are, after making sure that the studio's own count says the same. */
  async function owners(studioId: string): Promise<number> {
    const { q } = fixture.database;
    const studio = await q
      .selectFrom("studios")
      .select("owner_count")
      .where("id", "=", studioId)
      .executeTakeFirstOrThrow();
    const found = await q
      .selectFrom("memberships")
      .select("user_id")
      .where("studio_id", "=", studioId)
      .where("role", "=", "owner")
      .execute();
    assert.equal(studio.owner_count, found.length, "owner_count equals truth");
    return found.length;
  }

  test("a hundred rounds of two owners demoting each other leave one owner each time (ROLE-3, T5)", async () => {
    const a = await newStudio(fixture.deps);
    const b = await newMember(fixture.deps, a, "owner");
    for (let round = 0; round < 100; round++) {
      const results = await Promise.all([
        getOutcome(changeRole(fixture.deps, a, { userId: b.user.id, role: "member" })),
        getOutcome(changeRole(fixture.deps, b, { userId: a.user.id, role: "member" })),
      ]);
      assert.deepEqual(results.toSorted(), ["forbidden", "ok"]);
      assert.equal(await owners(a.studio.id), 1);
      const [loser, winner] = results[0] === "ok" ? [b, a] : [a, b];
      await changeRole(fixture.deps, winner, { userId: loser.user.id, role: "owner" });
    }
  });

  test("fifty rounds of two owners who leave, or remove each other (ROLE-3, T5)", async () => {
    for (let round = 0; round < 50; round++) {
      const a = await newStudio(fixture.deps);
      const b = await newMember(fixture.deps, a, "owner");
      const [first, second] = round % 2 ? [a.user.id, b.user.id] : [b.user.id, a.user.id];
      await countOutcomes([
        removeMember(fixture.deps, a, { userId: first }),
        removeMember(fixture.deps, b, { userId: second }),
      ]);
      assert.equal(await owners(a.studio.id), 1);
    }
  });

  test("two hundred role changes at the same moment keep the count true (ROLE-3, T5)", async () => {
    const owner = await newStudio(fixture.deps);
    const people = [owner];
    for (let i = 0; i < 9; i++) people.push(await newMember(fixture.deps, owner, "owner"));
    const attempts = Array.from({ length: 200 }, (_, i) => {
      const by = people[i % 10] ?? owner;
      const target = people[(i * 7 + Math.floor(i / 10)) % 10] ?? owner;
      const role = roles[(i * 31) % 3] ?? "member";
      return changeRole(fixture.deps, by, { userId: target.user.id, role });
    });
    const outcomes = await countOutcomes(attempts);
    // On a slow machine some may not get a connection in time: they say so, and have changed nothing.
    assert.deepEqual(
      Object.keys(outcomes).filter((code) => !["ok", "forbidden", "storage_unavailable"].includes(code)),
      [],
    );
    assert.ok((outcomes.ok ?? 0) > 50, JSON.stringify(outcomes));
    assert.ok((await owners(owner.studio.id)) >= 1);
    await assertActivityTellsTheTruth(
      owner.studio.id,
      people.map(({ user }) => user.id),
    );
  });

  test("twenty owners step down and leave at the same moment, and one is left (ROLE-3, T5)", async () => {
    const owner = await newStudio(fixture.deps);
    const people = [owner];
    for (let i = 0; i < 19; i++) people.push(await newMember(fixture.deps, owner, "owner"));
    const demote = people.map((person) => changeRole(fixture.deps, person, { userId: person.user.id, role: "admin" }));
    const leave = people.map((person) => removeMember(fixture.deps, person, { userId: person.user.id }));
    const outcomes = await countOutcomes([...demote, ...leave]);
    assert.ok((outcomes.forbidden ?? 0) >= 1, "someone had to stay");
    assert.equal(await owners(owner.studio.id), 1);
    const left = await Promise.all(
      people.map((person) => getOutcome(resolveStudioCaller(fixture.deps, person, owner.studio.id))),
    );
    assert.ok(left.includes("ok"));
  });

  /** Replays the role changes of each person in the order they were recorded: they must join end to end. */
  async function assertActivityTellsTheTruth(studioId: string, userIds: readonly string[]): Promise<void> {
    const { q } = fixture.database;
    for (const userId of userIds) {
      const rows = await q
        .selectFrom("activity")
        .select(["detail"])
        .where("studio_id", "=", studioId)
        .where("subject_id", "=", userId)
        .where("action", "=", "member.role_changed")
        .execute();
      const steps = rows.map(({ detail }) => JSON.parse(detail) as { from: string; to: string });
      const balance = (role: string) =>
        steps.filter(({ to }) => to === role).length - steps.filter(({ from }) => from === role).length;
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
