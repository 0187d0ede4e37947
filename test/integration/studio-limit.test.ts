import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { addOwner } from "#domain/operator/user-access.ts";
import { acceptInvitation } from "#domain/studios/invitations.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { createStudio } from "#domain/studios/studios.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { errorHints } from "#http/error-hints.ts";
import { AppError, hintFor } from "#lib/errors.ts";
import { createDeps, forEachEngine, silentLog, type Fixture } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";

const createStudioFor = (deps: Deps, signedInUser: SignedInUser) =>
  createStudio(
    deps,
    { user: signedInUser.user, credential: signedInUser.credential },
    { name: "Studio", timezone: "UTC" },
  );

const withStudioLimit = (fixture: Fixture, studiosPerUser: number): Deps => ({
  ...fixture.deps,
  limits: { ...fixture.deps.limits, studiosPerUser },
});

async function countOwnedStudios({ deps }: Fixture, { user }: SignedInUser): Promise<number> {
  return (await deps.users.listMemberships(user.id)).filter(({ role }) => role === "owner").length;
}

forEachEngine("studio limit per user", (fixture) => {
  test("rejects a user's 21st studio with quota_exceeded by default (VAR-LIMITS, X7)", async () => {
    const signedInUser = await newUser(fixture.deps);
    for (let i = 0; i < 20; i++) await createStudioFor(fixture.deps, signedInUser);
    const error = await createStudioFor(fixture.deps, signedInUser).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.status], ["quota_exceeded", 409]);
    assert.match(error.message, /own 20 studios, the maximum/);
    assert.match(hintFor(error, errorHints) ?? "", /Delete a studio/);
    assert.equal(await countOwnedStudios(fixture, signedInUser), 20);
    assert.equal(
      await getOutcome(createStudioFor(fixture.deps, await newUser(fixture.deps))),
      "ok",
      "the limit is per user",
    );
  });

  test("creating, joining as owner and becoming owner in parallel on two connection pools do not exceed the limit (VAR-LIMITS, X7)", async () => {
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const deps = withStudioLimit(fixture, 3);
      const otherDeps = { ...createDeps(otherDatabase, fixture.clock), limits: deps.limits };
      const signedInUser = await newUser(deps);
      const otherOwners: Caller[] = [];
      for (let i = 0; i < 6; i++) otherOwners.push(await newStudio(deps));
      const [inviters, promoters] = [otherOwners.slice(3), otherOwners.slice(0, 3)];
      for (const promoter of promoters) await newMember(deps, promoter, "member", signedInUser);
      const tokens = await Promise.all(inviters.map((inviter) => createInvitationToken(deps, inviter, "owner")));
      const promotion = { userId: signedInUser.user.id, role: "owner" } as const;
      const calls = [
        ...tokens.map((token) => acceptInvitation(deps, signedInUser, { token })),
        ...promoters.map((promoter) => changeRole(otherDeps, promoter, promotion)),
        ...[deps, otherDeps, deps, otherDeps].map((pool) => createStudioFor(pool, signedInUser)),
      ];
      assert.deepEqual(await countOutcomes(calls), { ok: 3, quota_exceeded: 7 });
      assert.equal(await countOwnedStudios(fixture, signedInUser), 3);
    } finally {
      await otherDatabase.close();
    }
  });

  test("an invitation rejected by the limit stays open, and only owned studios count (VAR-LIMITS, X7)", async () => {
    const deps = withStudioLimit(fixture, 1);
    const owner = await newStudio(deps);
    const signedInUser = { user: owner.user, credential: owner.credential };
    const otherOwner = await newStudio(deps);
    const token = await createInvitationToken(deps, otherOwner, "owner");
    assert.equal(await getOutcome(acceptInvitation(deps, signedInUser, { token })), "quota_exceeded");
    await deleteStudio(deps, owner, { name: owner.studio.name });
    assert.equal(
      await getOutcome(acceptInvitation(deps, signedInUser, { token })),
      "ok",
      "a deleted studio does not count",
    );
    const thirdOwner = await newStudio(deps);
    const admin = await newMember(deps, thirdOwner, "admin", owner);
    assert.equal(await getOutcome(createStudioFor(deps, owner)), "quota_exceeded");
    await removeMember(deps, otherOwner, { userId: owner.user.id });
    const promotion = changeRole(deps, thirdOwner, { userId: admin.user.id, role: "owner" });
    assert.equal(await getOutcome(promotion), "ok", "a studio that the user left does not count");
  });

  test("the operator can transfer a studio to a user who is at the limit (VAR-LIMITS, X7)", async () => {
    const deps = withStudioLimit(fixture, 1);
    const owner = await newStudio(deps);
    const { studio } = await newStudio(deps);
    const transfer = addOwner(deps, { operator: true }, { studioId: studio.id, user: owner.user.id });
    assert.equal(await getOutcome(transfer), "ok");
    assert.equal(await countOwnedStudios(fixture, owner), 2);
  });
});
