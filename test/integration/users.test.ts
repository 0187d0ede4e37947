import assert from "node:assert/strict";
import { test } from "node:test";
import { describeMe, setActiveStudio } from "#domain/access/me.ts";
import { resolveUser } from "#domain/studios/authorize-sign-in.ts";
import { removeMember } from "#domain/studios/members.ts";
import { forEachEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { getOutcome } from "../support/outcome.ts";
import { createIdentity, newMember, newUser, newStudio } from "../support/users.ts";

forEachEngine("users", (fixture) => {
  test("the same issuer and subject is the same user, with an updated profile (WORD-1)", async () => {
    const identity = createIdentity({ name: "Ann", email: "ann@example.com" });
    const user = await resolveUser(fixture.deps, identity);
    fixture.clock.advance(1000);
    const updatedUser = await resolveUser(fixture.deps, {
      ...identity,
      name: "Ann B.",
      email: null,
      emailVerified: false,
    });
    assert.equal(updatedUser.id, user.id);
    assert.deepEqual(await fixture.deps.users.find(user.id), {
      id: user.id,
      name: "Ann B.",
      email: null,
      emailVerified: false,
      activeStudioId: null,
      disabledAt: null,
    });
  });

  test("the same email never merges two identities (WORD-1, A24)", async () => {
    const identity = createIdentity({ email: "shared@example.com" });
    const otherIdentities = [
      { ...identity, subject: `${identity.subject}-other` },
      { ...identity, issuer: "https://other.test" },
      { ...identity, subject: identity.subject.toUpperCase() },
      { ...identity, subject: `${identity.subject} ` },
      { ...identity, issuer: `${identity.issuer}/` },
      { ...identity, subject: "", emailVerified: false },
    ];
    const ids = [];
    for (const each of [identity, ...otherIdentities]) ids.push((await resolveUser(fixture.deps, each)).id);
    assert.equal(new Set(ids).size, ids.length);
  });

  test("fifty parallel first sign-ins of one subject create one user (WORD-1, R6)", async () => {
    const identity = createIdentity();
    const users = await Promise.all(Array.from({ length: 50 }, () => resolveUser(fixture.deps, identity)));
    assert.equal(new Set(users.map(({ id }) => id)).size, 1);
    const rows = fixture.database.q.selectFrom("users").select("id").where("subject", "=", identity.subject);
    assert.equal((await rows.execute()).length, 1);
  });

  test("the active studio defaults to the studio that the user joined first, not to the oldest studio (STUDIO-2)", async () => {
    const signedInUser = await newUser(fixture.deps);
    const [olderStudio, newerStudio] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    fixture.clock.advance(1000);
    await newMember(fixture.deps, newerStudio, "member", signedInUser);
    fixture.clock.advance(1000);
    await newMember(fixture.deps, olderStudio, "admin", signedInUser);
    const me = await describeMe(fixture.deps, signedInUser);
    assert.equal(me.activeStudioId, newerStudio.studio.id);
    assert.deepEqual(
      me.memberships.map(({ studioId, role }) => [studioId, role]),
      [
        [newerStudio.studio.id, "member"],
        [olderStudio.studio.id, "admin"],
      ],
    );
    assert.match(me.memberships[0]?.joinedAt ?? "", /^2026-01-01T00:\d\d:\d\d\.000Z$/);
  });

  test("the active studio is stored, and falls back to the default once the user is no longer a member (STUDIO-2, STUDIO-3)", async () => {
    const signedInUser = await newUser(fixture.deps);
    const [a, b] = [await newStudio(fixture.deps, signedInUser, "A"), await newStudio(fixture.deps, undefined, "B")];
    const memberOfB = await newMember(fixture.deps, b, "member", signedInUser);
    await setActiveStudio(fixture.deps, signedInUser, { studioId: b.studio.id });
    assert.equal((await describeMe(fixture.deps, signedInUser)).activeStudioId, b.studio.id);
    await removeMember(fixture.deps, memberOfB, { userId: signedInUser.user.id });
    assert.equal((await describeMe(fixture.deps, signedInUser)).activeStudioId, a.studio.id);
    assert.equal(await getOutcome(setActiveStudio(fixture.deps, signedInUser, { studioId: b.studio.id })), "not_found");
  });

  test("rejects another user's studio, and unknown or malformed ids, with not_found, and changes nothing (STUDIO-3, T1)", async () => {
    const signedInUser = await newUser(fixture.deps);
    const ownStudio = await newStudio(fixture.deps, signedInUser);
    const otherStudio = await newStudio(fixture.deps);
    for (const studioId of [otherStudio.studio.id, ...listHostileIds("studio")]) {
      const outcome = await getOutcome(setActiveStudio(fixture.deps, signedInUser, { studioId }));
      assert.equal(outcome, "not_found", JSON.stringify(studioId.slice(0, 40)));
    }
    assert.equal((await describeMe(fixture.deps, signedInUser)).activeStudioId, ownStudio.studio.id);
  });
});
