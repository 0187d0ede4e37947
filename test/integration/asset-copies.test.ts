import { statement } from "#db/database.ts";
import { writes } from "#domain/ports/write-stores.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { getAsset } from "#domain/assets/get-asset.ts";
import { removeAssets } from "#domain/steps/delete-files.ts";
import { createAssetSweeper, createLostFileFinder } from "#domain/jobs/sweep-files.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { previewAssets } from "#domain/assets/thumbnails.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { purgeBatchSizes } from "#domain/steps/purge-studio.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { trashLifetime } from "#domain/model/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { days, hours, seconds, toIsoTime } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { actThroughClient, addFile } from "../support/history-fixture.ts";
import { createHookedFiles, type HookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { jpeg } from "../support/samples.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

const image = await jpeg(90, 60);

interface StudioFixture {
  deps: Deps;
  files: HookedFiles;
  owner: Caller;
  /** An image with alt text and a thumbnail. */
  assetId: string;
  fileKey: string;
}

async function createStudioFixture(fixture: Fixture, limits: Partial<Deps["limits"]> = {}): Promise<StudioFixture> {
  const files = createHookedFiles(fixture.clock);
  const deps: Deps = { ...fixture.deps, files, limits: { ...fixture.deps.limits, ...limits } };
  const owner = await newStudio(deps);
  const input = { kind: "image", mimeType: "image/jpeg", filename: "logo.jpg" } as const;
  const { assetId } = await uploadAssetInline(deps, owner, { ...input, base64: image.toString("base64") });
  await updateAsset(deps, owner, { assetId, altText: "Our logo", tags: ["brand"] });
  await previewAssets(deps, owner, [assetId]);
  const fileKey = (await deps.assets.find(owner.studio.id, assetId))?.storageKey ?? "";
  return { deps, files, owner, assetId, fileKey };
}

const copy = async ({ deps, owner, assetId }: StudioFixture): Promise<string> =>
  (await copyAsset(deps, owner, { assetId })).assetId;

async function deletePermanently({ deps, owner }: StudioFixture, assetId: string): Promise<void> {
  await deleteAsset(deps, owner, { assetId });
  await emptyTrash(deps, owner);
}

/** The recorded number of assets of the file; undefined if it was never copied. */
async function readAssetCount({ database }: Fixture, { fileKey }: StudioFixture): Promise<number | undefined> {
  const counts = database.q.selectFrom("sharedFiles").select("assetCount").where("storageKey", "=", fileKey);
  return (await counts.executeTakeFirst())?.assetCount;
}

const hasFile = async ({ files, fileKey }: StudioFixture): Promise<boolean> => (await files.keys()).includes(fileKey);

forEachEngine("copies of assets", (fixture) => {
  test("a copy has the same file, filename, alt text and tags, is found by search, is on no post, and leaves the original as it was (LIB-1)", async () => {
    const studio = await createStudioFixture(fixture);
    const { deps, files, owner, assetId, fileKey } = studio;
    const post = await createPost(deps, owner, { title: "A", body: "" });
    await attachAsset(deps, owner, { postId: post.id, assetId });
    const original = await getAsset(deps, owner, { assetId });
    const keys = await files.keys();
    const copyId = await copy(studio);
    assert.notEqual(copyId, assetId);
    const copied = await getAsset(deps, owner, { assetId: copyId });
    assert.deepEqual({ ...copied, thumbnailUrl: "" }, { ...original, id: copyId, postId: null, thumbnailUrl: "" });
    assert.deepEqual(await getAsset(deps, owner, { assetId }), original);
    const { assets: foundAssets } = await listAssets(deps, owner, { query: "logo", tag: "brand", limit: 10 });
    assert.deepEqual(
      foundAssets.map(({ id }) => id),
      [copyId, assetId],
    );
    assert.deepEqual(await files.keys(), keys, "no bytes were copied");
    assert.equal((await deps.assets.find(owner.studio.id, copyId))?.storageKey, fileKey);
    const [thumbnail] = await previewAssets(deps, owner, [copyId]);
    assert.ok(thumbnail);
    assert.deepEqual(await files.keys(), keys, "the thumbnail is shared, too");
  });

  test("a copy can be attached to another post, copied again and edited on its own (LIB-1)", async () => {
    const studio = await createStudioFixture(fixture);
    const { deps, owner, assetId } = studio;
    const copyId = await copy(studio);
    const secondCopyId = (await copyAsset(deps, owner, { assetId: copyId })).assetId;
    for (const id of [assetId, copyId, secondCopyId]) {
      const post = await createPost(deps, owner, { title: "A", body: "" });
      assert.equal((await attachAsset(deps, owner, { postId: post.id, assetId: id })).postId, post.id);
    }
    await updateAsset(deps, owner, { assetId: copyId, filename: "other.jpg", altText: "Other" });
    const views = await Promise.all([assetId, secondCopyId].map((id) => getAsset(deps, owner, { assetId: id })));
    for (const { filename, altText } of views) assert.deepEqual([filename, altText], ["logo.jpg", "Our logo"]);
  });

  test("a file counts once toward the quota, so a full studio can copy it, and is refunded with its last asset (LIB-2)", async () => {
    const studio = await createStudioFixture(fixture, { studioBytes: image.length });
    const { deps, owner, assetId } = studio;
    const getUsedBytes = () => deps.assets.getUsedBytes(owner.studio.id);
    const copyIds = [await copy(studio), await copy(studio)];
    assert.equal(await getUsedBytes(), image.length);
    await deletePermanently(studio, copyIds[0] ?? "");
    await deletePermanently(studio, assetId);
    assert.equal(await getUsedBytes(), image.length);
    await deletePermanently(studio, copyIds[1] ?? "");
    assert.equal(await getUsedBytes(), 0);
  });

  test("the trash sweep keeps a file while an asset uses it and deletes it with the last one, even if several are on one post", async () => {
    const studio = await createStudioFixture(fixture);
    const { deps, owner, assetId } = studio;
    const copyIds = [await copy(studio), await copy(studio), await copy(studio)];
    const post = await createPost(deps, owner, { title: "A", body: "" });
    for (const id of copyIds.slice(0, 2)) await attachAsset(deps, owner, { postId: post.id, assetId: id });
    await deletePost(deps, owner, { postId: post.id });
    await deleteAsset(deps, owner, { assetId });
    fixture.clock.advance(days(30) + 1);
    await sweepTrash(deps, untilDone);
    assert.equal(await hasFile(studio), true);
    assert.equal((await getAsset(deps, owner, { assetId: copyIds[2] ?? "" })).status, "ready");
    await deletePermanently(studio, copyIds[2] ?? "");
    assert.deepEqual(await studio.files.keys(), []);
    assert.equal(await deps.assets.getUsedBytes(owner.studio.id), 0);
  });

  test("the sweeper keeps files and thumbnails whose first asset is gone, and the lost-file search finds them by copy", async () => {
    const studio = await createStudioFixture(fixture);
    const { deps, files, assetId, fileKey } = studio;
    const copyIds = [await copy(studio), await copy(studio)];
    await deletePermanently(studio, assetId);
    const keys = await files.keys();
    fixture.clock.advance(hours(3));
    await createAssetSweeper(deps)(untilDone);
    assert.deepEqual(await files.keys(), keys);

    const findOwnLostFiles = async () =>
      (await createLostFileFinder(deps)()).map(({ id }) => id).filter((id) => copyIds.includes(id));
    const statKeys: string[] = [];
    files.hook = (call, when, key) => void (call === "stat" && when === "before" && statKeys.push(key));
    assert.deepEqual(await findOwnLostFiles(), []);
    assert.equal(statKeys.filter((key) => key === fileKey).length, 1, "a shared file is read once");
    files.hook = undefined;
    await files.deleteBytes(fileKey);
    assert.deepEqual(await findOwnLostFiles(), copyIds);
  });

  test("deleting a studio deletes a shared file with the last of its copies, although they are in several batches", async () => {
    const studio = await createStudioFixture(fixture);
    const copyCount = purgeBatchSizes.assets + 5;
    for (let i = 0; i < copyCount; i++) await copy(studio);
    assert.equal(await readAssetCount(fixture, studio), copyCount + 1);
    const findLostFiles = createLostFileFinder(studio.deps);
    const lostFileCounts: number[] = [];
    const sleep = async (): Promise<void> => {
      const lostFiles = await findLostFiles();
      lostFileCounts.push(lostFiles.filter(({ studioId }) => studioId === studio.owner.studio.id).length);
    };
    await deleteStudio({ ...studio.deps, sleep }, studio.owner, { name: "Studio" });
    assert.ok(lostFileCounts.length >= 2);
    assert.ok(!lostFileCounts.some((count) => count > 0), "copies without their file");
    assert.deepEqual(await studio.files.keys(), []);
    assert.equal(await readAssetCount(fixture, studio), undefined);
  });

  test("the trash sweeper deletes a shared file with its last copy, although a purge deleted the others", async () => {
    const studio = await createStudioFixture(fixture);
    const { deps, owner } = studio;
    let lastCopyId = "";
    for (let i = 0; i < purgeBatchSizes.assets; i++) lastCopyId = await copy(studio);
    await deleteAsset(deps, owner, { assetId: lastCopyId });
    const sleep = async () => fixture.clock.advance(seconds(4)); // stops the purge after the first batch
    await deleteStudio({ ...deps, sleep }, owner, { name: "Studio" });
    assert.deepEqual([await readAssetCount(fixture, studio), await hasFile(studio)], [1, true]);
    fixture.clock.advance(trashLifetime);
    await sweepTrash(deps, untilDone);
    assert.deepEqual([await readAssetCount(fixture, studio), await hasFile(studio)], [undefined, false]);
  });

  test("an image that was opened once is not opened again for its copy", async () => {
    const studio = await createStudioFixture(fixture);
    const { deps, assetId } = studio;
    const content = { frames: 1, hasAlpha: false, hasMetadata: false, canStripMetadata: true };
    const inspection = { width: 90, height: 60, ...content };
    await deps.imageInspections.record(assetId, inspection);
    const copyId = await copy(studio);
    assert.deepEqual((await deps.imageInspections.list([copyId])).get(copyId), inspection);
  });

  test("only ready assets of the studio that are not in the trash can be copied (LIB-1, T1)", async () => {
    const studio = await createStudioFixture(fixture);
    const { deps, owner, assetId } = studio;
    const pending = await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/png" });
    const post = await createPost(deps, owner, { title: "A", body: "" });
    const onTrashedPost = await copy(studio);
    await attachAsset(deps, owner, { postId: post.id, assetId: onTrashedPost });
    await deletePost(deps, owner, { postId: post.id });
    const trashed = await copy(studio);
    await deleteAsset(deps, owner, { assetId: trashed });
    const outcome = (caller: Caller, id: string) => getOutcome(() => copyAsset(deps, caller, { assetId: id }));
    assert.equal(await outcome(owner, pending.assetId), "not_uploaded");
    for (const id of [onTrashedPost, trashed, post.id, "ast_x", ""])
      assert.equal(await outcome(owner, id), "not_found", id);
    assert.equal(await outcome(await newStudio(deps), assetId), "not_found");
  });

  test("undoing a client's changes keeps the copies and uploads that the client made", async () => {
    const { deps } = fixture;
    const owner = await newStudio(deps);
    const client = await actThroughClient(deps, owner);
    const original = await addFile(deps, owner);
    const since = toIsoTime(fixture.clock());
    fixture.clock.advance(1000);
    const { assetId } = await copyAsset(deps, client, { assetId: original });
    await deleteAsset(deps, client, { assetId: original });
    await undoOwnChanges(deps, client, { since });
    for (const id of [original, assetId]) assert.equal((await getAsset(deps, owner, { assetId: id })).status, "ready");
  });
});

forEachEngine(
  "copies on separate connections",
  (fixture) => {
    test("a deletion that starts during a copy waits for the copy and then keeps the file (LIB-2, R3)", async () => {
      const studio = await createStudioFixture(fixture);
      const { deps, owner, assetId } = studio;
      const asset = await deps.assets.find(owner.studio.id, assetId);
      assert.ok(asset);
      let deletion: Promise<void> | undefined;
      const pausingDeps: Deps = {
        ...deps,
        transact: (authority, work) =>
          deps.transact(authority, (tx) =>
            work({
              ...tx,
              [writes]: {
                ...tx[writes],
                sharedFiles: {
                  ...tx[writes].sharedFiles,
                  async incrementAssetCount(lockedAsset) {
                    deletion = removeAssets(deps, [asset]);
                    await waitUntil(() => isWaitingForLock(fixture));
                    await tx[writes].sharedFiles.incrementAssetCount(lockedAsset);
                  },
                },
              },
            }),
          ),
      };
      const { assetId: copyId } = await copyAsset(pausingDeps, owner, { assetId });
      await deletion;
      assert.equal(await deps.assets.findWithTrash(owner.studio.id, assetId), undefined);
      assert.equal((await getAsset(deps, owner, { assetId: copyId })).status, "ready");
      assert.equal(await hasFile(studio), true);
    });
  },
  ["postgres"],
);

async function isWaitingForLock({ database }: Fixture): Promise<boolean> {
  const rows = await database.run<{ waiting: number }>(
    statement(
      "SELECT COUNT(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    ),
    [],
  );
  return (rows[0]?.waiting ?? 0) > 0;
}
