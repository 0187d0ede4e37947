import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Database } from "#db/database.ts";
import type { TestClock } from "../support/clock.ts";
import type { Deps } from "#domain/deps.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { changeRole, listMembers, removeMember } from "#domain/studios/members.ts";
import { createInvitation, createInvitationInput } from "#domain/studios/create-invitation.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { listInvitations, revokeInvitation } from "#domain/studios/invitation.ts";
import { days } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";

forEachEngine("invitations", (fixture) => {
  let deps: Deps;
  let clock: TestClock;
  let database: Database;
  before(() => void ({ deps, clock, database } = fixture));

  test("a user who accepts an invitation within seven days becomes a member with its role (INVITE-1)", async () => {
    const owner = await newStudio(deps);
    const { url, expiresAt } = await createInvitation(deps, owner, { role: "admin" });
    assert.match(url, /^http:\/\/localhost:3000\/join\/[\w-]{43}$/);
    assert.equal(Date.parse(expiresAt), clock() + days(7));
    const invitee = await newUser(deps);
    clock.advance(days(7) - 1);
    const membership = await acceptInvitation(deps, invitee, { token: url.split("/join/")[1] ?? "" });
    assert.deepEqual(membership, {
      studioId: owner.studio.id,
      userId: invitee.user.id,
      role: "admin",
      joinedAt: new Date(clock()).toISOString(),
    });
    assert.equal((await resolveStudioCaller(deps, invitee, owner.studio.id)).role, "admin");
  });

  test("an invitation expires after seven days (INVITE-1)", async () => {
    const owner = await newStudio(deps);
    const token = await createInvitationToken(deps, owner, "member");
    clock.advance(days(7));
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token })), "not_found");
    assert.deepEqual((await listInvitations(deps, owner)).invitations, []);
  });

  test("an invitation can be used once (INVITE-2, T6)", async () => {
    const token = await createInvitationToken(deps, await newStudio(deps), "member");
    const [first, second] = [await newUser(deps), await newUser(deps)];
    assert.equal(await getOutcome(acceptInvitation(deps, first, { token })), "ok");
    assert.equal(await getOutcome(acceptInvitation(deps, second, { token })), "not_found");
    assert.equal(await getOutcome(acceptInvitation(deps, first, { token })), "not_found");
  });

  test("exactly one of thirty users who accept an invitation concurrently becomes a member (INVITE-2, T6)", async () => {
    const owner = await newStudio(deps);
    const token = await createInvitationToken(deps, owner, "owner");
    const invitees = await Promise.all(Array.from({ length: 30 }, () => newUser(deps)));
    assert.deepEqual(await countOutcomes(invitees.map((invitee) => acceptInvitation(deps, invitee, { token }))), {
      ok: 1,
      not_found: 29,
    });
    assert.equal((await listMembers(deps, owner)).members.length, 2);
    assert.equal(await getOwnerCount(owner.studio.id), 2);
  });

  test("a user who accepts thirty invitations concurrently becomes a member once (INVITE-2, T6)", async () => {
    const owner = await newStudio(deps);
    const tokens = await Promise.all(Array.from({ length: 30 }, () => createInvitationToken(deps, owner, "owner")));
    const invitee = await newUser(deps);
    const outcomes = await countOutcomes(tokens.map((token) => acceptInvitation(deps, invitee, { token })));
    assert.deepEqual(
      Object.keys(outcomes).filter((code) => !["ok", "not_found"].includes(code)),
      [],
    );
    assert.equal((await listMembers(deps, owner)).members.length, 2);
    assert.equal(await getOwnerCount(owner.studio.id), 2);
    assert.equal((await listInvitations(deps, owner)).invitations.length, 29, "only one invitation is used");
  });

  test("a member who accepts an invitation keeps their role, and the link stays valid (INVITE-2)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const token = await createInvitationToken(deps, owner, "owner");
    assert.equal((await acceptInvitation(deps, member, { token })).role, "member");
    assert.equal(await getOwnerCount(owner.studio.id), 1);
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token })), "ok");
  });

  test("only a user with the verified email of an invitation can accept it (INVITE-3, T6)", async () => {
    const owner = await newStudio(deps);
    const { email } = createInvitationInput.parse({ role: "member", email: "Kate@Example.com" });
    const token = await createInvitationToken(deps, owner, "member", email);
    const otherUsers = [
      { email: "other@example.com" },
      { email: "kate@example.com", emailVerified: false },
      { email: null },
      { email: "kate@example.com.evil.test" },
      { email: " kate@example.com" },
      { email: "\u212aate@example.com" }, // KELVIN SIGN, whose lower case is k
    ];
    for (const otherUser of otherUsers) {
      assert.equal(
        await getOutcome(acceptInvitation(deps, await newUser(deps, otherUser), { token })),
        "forbidden",
        JSON.stringify(otherUser),
      );
    }
    assert.equal((await listMembers(deps, owner)).members.length, 1);
    assert.equal(
      await getOutcome(acceptInvitation(deps, await newUser(deps, { email: "KATE@example.COM" }), { token })),
      "ok",
    );
  });

  test("a revoked invitation cannot be accepted, even concurrently (INVITE-4, T6)", async () => {
    const owner = await newStudio(deps);
    for (let round = 0; round < 20; round++) {
      const { id, url } = await createInvitation(deps, owner, { role: "member" });
      const token = url.split("/join/")[1] ?? "";
      const invitee = await newUser(deps);
      const [acceptOutcome, revokeOutcome] = await Promise.all([
        getOutcome(acceptInvitation(deps, invitee, { token })),
        getOutcome(revokeInvitation(deps, owner, { invitationId: id })),
      ]);
      assert.deepEqual(
        [acceptOutcome, revokeOutcome].toSorted(),
        ["not_found", "ok"],
        "either the acceptance or the revocation succeeds",
      );
      assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token })), "not_found");
    }
  });

  test("an invitation is invalid once its creator is no longer allowed to create it (INVITE-4, T6, T7)", async () => {
    const owner = await newStudio(deps);
    const removedAdmin = await newMember(deps, owner, "admin");
    const tokens = [
      await createInvitationToken(deps, removedAdmin, "admin"),
      await createInvitationToken(deps, removedAdmin, "member"),
    ];
    await removeMember(deps, owner, { userId: removedAdmin.user.id });
    for (const token of tokens)
      for (const invitee of [removedAdmin, await newUser(deps)])
        assert.equal(await getOutcome(acceptInvitation(deps, invitee, { token })), "not_found");
    assert.deepEqual((await listInvitations(deps, owner)).invitations, []);

    const demotedOwner = await newMember(deps, owner, "owner");
    const [ownerToken, memberToken] = [
      await createInvitationToken(deps, demotedOwner, "owner"),
      await createInvitationToken(deps, demotedOwner, "member"),
    ];
    await changeRole(deps, owner, { userId: demotedOwner.user.id, role: "admin" });
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token: ownerToken })), "not_found");
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token: memberToken })), "ok");
    const laterToken = await createInvitationToken(
      deps,
      await resolveStudioCaller(deps, demotedOwner, owner.studio.id),
      "member",
    );
    await changeRole(deps, owner, { userId: demotedOwner.user.id, role: "member" });
    assert.equal(await getOutcome(acceptInvitation(deps, await newUser(deps), { token: laterToken })), "not_found");
    assert.equal(await getOwnerCount(owner.studio.id), 1);
  });

  test("an invitation is invalid if its creator is removed while it is being accepted (T6)", async () => {
    const owner = await newStudio(deps);
    const creator = await newMember(deps, owner, "admin");
    const token = await createInvitationToken(deps, creator, "admin");
    const { invitations } = deps;
    const removingDeps: typeof deps = {
      ...deps,
      invitations: {
        ...invitations,
        async findOpen(...args) {
          const invitation = await invitations.findOpen(...args);
          await removeMember(deps, owner, { userId: creator.user.id });
          return invitation;
        },
      },
    };
    assert.equal(await getOutcome(acceptInvitation(removingDeps, await newUser(deps), { token })), "not_found");
    assert.equal((await listMembers(deps, owner)).members.length, 1);
  });

  test("rejects another studio's invitation, and unknown or malformed ids, with not_found (INVITE-4, T1)", async () => {
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    const { id } = await createInvitation(deps, otherOwner, { role: "member" });
    for (const invitationId of [id, ...listHostileIds("invitation")]) {
      assert.equal(await getOutcome(revokeInvitation(deps, owner, { invitationId })), "not_found");
    }
    assert.equal((await listInvitations(deps, otherOwner)).invitations.length, 1);
  });

  test("lists open invitations, newest first, without their links (INVITE-4)", async () => {
    const owner = await newStudio(deps);
    const [usedToken, firstInvitation, secondInvitation] = [
      await createInvitationToken(deps, owner, "member"),
      await createInvitation(deps, owner, { role: "member" }),
      await createInvitation(deps, owner, { role: "admin", email: "a@example.com" }),
    ];
    await acceptInvitation(deps, await newUser(deps), { token: usedToken });
    const { invitations } = await listInvitations(deps, owner);
    assert.deepEqual(
      invitations.map(({ id, role, email }) => [id, role, email]),
      [
        [secondInvitation.id, "admin", "a@example.com"],
        [firstInvitation.id, "member", null],
      ],
    );
    assert.doesNotMatch(JSON.stringify(invitations), new RegExp(firstInvitation.url.split("/join/")[1] ?? "?"));
  });

  test("the database stores no usable invitation link (INVITE-5)", async () => {
    const token = await createInvitationToken(deps, await newStudio(deps), "member");
    const rows = [
      await database.q.selectFrom("invitations").selectAll().execute(),
      await database.q.selectFrom("activity").selectAll().execute(),
    ];
    assert.ok(!JSON.stringify(rows).includes(token));
  });

  test("rejects unknown and malformed tokens with not_found (ERR-not_found)", async () => {
    const invitee = await newUser(deps);
    for (const token of listHostileIds("invitation"))
      assert.equal(await getOutcome(acceptInvitation(deps, invitee, { token })), "not_found");
  });

  test("rejects invalid roles and emails (ERR-invalid_input)", () => {
    const invalidInputs = [
      { role: "root" },
      {},
      { role: "member", email: "kate" },
      { role: "member", email: "a@b\0.c" },
      { role: "member", email: `${"a".repeat(250)}@b.example` },
      { role: "member", extra: 1 },
    ];
    for (const input of invalidInputs)
      assert.equal(createInvitationInput.safeParse(input).success, false, JSON.stringify(input));
  });

  test("an owner who joined by invitation counts as an owner (ROLE-3)", async () => {
    const owner = await newStudio(deps);
    await newMember(deps, owner, "owner");
    assert.equal(await getOutcome(changeRole(deps, owner, { userId: owner.user.id, role: "member" })), "ok");
    assert.equal(await getOwnerCount(owner.studio.id), 1);
  });

  async function getOwnerCount(studioId: string): Promise<number> {
    const { owner_count } = await database.q
      .selectFrom("studios")
      .select("owner_count")
      .where("id", "=", studioId)
      .executeTakeFirstOrThrow();
    return owner_count;
  }
});
