import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { getPostHistory, getRevision } from "#domain/history/get-post-history.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { encodeCursor } from "#domain/model/page.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { minutes } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, addFile, addPost, newStudioWithPost, readHistory } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("history", (fixture) => {
  const { deps, clock, database } = fixture;
  test("every change creates a revision with its content, author and client (HIST-1, L5)", async () => {
    const owner = await newStudio(deps);
    const client = await actThroughClient(deps, owner);
    const { postId, assetIds } = await addPost(deps, client, { files: 2 });
    const [first, second] = assetIds as [string, string];
    await updatePost(deps, client, { postId, body: "New", revision: 3 });
    await updatePost(deps, client, { postId, assetIds: [second, first] });
    await updateAsset(deps, owner, { assetId: first, altText: "A vase" });
    await detachAsset(deps, client, { postId, assetId: second });
    await updatePost(deps, owner, { postId, status: "ready" });

    const history = await readHistory(deps, owner, postId);
    assert.deepEqual(
      history.map(({ revision, changed, client: revisionClient, body, status, assets }) => [
        revision,
        changed.join(),
        revisionClient?.name ?? null,
        body,
        status,
        assets.map((asset) => [assetIds.indexOf(asset.id), asset.altText ?? ""].join(" ").trim()).join(),
      ]),
      [
        [8, "status", null, "New", "ready", "0 A vase"],
        [7, "assets", "Claude", "New", "draft", "0 A vase"],
        [6, "assets", null, "New", "draft", "1,0 A vase"],
        [5, "assets", "Claude", "New", "draft", "1,0"],
        [4, "body", "Claude", "New", "draft", "0,1"],
        [3, "assets", "Claude", "Body", "draft", "0,1"],
        [2, "assets", "Claude", "Body", "draft", "0"],
        [1, "title,body", "Claude", "Body", "draft", ""],
      ],
    );
    assert.ok(history.every(({ user }) => user?.id === owner.user.id && user.name === owner.user.name));
    const post = await getPost(deps, owner, { postId });
    assert.deepEqual([post.revision, post.readyRevision, post.createdByClient], [8, 8, "Claude"]);
  });

  test("an autosave can keep the previous revision, and later ones collapse into it (HIST-2)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    for (const body of ["a", "b"]) await updatePost(deps, owner, { postId, body });
    await updatePost(deps, owner, { postId, body: "c" }, { keepsPreviousRevision: true });
    await updatePost(deps, owner, { postId, body: "d" });
    const history = await readHistory(deps, owner, postId);
    assert.deepEqual(
      history.map(({ revision, body }) => `${revision} ${body}`),
      ["5 d", "3 b", "1 Body"],
    );
  });

  test("autosaves of one user within five minutes collapse into the last one; other changes do not (HIST-2, H4)", async () => {
    const { owner, client, postId } = await newStudioWithPost(deps);
    const member = await newMember(deps, owner, "member");
    const saveBody = (caller: typeof owner, body: string) => updatePost(deps, caller, { postId, body });
    await saveBody(owner, "a");
    clock.advance(minutes(4));
    await updatePost(deps, owner, { postId, title: "b" });
    clock.advance(minutes(2));
    await saveBody(owner, "c"); // the first autosave is more than five minutes ago
    await saveBody(member, "d");
    await saveBody(member, "e");
    await updatePost(deps, client, { postId, body: "f", revision: 6 });
    await updatePost(deps, client, { postId, body: "g", revision: 7 });
    await saveBody(owner, "h");
    await updatePost(deps, owner, { postId, body: "i", status: "ready" });
    await saveBody(owner, "j");

    const history = await readHistory(deps, owner, postId);
    assert.deepEqual(
      history.map(({ revision, title, body, changed }) => `${revision} ${title} ${body} ${changed.join()}`),
      [
        "11 b j body",
        "10 b i body,status",
        "9 b h body",
        "8 b g body",
        "7 b f body",
        "6 b e body",
        "4 b c body",
        "3 b a title,body",
        "1 Title Body title,body",
      ],
    );
    assert.equal((await getPost(deps, owner, { postId })).revision, 11);
  });

  test("an AI client must pass the revision it read to change text, but not to change status or order (HIST-3, H1)", async () => {
    const { client, postId, assetIds } = await newStudioWithPost(deps, { files: 1 });
    for (const change of [{ title: "A" }, { body: "B" }, { title: "A", status: "ready" as const }])
      assert.equal(await getOutcome(() => updatePost(deps, client, { postId, ...change })), "invalid_input");
    const { postId: foreignPostId } = await addPost(deps, await newStudio(deps));
    assert.equal(await getOutcome(() => updatePost(deps, client, { postId: foreignPostId, title: "A" })), "not_found");
    await updatePost(deps, client, { postId, status: "ready", assetIds });
    await updatePost(deps, client, { postId, title: "A", revision: 3 });
    assert.equal(
      await getOutcome(() => updatePost(deps, client, { postId, body: "B", revision: 3 })),
      "revision_conflict",
    );
  });

  test("a post that changes while ready keeps the revision at which it was marked ready (HIST-4)", async () => {
    const { owner, client, postId } = await newStudioWithPost(deps);
    await updatePost(deps, owner, { postId, status: "ready" });
    const changedPost = await updatePost(deps, client, { postId, body: "Changed", revision: 2 });
    assert.deepEqual([changedPost.status, changedPost.revision, changedPost.readyRevision], ["ready", 3, 2]);
    const reconfirmedPost = await updatePost(deps, owner, { postId, status: "ready" });
    assert.deepEqual([reconfirmedPost.revision, reconfirmedPost.readyRevision], [4, 4]);
    assert.equal((await updatePost(deps, owner, { postId, status: "draft" })).readyRevision, null);
  });

  test("restore brings back text, status, assets, order and alt text as a new revision (HIST-5)", async () => {
    const { owner, postId, assetIds } = await newStudioWithPost(deps, { files: 3 });
    const [a, b, c] = assetIds as [string, string, string];
    await updateAsset(deps, owner, { assetId: a, altText: "First" });
    const originalPost = await getPost(deps, owner, { postId });
    await updatePost(deps, owner, { postId, title: "Ruined", body: "", assetIds: [c, b, a] });
    await updateAsset(deps, owner, { assetId: a, altText: "" });
    await detachAsset(deps, owner, { postId, assetId: b });
    await deleteAsset(deps, owner, { assetId: b });
    const extraAssetId = await addFile(deps, owner);
    await attachAsset(deps, owner, { postId, assetId: extraAssetId });

    const restoredPost = await restorePost(deps, owner, { postId, revision: originalPost.revision });
    const { missingAssets, ...view } = restoredPost;
    assert.deepEqual(missingAssets, []);
    assert.deepEqual(
      { ...view, revision: 0, updatedAt: "" },
      { ...originalPost, revision: 0, updatedAt: "" },
      "all fields except revision and updatedAt are restored",
    );
    assert.ok(restoredPost.revision > originalPost.revision);
    const undonePost = await restorePost(deps, owner, { postId, revision: restoredPost.revision - 1 });
    assert.deepEqual([undonePost.title, undonePost.assets.map((asset) => asset.id)], ["Ruined", [c, a, extraAssetId]]);
    const history = await readHistory(deps, owner, postId);
    assert.deepEqual(
      history.slice(0, 3).map(({ restoredRevision }) => restoredRevision),
      [restoredPost.revision - 1, originalPost.revision, undefined],
    );
  });

  test("restore omits assets that are permanently deleted or on another post, and lists them (HIST-5)", async () => {
    const { owner, postId, assetIds } = await newStudioWithPost(deps, { files: 2 });
    const otherPost = await addPost(deps, owner);
    const [movedId, deletedId] = assetIds as [string, string];
    for (const assetId of assetIds) await detachAsset(deps, owner, { postId, assetId });
    await attachAsset(deps, owner, { postId: otherPost.postId, assetId: movedId });
    await deleteAsset(deps, owner, { assetId: deletedId });
    await database.q.deleteFrom("assets").where("id", "=", deletedId).execute();
    const post = await restorePost(deps, owner, { postId, revision: 3 });
    assert.deepEqual(post.assets, []);
    assert.deepEqual(
      post.missingAssets.map(({ id, reason }) => [id, reason]),
      [
        [movedId, "on_another_post"],
        [deletedId, "deleted"],
      ],
    );
  });

  test("rejects a revision or post that does not exist or is in another studio with not_found (HIST-6, T1)", async () => {
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    const { postId } = await addPost(deps, owner);
    const calls = [
      () => restorePost(deps, owner, { postId, revision: 9 }),
      () => restorePost(deps, otherOwner, { postId, revision: 1 }),
      () => getRevision(deps, owner, { postId, revision: "9999999999" }),
      () => getPostHistory(deps, otherOwner, { postId, limit: 5 }),
      () => getPostHistory(deps, owner, { postId: "pst_x", limit: 5 }),
    ];
    for (const call of calls) assert.equal(await getOutcome(call), "not_found");
    assert.equal(
      await getOutcome(() => getPostHistory(deps, owner, { postId, limit: 5, cursor: "bad" })),
      "invalid_input",
    );
    const cursor = encodeCursor(`revisions ${postId}`, "9999999999");
    assert.equal(await getOutcome(() => getPostHistory(deps, owner, { postId, limit: 5, cursor })), "invalid_input");
  });
});
