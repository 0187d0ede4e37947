import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { handOverStudio } from "#domain/operator/transfer-studio.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { createStudio } from "#domain/studios/create-studio.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { errorHints } from "#http/error-hints.ts";
import { AppError, hintFor } from "#lib/errors.ts";
import { createDeps, forEachEngine, silentLog, type Fixture } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";

const create = (deps: Deps, person: SignedInUser) => createStudio(deps, person, { name: "Studio", timezone: "UTC" });

const withStudioLimit = (fixture: Fixture, studiosPerUser: number): Deps => ({
  ...fixture.deps,
  limits: { ...fixture.deps.limits, studiosPerUser },
});

async function countOwned({ deps }: Fixture, { user }: SignedInUser): Promise<number> {
  return (await deps.users.listMemberships(user.id)).filter(({ role }) => role === "owner").length;
}

forEachEngine("limit of studios per owner", (fixture) => {
  test("a user can own 20 studios by default; creating another fails with quota_exceeded (VAR-LIMITS, X7)", async () => {
    const person = await newUser(fixture.deps);
    for (let i = 0; i < 20; i++) await create(fixture.deps, person);
    const error = await create(fixture.deps, person).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.status], ["quota_exceeded", 409]);
    assert.match(error.message, /own 20 studios, the maximum/);
    assert.match(hintFor(error, errorHints) ?? "", /Delete a studio/);
    assert.equal(await countOwned(fixture, person), 20);
    assert.equal(await getOutcome(create(fixture.deps, await newUser(fixture.deps))), "ok", "the limit is per user");
  });

  test("50 parallel creates by one user on two connection pools never exceed the limit (VAR-LIMITS, X7)", async () => {
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const pools = [
        withStudioLimit(fixture, 5),
        { ...createDeps(otherDatabase, fixture.clock), limits: withStudioLimit(fixture, 5).limits },
      ];
      for (let round = 0; round < 3; round++) {
        const person = await newUser(fixture.deps);
        const calls = Array.from({ length: 50 }, (_, i) => create(pools[i % 2] ?? fixture.deps, person));
        assert.deepEqual(await countOutcomes(calls), { ok: 5, quota_exceeded: 45 });
        assert.equal(await countOwned(fixture, person), 5);
      }
    } finally {
      await otherDatabase.close();
    }
  });

  test("creating, joining as owner and being made owner in parallel never exceed the limit (VAR-LIMITS, X7)", async () => {
    const deps = withStudioLimit(fixture, 3);
    const person = await newUser(deps);
    const hosts: Caller[] = [];
    for (let i = 0; i < 12; i++) hosts.push(await newStudio(deps));
    for (const host of hosts.slice(6)) await newMember(deps, host, "member", person);
    const tokens = await Promise.all(hosts.slice(0, 6).map((host) => createInvitationToken(deps, host, "owner")));
    const calls = [
      ...tokens.map((token) => acceptInvitation(deps, person, { token })),
      ...hosts.slice(6).map((host) => changeRole(deps, host, { userId: person.user.id, role: "owner" })),
      ...Array.from({ length: 6 }, () => create(deps, person)),
    ];
    assert.deepEqual(await countOutcomes(calls), { ok: 3, quota_exceeded: 15 });
    assert.equal(await countOwned(fixture, person), 3);
  });

  test("an invitation that the limit rejects stays open, and other roles are not limited (VAR-LIMITS, X7)", async () => {
    const deps = withStudioLimit(fixture, 1);
    const owner = await newStudio(deps);
    const host = await newStudio(deps);
    const token = await createInvitationToken(deps, host, "owner");
    assert.equal(await getOutcome(acceptInvitation(deps, owner, { token })), "quota_exceeded");
    await deleteStudio(deps, owner, { name: owner.studio.name });
    assert.equal(await getOutcome(acceptInvitation(deps, owner, { token })), "ok", "a deleted studio does not count");
    const third = await newStudio(deps);
    const joined = await newMember(deps, third, "admin", owner);
    assert.equal(await getOutcome(create(deps, owner)), "quota_exceeded");
    await removeMember(deps, host, { userId: owner.user.id });
    const promote = changeRole(deps, third, { userId: joined.user.id, role: "owner" });
    assert.equal(await getOutcome(promote), "ok", "a studio that the user left does not count");
  });

  test("the operator hands a studio to a user who is at the limit (VAR-LIMITS, X7)", async () => {
    const deps = withStudioLimit(fixture, 1);
    const owner = await newStudio(deps);
    const { studio } = await newStudio(deps);
    const handOver = handOverStudio(deps, { operator: true }, { studioId: studio.id, user: owner.user.id });
    assert.equal(await getOutcome(handOver), "ok");
    assert.equal(await countOwned(fixture, owner), 2);
  });
});
