import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { changeRole, listMembers, removeMember } from "#domain/studios/members.ts";
import { createInvitation, createInvitationInput } from "#domain/studios/create-invitation.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { listInvitations, revokeInvitation } from "#domain/studios/invitation.ts";
import { days } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { hostileIds } from "../support/hostile-ids.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";

forEachEngine("invitations", (fixture) => {
  test("a link of seven days makes its bearer a member in the role it names (INVITE-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const { url, expiresAt } = await createInvitation(fixture.deps, owner, { role: "admin" });
    assert.match(url, /^http:\/\/localhost:3000\/join\/[\w-]{43}$/);
    assert.equal(Date.parse(expiresAt), fixture.clock() + days(7));
    const person = await newUser(fixture.deps);
    fixture.clock.advance(days(7) - 1);
    const membership = await acceptInvitation(fixture.deps, person, { token: url.split("/join/")[1] ?? "" });
    assert.deepEqual(membership, {
      studioId: owner.studio.id,
      userId: person.user.id,
      role: "admin",
      joinedAt: new Date(fixture.clock()).toISOString(),
    });
    assert.equal((await resolveStudioCaller(fixture.deps, person, owner.studio.id)).role, "admin");
  });

  test("after seven days it has expired (INVITE-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const token = await createInvitationToken(fixture.deps, owner, "member");
    fixture.clock.advance(days(7));
    assert.equal(await getOutcome(acceptInvitation(fixture.deps, await newUser(fixture.deps), { token })), "not_found");
    assert.deepEqual((await listInvitations(fixture.deps, owner)).invitations, []);
  });

  test("it serves once, and never a second person (INVITE-2, T6)", async () => {
    const token = await createInvitationToken(fixture.deps, await newStudio(fixture.deps), "member");
    const [first, second] = [await newUser(fixture.deps), await newUser(fixture.deps)];
    assert.equal(await getOutcome(acceptInvitation(fixture.deps, first, { token })), "ok");
    assert.equal(await getOutcome(acceptInvitation(fixture.deps, second, { token })), "not_found");
    assert.equal(await getOutcome(acceptInvitation(fixture.deps, first, { token })), "not_found");
  });

  test("of thirty people who accept at the same moment one gets in (INVITE-2, T6)", async () => {
    const owner = await newStudio(fixture.deps);
    const token = await createInvitationToken(fixture.deps, owner, "owner");
    const people = await Promise.all(Array.from({ length: 30 }, () => newUser(fixture.deps)));
    assert.deepEqual(await countOutcomes(people.map((person) => acceptInvitation(fixture.deps, person, { token }))), {
      ok: 1,
      not_found: 29,
    });
    assert.equal((await listMembers(fixture.deps, owner)).members.length, 2);
    assert.equal(await ownerCount(owner.studio.id), 2);
  });

  test("one person with thirty links at the same moment becomes one member (INVITE-2, T6)", async () => {
    const owner = await newStudio(fixture.deps);
    const tokens = await Promise.all(
      Array.from({ length: 30 }, () => createInvitationToken(fixture.deps, owner, "owner")),
    );
    const person = await newUser(fixture.deps);
    const outcomes = await countOutcomes(tokens.map((token) => acceptInvitation(fixture.deps, person, { token })));
    assert.deepEqual(
      Object.keys(outcomes).filter((code) => !["ok", "not_found"].includes(code)),
      [],
    );
    assert.equal((await listMembers(fixture.deps, owner)).members.length, 2);
    assert.equal(await ownerCount(owner.studio.id), 2);
    assert.equal(
      (await listInvitations(fixture.deps, owner)).invitations.length,
      29,
      "only the one that was used is used up",
    );
  });

  test("a member who opens a link keeps their role, and the link stays good (INVITE-2)", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const token = await createInvitationToken(fixture.deps, owner, "owner");
    assert.equal((await acceptInvitation(fixture.deps, member, { token })).role, "member");
    assert.equal(await ownerCount(owner.studio.id), 1);
    assert.equal(await getOutcome(acceptInvitation(fixture.deps, await newUser(fixture.deps), { token })), "ok");
  });

  test("one made for an address is for that verified address only (INVITE-3, T6)", async () => {
    const owner = await newStudio(fixture.deps);
    const { email } = createInvitationInput.parse({ role: "member", email: "Kate@Example.com" });
    const token = await createInvitationToken(fixture.deps, owner, "member", email);
    const others = [
      { email: "other@example.com" },
      { email: "kate@example.com", emailVerified: false },
      { email: null },
      { email: "kate@example.com.evil.test" },
      { email: " kate@example.com" },
      { email: "\u212aate@example.com" }, // KELVIN SIGN, whose lower case is k
    ];
    for (const other of others) {
      assert.equal(
        await getOutcome(acceptInvitation(fixture.deps, await newUser(fixture.deps, other), { token })),
        "forbidden",
        JSON.stringify(other),
      );
    }
    assert.equal((await listMembers(fixture.deps, owner)).members.length, 1);
    assert.equal(
      await getOutcome(
        acceptInvitation(fixture.deps, await newUser(fixture.deps, { email: "KATE@example.COM" }), { token }),
      ),
      "ok",
    );
  });

  test("one that was withdrawn is of no more use, also to someone who accepts at that moment (INVITE-4, T6)", async () => {
    const owner = await newStudio(fixture.deps);
    for (let round = 0; round < 20; round++) {
      const { id, url } = await createInvitation(fixture.deps, owner, { role: "member" });
      const token = url.split("/join/")[1] ?? "";
      const person = await newUser(fixture.deps);
      const [accepted, revoked] = await Promise.all([
        getOutcome(acceptInvitation(fixture.deps, person, { token })),
        getOutcome(revokeInvitation(fixture.deps, owner, { invitationId: id })),
      ]);
      assert.deepEqual([accepted, revoked].toSorted(), ["not_found", "ok"], "one of the two");
      assert.equal(
        await getOutcome(acceptInvitation(fixture.deps, await newUser(fixture.deps), { token })),
        "not_found",
      );
    }
  });

  test("a link is worth no more than its maker: removed, they do not come back by one they kept (INVITE-4, T6, T7)", async () => {
    const { deps } = fixture;
    const owner = await newStudio(deps);
    const removed = await newMember(deps, owner, "admin");
    const [forAdmin, forMember] = [
      await createInvitationToken(deps, removed, "admin"),
      await createInvitationToken(deps, removed, "member"),
    ];
    await removeMember(deps, owner, { userId: removed.user.id });
    for (const token of [forAdmin, forMember])
      for (const person of [removed, await newUser(deps)])
        assert.equal(await getOutcome(acceptInvitation(deps, person, { token })), "not_found");
    assert.deepEqual((await listInvitations(deps, owner)).invitations, []);

    const demoted = await newMember(deps, owner, "owner");
    const [forOwner, forOther] = [
      await createInvitationToken(deps, demoted, "owner"),
      await createInvitationToken(deps, demoted, "member"),
    ];
    await changeRole(deps, owner, { userId: demoted.user.id, role: "admin" });
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token: forOwner })), "not_found");
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token: forOther })), "ok");
    const last = await createInvitationToken(deps, await resolveStudioCaller(deps, demoted, owner.studio.id), "member");
    await changeRole(deps, owner, { userId: demoted.user.id, role: "member" });
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token: last })), "not_found");
    assert.equal(await ownerCount(owner.studio.id), 1);
  });

  test("a maker who is removed between the look and the acceptance makes nobody a member (T6)", async () => {
    const { deps } = fixture;
    const owner = await newStudio(deps);
    const maker = await newMember(deps, owner, "admin");
    const token = await createInvitationToken(deps, maker, "admin");
    const late = { ...deps.invitations };
    const removing: typeof deps = {
      ...deps,
      invitations: {
        ...late,
        async findOpen(...args) {
          const found = await late.findOpen(...args);
          await removeMember(deps, owner, { userId: maker.user.id });
          return found;
        },
      },
    };
    assert.equal(await getOutcome(acceptInvitation(removing, await newUser(deps), { token })), "not_found");
    assert.equal((await listMembers(deps, owner)).members.length, 1);
  });

  test("another studio's invitation, and ids that cannot exist, are not found (INVITE-4, T1)", async () => {
    const [owner, foreign] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    const { id } = await createInvitation(fixture.deps, foreign, { role: "member" });
    for (const invitationId of [id, ...hostileIds("invitation")]) {
      assert.equal(await getOutcome(revokeInvitation(fixture.deps, owner, { invitationId })), "not_found");
    }
    assert.equal((await listInvitations(fixture.deps, foreign)).invitations.length, 1);
  });

  test("open ones are listed, newest first, without their links (INVITE-4)", async () => {
    const owner = await newStudio(fixture.deps);
    const [used, first, second] = [
      await createInvitationToken(fixture.deps, owner, "member"),
      await createInvitation(fixture.deps, owner, { role: "member" }),
      await createInvitation(fixture.deps, owner, { role: "admin", email: "a@example.com" }),
    ];
    await acceptInvitation(fixture.deps, await newUser(fixture.deps), { token: used });
    const { invitations } = await listInvitations(fixture.deps, owner);
    assert.deepEqual(
      invitations.map(({ id, role, email }) => [id, role, email]),
      [
        [second.id, "admin", "a@example.com"],
        [first.id, "member", null],
      ],
    );
    assert.doesNotMatch(JSON.stringify(invitations), new RegExp(first.url.split("/join/")[1] ?? "?"));
  });

  test("the database holds no link that could be used (INVITE-5)", async () => {
    const token = await createInvitationToken(fixture.deps, await newStudio(fixture.deps), "member");
    const rows = [
      await fixture.database.q.selectFrom("invitations").selectAll().execute(),
      await fixture.database.q.selectFrom("activity").selectAll().execute(),
    ];
    assert.ok(!JSON.stringify(rows).includes(token));
  });

  test("tokens that cannot exist are not found (ERR-not_found)", async () => {
    const person = await newUser(fixture.deps);
    for (const token of hostileIds("invitation"))
      assert.equal(await getOutcome(acceptInvitation(fixture.deps, person, { token })), "not_found");
  });

  test("what is no role or no address is refused (ERR-invalid_input)", () => {
    const bad = [
      { role: "root" },
      {},
      { role: "member", email: "kate" },
      { role: "member", email: "a@b\0.c" },
      { role: "member", email: `${"a".repeat(250)}@b.example` },
      { role: "member", extra: 1 },
    ];
    for (const input of bad) assert.equal(createInvitationInput.safeParse(input).success, false, JSON.stringify(input));
  });

  test("an owner who joined by invitation counts as one (ROLE-3)", async () => {
    const owner = await newStudio(fixture.deps);
    await newMember(fixture.deps, owner, "owner");
    assert.equal(await getOutcome(changeRole(fixture.deps, owner, { userId: owner.user.id, role: "member" })), "ok");
    assert.equal(await ownerCount(owner.studio.id), 1);
  });

  async function ownerCount(studioId: string): Promise<number> {
    const { owner_count } = await fixture.database.q
      .selectFrom("studios")
      .select("owner_count")
      .where("id", "=", studioId)
      .executeTakeFirstOrThrow();
    return owner_count;
  }
});
