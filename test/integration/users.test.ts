import assert from "node:assert/strict";
import { test } from "node:test";
import { describeMe } from "#domain/access/describe-me.ts";
import { recognizeUser } from "#domain/access/recognize-user.ts";
import { setActiveStudio } from "#domain/access/set-active-studio.ts";
import { removeMember } from "#domain/studios/remove-member.ts";
import { forEachEngine } from "../support/engines.ts";
import { hostileIds } from "../support/hostile.ts";
import { outcome } from "../support/outcome.ts";
import { identity, newMember, newPerson, newStudio } from "../support/people.ts";

forEachEngine("users", (bed) => {
  test("[WORD-1] the same issuer and subject is the same user, brought up to date", async () => {
    const first = identity({ name: "Ann", email: "ann@example.com" });
    const user = await recognizeUser(bed.deps, first);
    bed.clock.advance(1000);
    const again = await recognizeUser(bed.deps, { ...first, name: "Ann B.", email: null, emailVerified: false });
    assert.equal(again.id, user.id);
    assert.deepEqual(await bed.deps.users.find(user.id), {
      id: user.id,
      name: "Ann B.",
      email: null,
      emailVerified: false,
      activeStudioId: null,
      disabledAt: null,
    });
  });

  test("[WORD-1] [A24] the same email never joins two identities", async () => {
    const known = identity({ email: "shared@example.com" });
    const others = [
      { ...known, subject: `${known.subject}-other` },
      { ...known, issuer: "https://other.test" },
      { ...known, subject: known.subject.toUpperCase() },
      { ...known, subject: `${known.subject} ` },
      { ...known, issuer: `${known.issuer}/` },
      { ...known, subject: "", emailVerified: false },
    ];
    const ids = [];
    for (const one of [known, ...others]) ids.push((await recognizeUser(bed.deps, one)).id);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("[WORD-1] [R6] fifty first sign-ins of one subject at the same moment make one user", async () => {
    for (let round = 0; round < 5; round++) {
      const one = identity();
      const users = await Promise.all(Array.from({ length: 50 }, () => recognizeUser(bed.deps, one)));
      assert.equal(new Set(users.map(({ id }) => id)).size, 1);
      const rows = await bed.database.q.selectFrom("users").select("id").where("subject", "=", one.subject).execute();
      assert.equal(rows.length, 1);
    }
  });

  test("[WORD-8] a new user has no studio, and is described in camelCase", async () => {
    const person = await newPerson(bed.deps, { name: "Zoë" });
    assert.deepEqual(await describeMe(bed.deps, person), { user: person.user, memberships: [], activeStudioId: null });
  });

  test("[STUDIO-2] without a choice the first membership counts: the earliest joined, not the oldest studio", async () => {
    const person = await newPerson(bed.deps);
    const [older, newer] = [await newStudio(bed.deps), await newStudio(bed.deps)];
    bed.clock.advance(1000);
    await newMember(bed.deps, newer, "member", person);
    bed.clock.advance(1000);
    await newMember(bed.deps, older, "admin", person);
    const me = await describeMe(bed.deps, person);
    assert.equal(me.activeStudioId, newer.studio.id);
    assert.deepEqual(
      me.memberships.map(({ studioId, role }) => [studioId, role]),
      [
        [newer.studio.id, "member"],
        [older.studio.id, "admin"],
      ],
    );
    assert.match(me.memberships[0]?.joinedAt ?? "", /^2026-01-01T00:\d\d:\d\d\.000Z$/);
  });

  test("[STUDIO-2] [STUDIO-3] the active studio is kept, and counts no longer once the user is not a member", async () => {
    const person = await newPerson(bed.deps);
    const [a, b] = [await newStudio(bed.deps, person, "A"), await newStudio(bed.deps, undefined, "B")];
    const inB = await newMember(bed.deps, b, "member", person);
    await setActiveStudio(bed.deps, person, { studioId: b.studio.id });
    assert.equal((await describeMe(bed.deps, person)).activeStudioId, b.studio.id);
    await removeMember(bed.deps, inB, { userId: person.user.id });
    assert.equal((await describeMe(bed.deps, person)).activeStudioId, a.studio.id);
    assert.equal(await outcome(setActiveStudio(bed.deps, person, { studioId: b.studio.id })), "not_found");
  });

  test("[STUDIO-3] [T1] someone else's studio, or one that cannot exist, is not found and changes nothing", async () => {
    const person = await newPerson(bed.deps);
    const own = await newStudio(bed.deps, person);
    const foreign = await newStudio(bed.deps);
    for (const studioId of [foreign.studio.id, ...hostileIds("studio")]) {
      assert.equal(
        await outcome(setActiveStudio(bed.deps, person, { studioId })),
        "not_found",
        JSON.stringify(studioId.slice(0, 40)),
      );
    }
    assert.equal((await describeMe(bed.deps, person)).activeStudioId, own.studio.id);
  });
});
