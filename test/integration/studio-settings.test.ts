import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuthenticator } from "#auth/authenticate.ts";
import { createGrant, moveGrant, type NewGrant } from "#domain/access/clients.ts";
import { describeMe } from "#domain/access/me.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { acceptInvitation } from "#domain/studios/invitations.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { getStudio, updateStudio, updateStudioInput } from "#domain/studios/studios.ts";
import { forEachEngine, silentLog } from "../support/engines.ts";
import { addFile, addPost } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";
import { waitTurns } from "../support/wait-turns.ts";

const newGrant: NewGrant = {
  clientId: "c",
  clientName: "C",
  clientVerified: false,
  redirectHost: "localhost",
  scopes: ["studio:read"],
};

forEachEngine("studio settings", (fixture) => {
  const { deps, clock, database } = fixture;
  test("changes the name and the time zone separately, and keeps id and slug (WORD-2)", async () => {
    const owner = await newStudio(deps, undefined, "North");
    const originalStudio = await getStudio(deps, owner);
    const renamedStudio = await updateStudio(deps, owner, updateStudioInput.parse({ name: " South " }));
    assert.deepEqual([renamedStudio.name, renamedStudio.timezone], ["South", "UTC"]);
    const movedStudio = await updateStudio(deps, owner, { timezone: "Asia/Tokyo" });
    assert.deepEqual([movedStudio.name, movedStudio.timezone], ["South", "Asia/Tokyo"]);
    const { id, slug } = await getStudio(deps, owner);
    assert.deepEqual([id, slug], [originalStudio.id, originalStudio.slug]);
    const [lastActivity] = (await listActivity(deps, owner, { limit: 1 })).activity;
    assert.deepEqual([lastActivity?.action, lastActivity?.detail], ["studio.updated", { timezone: "Asia/Tokyo" }]);
  });

  test("rejects an update without changes, an invalid name and an unknown time zone (ERR-invalid_input)", async () => {
    const owner = await newStudio(deps);
    assert.equal(await getOutcome(updateStudio(deps, owner, {})), "invalid_input");
    for (const input of [{ name: "" }, { timezone: "Moon/Base" }, { slug: "x" }])
      assert.equal(updateStudioInput.safeParse(input).success, false, JSON.stringify(input));
  });

  test("deleting a studio deletes its rows and files, and revokes only the tokens for it (T10)", async () => {
    const owner = await newStudio(deps, undefined, "Deleted");
    const ownerInOther = await newStudio(deps, owner, "Other");
    const member = await newMember(deps, owner, "member");
    const { assetIds } = await addPost(deps, owner, { files: 1 });
    assetIds.push(await addFile(deps, owner));
    const assets = await Promise.all(assetIds.map((assetId) => deps.assets.find(owner.studio.id, assetId)));
    const tokens = {
      otherStudio: await createTestGrant(deps, owner), // the active studio is "Other"
      deletedStudio: await createTestGrant(deps, member),
    };
    assert.equal(await getOutcome(deleteStudio(deps, owner, { name: "deleted" })), "invalid_input");
    await deleteStudio(deps, owner, { name: "Deleted" });

    const authenticate = createAuthenticator(deps, silentLog);
    assert.equal(await authenticate(tokens.deletedStudio.token, undefined), undefined);
    const { membership } = (await authenticate(tokens.otherStudio.token, undefined)) ?? {};
    assert.equal(membership?.studio.id, ownerInOther.studio.id);
    assert.deepEqual((await describeMe(deps, member)).memberships, []);
    assert.equal((await describeMe(deps, owner)).activeStudioId, ownerInOther.studio.id);
    for (const asset of assets) assert.equal(await deps.files.stat(asset?.storageKey ?? ""), undefined);
    for (const table of ["assets", "posts", "activity", "memberships", "invitations"] as const) {
      const rows = database.q.selectFrom(table).select("studioId").where("studioId", "=", owner.studio.id);
      assert.deepEqual(await rows.execute(), [], table);
    }
    assert.equal(await getOutcome(deleteStudio(deps, owner, { name: "Deleted" })), "not_found");
  });

  test("a grant is revoked when the studio that it was given for is deleted (T10)", async () => {
    const owner = await newStudio(deps, undefined, "First");
    clock.advance(1000);
    const ownerInSecond = await newStudio(deps, owner, "Second");
    const { id, studioId } = await createGrant(deps, owner, newGrant);
    assert.equal(studioId, ownerInSecond.studio.id);
    await deleteStudio(deps, ownerInSecond, { name: "Second" });
    assert.notEqual((await deps.grants.find(id))?.revokedAt, null);
  });

  test("a grant is not created for or moved to a studio that was deleted since the call started (T10)", async () => {
    const owner = await newStudio(deps, undefined, "First");
    clock.advance(1000);
    const { grantId } = await createTestGrant(deps, owner);
    const getDepsWithDeletion = async (): Promise<{ ownerInSecond: Caller; deletingDeps: Deps }> => {
      const ownerInSecond = await newStudio(deps, owner, "Second");
      const transact: Deps["transact"] = async (authority, work, options) => {
        await getOutcome(deleteStudio(deps, ownerInSecond, { name: "Second" })); // fails if it is already deleted
        return deps.transact(authority, work, options);
      };
      return { ownerInSecond, deletingDeps: { ...deps, transact } };
    };
    const { deletingDeps: createDeps } = await getDepsWithDeletion();
    assert.equal((await createGrant(createDeps, owner, newGrant)).studioId, owner.studio.id);
    const { ownerInSecond, deletingDeps: moveDeps } = await getDepsWithDeletion();
    assert.equal(await getOutcome(moveGrant(moveDeps, ownerInSecond, { grantId })), "not_found");
    assert.equal((await deps.grants.find(grantId))?.studioId, owner.studio.id);
  });

  test("a grant that is created while its studio is deleted is revoked, or is for another studio (T10)", async () => {
    const owner = await newStudio(deps, undefined, "First");
    for (let round = 0; round < 10; round++) {
      clock.advance(1000);
      const ownerInSecond = await newStudio(deps, owner, "Second");
      const [{ id }] = await Promise.all([
        waitTurns(Math.random() * 100).then(() => createGrant(deps, owner, newGrant)),
        deleteStudio(deps, ownerInSecond, { name: "Second" }),
      ]);
      const grant = await deps.grants.find(id);
      assert.ok(grant?.revokedAt !== null || grant.studioId === owner.studio.id, JSON.stringify(grant));
    }
  });

  test("a studio deleted while a user joins leaves no membership behind (R6)", async () => {
    for (let round = 0; round < 5; round++) {
      const owner = await newStudio(deps, undefined, "Short");
      const token = await createInvitationToken(deps, owner, "member");
      const signedInUser = await newUser(deps);
      await Promise.all([
        getOutcome(deleteStudio(deps, owner, { name: "Short" })),
        getOutcome(acceptInvitation(deps, signedInUser, { token })),
      ]);
      assert.deepEqual((await describeMe(deps, signedInUser)).memberships, []);
    }
  });
});
