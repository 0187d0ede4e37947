import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { getAsset } from "#domain/assets/get-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { emptyTrash, listTrash, restoreFromTrash } from "#domain/trash/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { createUploadLink } from "#domain/uploads/create-upload-link.ts";
import { sweepUploads } from "#domain/jobs/sweep-files.ts";
import { resolveUploadCaller } from "#domain/uploads/upload-link.ts";
import { days } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import { addFile, addPost, newStudioWithPost } from "../support/history-fixture.ts";
import { createLinkFixture } from "../support/link-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { pdf } from "../support/samples.ts";
import { readPages } from "../support/read-pages.ts";
import { newStudio } from "../support/users.ts";

async function isStored(deps: Deps, assetId: string, studioId: string): Promise<boolean> {
  const asset = await deps.assets.findWithTrash(studioId, assetId);
  return asset?.storageKey != null && (await deps.files.stat(asset.storageKey)) !== undefined;
}

forEachEngine("trash", (fixture) => {
  const { deps, clock } = fixture;
  test("a deleted post, its assets and its links are no longer found, and restore brings the post back unchanged (TRASH-1)", async () => {
    const { owner, client, postId, assetIds } = await newStudioWithPost(deps, { title: "Launch", files: 2 });
    const [assetId] = assetIds as [string, string];
    const { url } = await createUploadLink(deps, owner, { postId, inPlace: false });
    const originalPost = await getPost(deps, owner, { postId });
    assert.deepEqual(await deletePost(deps, client, { postId }), { deleted: postId });

    const calls = [
      () => getPost(deps, owner, { postId }),
      () => updatePost(deps, owner, { postId, title: "X" }),
      () => deletePost(deps, owner, { postId }),
      () => getAsset(deps, owner, { assetId }),
      () => deleteAsset(deps, owner, { assetId }),
      () => restoreFromTrash(deps, owner, { id: assetId }),
    ];
    for (const call of calls) assert.equal(await getOutcome(call), "not_found");
    const unattachedId = await addFile(deps, owner);
    assert.equal(await getOutcome(attachAsset(deps, owner, { postId, assetId: unattachedId })), "not_found");
    assert.equal(await getOutcome(() => resolveUploadCaller(deps, url.split("/u/")[1] ?? "")), "forbidden");
    assert.deepEqual((await listPosts(deps, owner, { limit: 10 })).posts, []);
    assert.deepEqual((await listPosts(deps, owner, { limit: 10, query: "launch" })).posts, []);
    assert.equal((await listAssets(deps, owner, { limit: 10 })).assets.length, 1, "only the unattached file");
    const { items } = await listTrash(deps, owner, { limit: 10 });
    assert.deepEqual(
      items.map(({ id, type, title, deletedBy, deletedThrough }) => [id, type, title, deletedBy?.id, deletedThrough]),
      [[postId, "post", "Launch", owner.user.id, "Claude"]],
    );

    await restoreFromTrash(deps, owner, { id: postId });
    const restoredPost = await getPost(deps, owner, { postId });
    assert.deepEqual(
      { ...restoredPost, revision: 0, updatedAt: "", assets: restoredPost.assets.map((asset) => asset.id) },
      { ...originalPost, revision: 0, updatedAt: "", assets: assetIds },
    );
    assert.equal(await getOutcome(() => restoreFromTrash(deps, owner, { id: postId })), "not_found");
  });

  test("rejects an attach with not_found if the post is deleted meanwhile, and leaves the asset unattached (TRASH-1, R3)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    const assetId = await addFile(deps, owner);
    let hasRaced = false;
    const find: Deps["assets"]["find"] = async (...args) => {
      const asset = await deps.assets.find(...args);
      if (!hasRaced) await deletePost(deps, owner, { postId });
      hasRaced = true;
      return asset;
    };
    const racingDeps: Deps = { ...deps, assets: { ...deps.assets, find } };
    assert.equal(await getOutcome(() => attachAsset(racingDeps, owner, { postId, assetId })), "not_found");
    assert.equal((await getAsset(deps, owner, { assetId })).postId, null);
    await restoreFromTrash(deps, owner, { id: postId });
    assert.deepEqual((await getPost(deps, owner, { postId })).assets, []);
  });

  test("an upload to a post that is deleted meanwhile fails, and the restored post does not contain the file (TRASH-1, U17)", async () => {
    const { deps, files, owner, postId, ...link } = await createLinkFixture(fixture, undefined);
    const file = await link.start("file.pdf", pdf.length);
    await link.send(file, pdf, [1]);
    await deletePost(deps, owner, { postId });
    assert.equal(await getOutcome(() => link.complete(file)), "forbidden");
    await sweepUploads(deps, untilDone);
    assert.equal(await files.parts.countOpen(), 0);
    assert.equal(await link.getUsedBytes(), 0);
    await restoreFromTrash(deps, owner, { id: postId });
    const post = await deps.posts.find(owner.studio.id, postId);
    assert.deepEqual([post?.assetCount, await deps.assets.listByPosts([postId])], [0, []]);
  });

  test("an asset in the trash counts toward the quota, and is restored with its file (TRASH-2)", async () => {
    const owner = await newStudio(deps);
    const assetId = await addFile(deps, owner, "menu.pdf");
    const usedBytes = await deps.assets.getUsedBytes(owner.studio.id);
    await deleteAsset(deps, owner, { assetId });
    assert.equal(await deps.assets.getUsedBytes(owner.studio.id), usedBytes);
    assert.equal(await getOutcome(() => getAsset(deps, owner, { assetId })), "not_found");
    assert.deepEqual(await restoreFromTrash(deps, owner, { id: assetId }), {
      id: assetId,
      type: "asset",
      title: "menu.pdf",
    });
    assert.equal((await getAsset(deps, owner, { assetId })).status, "ready");
    assert.ok(await isStored(deps, assetId, owner.studio.id));
  });

  test("the sweep deletes expired trash with its files and frees its quota, and keeps everything else (TRASH-3, H3)", async () => {
    const owner = await newStudio(deps);
    const expiringPost = await addPost(deps, owner, { files: 2 });
    const livePost = await addPost(deps, owner, { files: 1 });
    const expiringAsset = await addFile(deps, owner);
    await deletePost(deps, owner, { postId: expiringPost.postId });
    await deleteAsset(deps, owner, { assetId: expiringAsset });
    clock.advance(days(1));
    const recentPost = await addPost(deps, owner, { files: 1 });
    await deletePost(deps, owner, { postId: recentPost.postId });
    clock.advance(days(29) - 1);
    assert.deepEqual(await sweepTrash(deps, untilDone), { deletedFromTrash: 0 });
    clock.advance(1);
    assert.deepEqual(
      (await listTrash(deps, owner, { limit: 10 })).items.map((item) => item.id),
      [recentPost.postId],
    );
    assert.equal(await getOutcome(() => restoreFromTrash(deps, owner, { id: expiringPost.postId })), "not_found");
    assert.deepEqual(await sweepTrash(deps, untilDone), { deletedFromTrash: 2 });
    for (const assetId of [...expiringPost.assetIds, expiringAsset])
      assert.equal(await isStored(deps, assetId, owner.studio.id), false);
    for (const assetId of [...livePost.assetIds, ...recentPost.assetIds])
      assert.ok(await isStored(deps, assetId, owner.studio.id));
    const bytes = (await deps.assets.findWithTrash(owner.studio.id, livePost.assetIds[0] ?? ""))?.bytes ?? 0;
    assert.equal(await deps.assets.getUsedBytes(owner.studio.id), 2 * bytes);
  });

  test("a studio whose trash can't be deleted does not prevent the deletion of others (TRASH-3, H3)", async () => {
    const [damaged, owner] = [await newStudio(deps), await newStudio(deps)];
    const setUsedBytes = (bytes: number) =>
      fixture.database.q.updateTable("studios").set({ usedBytes: bytes }).where("id", "=", damaged.studio.id).execute();
    // More than a batch.
    for (let i = 0; i < 51; i++) {
      const { postId } = await addPost(deps, damaged, { files: Number(i === 0) });
      await deletePost(deps, damaged, { postId });
    }
    const damagedAsset = await addFile(deps, damaged);
    await deleteAsset(deps, damaged, { assetId: damagedAsset });
    clock.advance(1);
    const { postId, assetIds } = await addPost(deps, owner, { files: 1 });
    await deletePost(deps, owner, { postId });
    const assetId = await addFile(deps, owner);
    await deleteAsset(deps, owner, { assetId });
    const usedBytes = await deps.assets.getUsedBytes(damaged.studio.id);
    await setUsedBytes(0);
    clock.advance(days(30));
    await assert.rejects(sweepTrash(deps, untilDone), /CHECK|check/);
    for (const id of [...assetIds, assetId]) assert.equal(await isStored(deps, id, owner.studio.id), false);
    assert.ok(await isStored(deps, damagedAsset, damaged.studio.id));
    await setUsedBytes(usedBytes);
    await sweepTrash(deps, untilDone);
    assert.equal(await isStored(deps, damagedAsset, damaged.studio.id), false);
  });

  test("the trash can be emptied at once, which deletes the files and frees the quota (TRASH-4)", async () => {
    const { owner, postId, assetIds } = await newStudioWithPost(deps, { files: 1 });
    await deletePost(deps, owner, { postId });
    await emptyTrash(deps, owner);
    assert.deepEqual((await listTrash(deps, owner, { limit: 10 })).items, []);
    assert.equal(await isStored(deps, assetIds[0] ?? "", owner.studio.id), false);
    assert.equal(await deps.assets.getUsedBytes(owner.studio.id), 0);
  });

  test("lists the trash in pages, the last deleted items first, and only for its studio (TRASH-5, T1)", async () => {
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    const deletedIds: string[] = [];
    for (let i = 0; i < 5; i++) {
      if (i % 2 === 0) clock.advance(1);
      const assetId = await addFile(deps, owner);
      const { postId } = await addPost(deps, owner);
      await deleteAsset(deps, owner, { assetId });
      await deletePost(deps, owner, { postId });
      deletedIds.push(assetId, postId);
    }
    const pages = await readPages((cursor) => listTrash(deps, owner, { limit: 3, cursor }));
    const listedItems = pages.flatMap(({ items }) => items);
    const listedIds = listedItems.map(({ id }) => id);
    const deletionTimes = listedItems.map(({ deletedAt }) => deletedAt);
    assert.deepEqual(listedIds.toSorted(), deletedIds.toSorted());
    assert.deepEqual(deletionTimes, deletionTimes.toSorted().toReversed());
    assert.deepEqual((await listTrash(deps, otherOwner, { limit: 3 })).items, []);
    assert.equal(await getOutcome(() => restoreFromTrash(deps, otherOwner, { id: listedIds[0] ?? "" })), "not_found");
  });
});
