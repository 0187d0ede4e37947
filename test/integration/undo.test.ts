import assert from "node:assert/strict";
import { test } from "node:test";
import { listActivity } from "#domain/activity/list-activity.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { listTrash } from "#domain/trash/trash.ts";
import { undoClientChanges, undoOwnChanges, undoUndo } from "#domain/undo/undo-changes.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, addFile, addPost, newStudioWithPost, readHistory } from "../support/history-fixture.ts";
import { createLinkFixture } from "../support/link-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { pdf } from "../support/samples.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("undo", (fixture) => {
  const { deps, clock } = fixture;
  const getNow = () => toIsoTime(clock());

  test("undo reverts edits, assets, deletions and creations, and undoing the undo brings them back (UNDO-1)", async () => {
    const owner = await newStudio(deps);
    const client = await actThroughClient(deps, owner);
    const editedPost = await addPost(deps, owner, { title: "Kept", body: "Text", files: 3 });
    const removedPost = await addPost(deps, owner, { title: "Removed" });
    const unattachedFile = await addFile(deps, owner);
    const [a, b, c] = editedPost.assetIds as [string, string, string];
    const originalPost = await getPost(deps, owner, { postId: editedPost.postId });
    clock.advance(1000);
    const since = getNow();

    await updatePost(deps, client, { postId: editedPost.postId, body: "Ruined", revision: originalPost.revision });
    await updatePost(deps, client, { postId: editedPost.postId, assetIds: [c, b, a] });
    await detachAsset(deps, client, { postId: editedPost.postId, assetId: b });
    await deleteAsset(deps, client, { assetId: b });
    await updateAsset(deps, client, { assetId: a, altText: "Wrong", filename: "wrong.pdf" });
    await deletePost(deps, client, { postId: removedPost.postId });
    await deleteAsset(deps, client, { assetId: unattachedFile });
    const createdPost = await createPost(deps, client, { title: "Spam", body: "" });
    await attachAsset(deps, client, { postId: createdPost.id, assetId: await addFile(deps, client) });
    const ruinedPost = await getPost(deps, owner, { postId: editedPost.postId });

    const dryRun = await undoOwnChanges(deps, client, { since, dryRun: true });
    assert.deepEqual(
      await getPost(deps, owner, { postId: editedPost.postId }),
      ruinedPost,
      "a dry run changes nothing",
    );
    clock.advance(1000);
    const result = await undoClientChanges(deps, owner, { since, grantId: client.grantId });
    const { undoId, subjects, ...report } = result;
    const listKeys = (entries: { id: string; field: string }[]) =>
      entries.map(({ id, field }) => `${id} ${field}`).toSorted();
    assert.deepEqual(listKeys(report.undone), listKeys(dryRun.undone));
    assert.deepEqual([report.conflicts, report.publications], [[], []]);
    const findSubject = (id: string) => subjects.find((subject) => subject.id === id);
    assert.deepEqual(findSubject(createdPost.id), {
      id: createdPost.id,
      name: "Spam",
      isTrashed: true,
      isAttached: false,
    });
    assert.deepEqual(findSubject(b), { id: b, name: "file-1.pdf", isTrashed: false, isAttached: true });
    assert.equal(findSubject(removedPost.postId)?.isTrashed, false);
    const revertedPost = await getPost(deps, owner, { postId: editedPost.postId });
    assert.deepEqual({ ...revertedPost, revision: 0, updatedAt: "" }, { ...originalPost, revision: 0, updatedAt: "" });
    assert.equal((await getPost(deps, owner, { postId: removedPost.postId })).title, "Removed");
    assert.deepEqual(
      (await listTrash(deps, owner, { limit: 10 })).items.map((item) => item.id),
      [createdPost.id],
    );

    assert.ok(undoId);
    clock.advance(1000);
    const redoResult = await undoUndo(deps, owner, { undoId });
    assert.deepEqual(listKeys(redoResult.undone).length, listKeys(report.undone).length);
    const redonePost = await getPost(deps, owner, { postId: editedPost.postId });
    assert.deepEqual({ ...redonePost, revision: 0, updatedAt: "" }, { ...ruinedPost, revision: 0, updatedAt: "" });
    assert.deepEqual(
      (await listTrash(deps, owner, { limit: 10 })).items.map((item) => item.id).toSorted(),
      [b, unattachedFile, removedPost.postId].toSorted(),
    );
    assert.equal((await getPost(deps, owner, { postId: createdPost.id })).assets.length, 1);

    assert.ok(redoResult.undoId);
    clock.advance(1000);
    await undoUndo(deps, owner, { undoId: redoResult.undoId });
    const { activity } = await listActivity(deps, owner, { action: "client.undone", limit: 3 });
    assert.deepEqual(
      activity.map(({ detail }) => detail["reapplies"]),
      [false, true, undefined],
      "newest first",
    );
  });

  test("undo keeps a field that another user changed afterwards, and reports a conflict (UNDO-2, H2)", async () => {
    const { owner, client, postId } = await newStudioWithPost(deps, { title: "A", body: "A" });
    const member = await newMember(deps, owner, "member");
    const since = getNow();
    clock.advance(1);
    await updatePost(deps, client, { postId, title: "B", body: "B", revision: 1 });
    await updatePost(deps, member, { postId, title: "C" });
    const report = await undoOwnChanges(deps, client, { since });
    assert.deepEqual(report.undone, [{ type: "post", id: postId, field: "body" }]);
    const conflicts = [{ type: "post", id: postId, field: "title", clientValue: "B", currentValue: "C" }];
    assert.deepEqual(report.conflicts, conflicts);
    const nextReport = await undoClientChanges(deps, owner, { since, grantId: client.grantId });
    assert.deepEqual(
      [nextReport.undone, nextReport.conflicts, nextReport.undoId],
      [[], conflicts, null],
      "nothing to record",
    );
    const post = await getPost(deps, owner, { postId });
    assert.deepEqual([post.title, post.body], ["C", "A"]);
  });

  test("undo keeps files that users uploaded through the client's upload link (HIST-8, UNDO-1)", async () => {
    const since = getNow();
    let client: Caller | undefined;
    const link = await createLinkFixture(
      fixture,
      undefined,
      async (deps, owner) => (client = await actThroughClient(deps, owner)),
    );
    const { deps, owner, postId } = link;
    assert.ok(client);
    const file = await link.start("file.pdf", pdf.length);
    await link.send(file, pdf, [1]);
    await link.complete(file);
    const [revision] = await readHistory(deps, owner, postId);
    assert.deepEqual([revision?.changed, revision?.user?.id, revision?.client], [["assets"], owner.user.id, null]);
    const { revision: current } = await updatePost(deps, client, { postId, title: "Ruined", revision: 2 });
    assert.equal(current, 3);
    const report = await undoOwnChanges(deps, client, { since });
    assert.deepEqual(report.undone, [{ type: "post", id: postId, field: "title" }]);
    const post = await getPost(deps, owner, { postId });
    assert.deepEqual([post.title, post.assets.map(({ id }) => id)], ["Spring", [file.file.id]]);
  });

  test("undo reverts changes by all grants of the same client and user, and no changes by other clients or users (UNDO-5, H2)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const [claude, claudeWithOtherGrant] = [await actThroughClient(deps, owner), await actThroughClient(deps, owner)];
    const otherClients = [await actThroughClient(deps, owner, "Cursor"), await actThroughClient(deps, member)];
    const since = getNow();
    const titles: Record<string, string> = {};
    for (const [i, caller] of [claude, claudeWithOtherGrant, ...otherClients].entries()) {
      const { postId } = await addPost(deps, owner, { title: "Before" });
      await updatePost(deps, caller, { postId, title: `After ${i}`, revision: 1 });
      titles[postId] = i < 2 ? "Before" : `After ${i}`;
    }
    await undoOwnChanges(deps, claude, { since });
    for (const [postId, title] of Object.entries(titles))
      assert.equal((await getPost(deps, owner, { postId })).title, title);
  });

  test("members can undo only their own clients; owners can undo any client of their studio (UNDO-6, T3, H2)", async () => {
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    const member = await newMember(deps, owner, "member");
    const [ownersClient, membersClient] = [await actThroughClient(deps, owner), await actThroughClient(deps, member)];
    const otherOwnersClient = await actThroughClient(deps, otherOwner);
    const undo = (caller: typeof owner, grantId: string) =>
      getOutcome(() => undoClientChanges(deps, caller, { since: getNow(), grantId }));
    assert.equal(await undo(member, ownersClient.grantId), "not_found");
    assert.equal(await undo(member, membersClient.grantId), "ok");
    assert.equal(await undo(owner, membersClient.grantId), "ok");
    assert.equal(await undo(owner, otherOwnersClient.grantId), "not_found");
    for (const unknownGrantId of [deps.newId("grant"), "con_malformed"])
      assert.equal(await undo(owner, unknownGrantId), "not_found");
  });

  test("since must be within the last 30 days, and the error names the range (UNDO-7)", async () => {
    const client = await actThroughClient(deps, await newStudio(deps));
    for (const since of [toIsoTime(clock() + 1), toIsoTime(clock() - days(30) - 1)]) {
      await assert.rejects(undoOwnChanges(deps, client, { since }), (error: Error) => {
        assert.match(error.message, /between .+Z and .+Z/);
        return true;
      });
      assert.equal(await getOutcome(() => undoOwnChanges(deps, client, { since })), "invalid_input");
    }
    for (const since of [getNow(), toIsoTime(clock() - days(30))])
      assert.equal(await getOutcome(() => undoOwnChanges(deps, client, { since })), "ok");
  });
});
