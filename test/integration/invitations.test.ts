import assert from "node:assert/strict";
import { test } from "node:test";
import { createInvitationStore } from "#db/invitations.ts";
import { openDatabase } from "#db/open-database.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import {
  acceptInvitation,
  createInvitation,
  createInvitationInput,
  listInvitations,
  maxOpenInvitations,
  revokeInvitation,
} from "#domain/studios/invitations.ts";
import { changeRole, listMembers, removeMember } from "#domain/studios/members.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { recordPlans } from "../support/query-plans.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";

forEachEngine("invitations", (fixture) => {
  const { deps, clock } = fixture;
  const accept = async (token: string, user?: SignedInUser) =>
    getOutcome(acceptInvitation(deps, user ?? (await newUser(deps)), { token }));
  const countMembers = async (owner: Caller) => (await listMembers(deps, owner)).members.length;

  async function countOwners({ studio }: Caller): Promise<number> {
    const query = fixture.database.q.selectFrom("studios").select("ownerCount").where("id", "=", studio.id);
    return (await query.executeTakeFirstOrThrow()).ownerCount;
  }

  test("a user who accepts an invitation within seven days becomes a member with its role (INVITE-1)", async () => {
    const owner = await newStudio(deps);
    const { url, expiresAt } = await createInvitation(deps, owner, { role: "admin" });
    assert.match(url, /^http:\/\/localhost:3000\/join\/[\w-]{43}$/);
    assert.equal(Date.parse(expiresAt), clock() + days(7));
    const lateToken = await createInvitationToken(deps, owner, "member");
    const invitee = await newUser(deps);
    clock.advance(days(7) - 1);
    const membership = await acceptInvitation(deps, invitee, { token: url.split("/join/")[1] ?? "" });
    assert.deepEqual(membership, {
      studioId: owner.studio.id,
      userId: invitee.user.id,
      role: "admin",
      joinedAt: toIsoTime(clock()),
    });
    assert.equal((await resolveStudioCaller(deps, invitee, owner.studio.id)).role, "admin");
    clock.advance(1);
    assert.equal(await accept(lateToken), "not_found");
    assert.deepEqual((await listInvitations(deps, owner)).invitations, []);
  });

  test("exactly one of ten users who accept an invitation concurrently becomes a member (INVITE-2, T6)", async () => {
    const owner = await newStudio(deps);
    const token = await createInvitationToken(deps, owner, "owner");
    const invitees = await Promise.all(Array.from({ length: 10 }, () => newUser(deps)));
    const outcomes = await countOutcomes(invitees.map((invitee) => acceptInvitation(deps, invitee, { token })));
    assert.deepEqual(outcomes, { ok: 1, not_found: 9 });
    assert.deepEqual([await countMembers(owner), await countOwners(owner)], [2, 2]);
    for (const invitee of [...invitees.slice(0, 2), undefined]) assert.equal(await accept(token, invitee), "not_found");
  });

  test("a user who accepts ten invitations concurrently becomes a member once (INVITE-2, T6)", async () => {
    const owner = await newStudio(deps);
    const tokens = await Promise.all(Array.from({ length: 10 }, () => createInvitationToken(deps, owner, "owner")));
    const invitee = await newUser(deps);
    const { ok = 0, not_found: notFound = 0 } = await countOutcomes(
      tokens.map((token) => acceptInvitation(deps, invitee, { token })),
    );
    assert.equal(ok + notFound, 10);
    assert.deepEqual([await countMembers(owner), await countOwners(owner)], [2, 2]);
    assert.equal((await listInvitations(deps, owner)).invitations.length, 9, "only one invitation is used");
  });

  test("a member who accepts an invitation keeps their role, and the link stays valid (INVITE-2)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const token = await createInvitationToken(deps, owner, "owner");
    assert.equal((await acceptInvitation(deps, member, { token })).role, "member");
    assert.equal(await countOwners(owner), 1);
    assert.equal(await accept(token), "ok");
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
    for (const otherUser of otherUsers)
      assert.equal(await accept(token, await newUser(deps, otherUser)), "forbidden", JSON.stringify(otherUser));
    assert.equal(await countMembers(owner), 1);
    assert.equal(await accept(token, await newUser(deps, { email: "KATE@example.COM" })), "ok");
  });

  test("a revoked invitation cannot be accepted, even concurrently (INVITE-4, T6)", async () => {
    const owner = await newStudio(deps);
    for (let round = 0; round < 10; round++) {
      const { id, url } = await createInvitation(deps, owner, { role: "member" });
      const token = url.split("/join/")[1] ?? "";
      const invitee = await newUser(deps);
      const outcomes = await Promise.all([
        accept(token, invitee),
        getOutcome(revokeInvitation(deps, owner, { invitationId: id })),
      ]);
      assert.deepEqual(outcomes.toSorted(), ["not_found", "ok"], "either the acceptance or the revocation succeeds");
      assert.equal(await accept(token), "not_found");
    }
  });

  test("an invitation is invalid once its creator is no longer allowed to create it (INVITE-4, T6, T7)", async () => {
    const owner = await newStudio(deps);
    const removedAdmin = await newMember(deps, owner, "admin");
    const token = await createInvitationToken(deps, removedAdmin, "member");
    await removeMember(deps, owner, { userId: removedAdmin.user.id });
    for (const invitee of [removedAdmin, undefined]) assert.equal(await accept(token, invitee), "not_found");
    assert.deepEqual((await listInvitations(deps, owner)).invitations, []);

    const demotedOwner = await newMember(deps, owner, "owner");
    const ownerToken = await createInvitationToken(deps, demotedOwner, "owner");
    const memberTokens = [
      await createInvitationToken(deps, demotedOwner, "member"),
      await createInvitationToken(deps, demotedOwner, "member"),
    ] as const;
    await changeRole(deps, owner, { userId: demotedOwner.user.id, role: "admin" });
    assert.equal(await accept(ownerToken), "not_found");
    assert.equal(await accept(memberTokens[0]), "ok");
    await changeRole(deps, owner, { userId: demotedOwner.user.id, role: "member" });
    assert.equal(await accept(memberTokens[1]), "not_found");
  });

  test("an invitation is invalid if its creator is removed while it is being accepted (T6)", async () => {
    const owner = await newStudio(deps);
    const creator = await newMember(deps, owner, "admin");
    const token = await createInvitationToken(deps, creator, "admin");
    const { invitations } = deps;
    const findOpen: typeof invitations.findOpen = async (...args) => {
      const invitation = await invitations.findOpen(...args);
      await removeMember(deps, owner, { userId: creator.user.id });
      return invitation;
    };
    const removingDeps: Deps = { ...deps, invitations: { ...invitations, findOpen } };
    const acceptance = acceptInvitation(removingDeps, await newUser(deps), { token });
    assert.equal(await getOutcome(acceptance), "not_found");
    assert.equal(await countMembers(owner), 1);
  });

  test("lists open invitations, newest first, and neither the list nor the database contains a link (INVITE-4, INVITE-5)", async () => {
    const owner = await newStudio(deps);
    const usedToken = await createInvitationToken(deps, owner, "member");
    const first = await createInvitation(deps, owner, { role: "member" });
    const second = await createInvitation(deps, owner, { role: "admin", email: "a@example.com" });
    await accept(usedToken);
    const { invitations } = await listInvitations(deps, owner);
    assert.deepEqual(
      invitations.map(({ id, role, email }) => [id, role, email]),
      [
        [second.id, "admin", "a@example.com"],
        [first.id, "member", null],
      ],
    );
    const rows = [
      await fixture.database.q.selectFrom("invitations").selectAll().execute(),
      await fixture.database.q.selectFrom("activity").selectAll().execute(),
    ];
    assert.ok(!JSON.stringify([invitations, rows]).includes(first.url.split("/join/")[1] ?? ""));
  });

  /** Inserts open invitations of this creator. */
  async function insertInvitations({ studio, user }: Caller, count: number): Promise<void> {
    const columns = {
      studioId: studio.id,
      role: "member" as const,
      email: null,
      createdBy: user.id,
      createdAt: clock(),
    };
    const rows = Array.from({ length: count }, () => ({
      ...columns,
      id: deps.newId("invitation"),
      tokenHash: deps.newSecret(),
      expiresAt: clock() + days(7),
      acceptedBy: null,
      acceptedAt: null,
      revokedAt: null,
    }));
    await fixture.database.q.insertInto("invitations").values(rows).execute();
  }

  test("limits the open invitations of a studio, even with parallel calls (INVITE-1, X7)", async () => {
    const owner = await newStudio(deps);
    const removedAdmin = await newMember(deps, owner, "admin");
    await insertInvitations(removedAdmin, maxOpenInvitations);
    assert.equal(await getOutcome(createInvitation(deps, owner, { role: "member" })), "quota_exceeded");
    await removeMember(deps, owner, { userId: removedAdmin.user.id });
    await insertInvitations(owner, maxOpenInvitations - 3);
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const pools = [deps, createDeps(otherDatabase, clock)] as const;
      const calls = Array.from({ length: 10 }, (_, i) => createInvitation(pools[i % 2]!, owner, { role: "member" }));
      assert.deepEqual(await countOutcomes(calls), { ok: 3, quota_exceeded: 7 });
    } finally {
      await otherDatabase.close();
    }
    const { invitations } = await listInvitations(deps, owner);
    assert.equal(invitations.length, maxOpenInvitations);
    await revokeInvitation(deps, owner, { invitationId: invitations[0]!.id });
    assert.equal(await getOutcome(createInvitation(deps, owner, { role: "member" })), "ok");
    clock.advance(days(7));
    assert.equal(await getOutcome(createInvitation(deps, owner, { role: "member" })), "ok");
  });

  test("lists the newest open invitations of a studio that had more before the limit, by an index (X7)", async () => {
    const owner = await newStudio(deps);
    await insertInvitations(owner, 2 * maxOpenInvitations);
    const { connection, listPlans } = recordPlans(fixture);
    const invitations = createInvitationStore(connection);
    assert.equal((await listInvitations({ ...deps, invitations }, owner)).invitations.length, maxOpenInvitations);
    for (const { plan } of await listPlans()) assert.match(plan.join("\n"), /invitations_open/);
  });

  test("rejects invalid roles and emails (ERR-invalid_input)", () => {
    for (const email of ["kate", "a@b\0.c", `${"a".repeat(250)}@b.example`])
      assert.throws(() => createInvitationInput.parse({ role: "member", email }), email);
    for (const input of [{ role: "root" }, {}, { role: "member", extra: 1 }])
      assert.throws(() => createInvitationInput.parse(input), JSON.stringify(input));
  });
});
