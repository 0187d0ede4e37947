import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { createAssetSweeper } from "#domain/jobs/sweep-files.ts";
import { parseKeyAssetId } from "#domain/model/storage-keys.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { emptyTrash, listTrash, restoreFromTrash } from "#domain/trash/trash.ts";
import { hours, systemClock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { fc } from "../support/fuzz.ts";
import { forEachStoreAndEngine } from "../support/asset-fixture.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, type Fixture } from "../support/engines.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { isLongRun } from "../support/long-run.ts";
import { openTestS3, readDigest, sha256, withOwnFiles } from "../support/stores.ts";
import { newStudio } from "../support/users.ts";

const [workerCount, operationsPerWorker, roundCount] = [8, 4, isLongRun ? 20 : 4];
const runCounts = isLongRun ? { disk: 20, s3: 5 } : { disk: 2, s3: 1 };

/** `pick` selects one of the assets or posts that exist when the operation runs. */
const pick = fc.nat(1000);
const anyOperation = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("upload" as const), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("copy" as const), pick }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("attach" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("detach" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete post" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("empty trash" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("read" as const), pick }) },
);
type Operation = typeof anyOperation extends fc.Arbitrary<infer T> ? T : never;
const arrayOf = <T>(item: fc.Arbitrary<T>, count: number) => fc.array(item, { minLength: count, maxLength: count });
const planOfRounds = arrayOf(arrayOf(arrayOf(anyOperation, operationsPerWorker), workerCount), roundCount);

forEachStoreAndEngine("shared files compared with a model", (fixture, storeName) => {
  let server: FileServer | undefined;
  let deps: Deps;
  before(async () => {
    // Hours ahead of the store's clock, so that the sweeper treats every file as old.
    const clock = () => systemClock() + hours(3);
    server = storeName === "disk" ? await startFileServer({ clock }) : undefined;
    deps = { ...createDeps(fixture.database, clock), files: server?.store ?? (await openTestS3()) };
  });
  after(async () => {
    if (storeName === "s3") (deps.files as S3Store).close();
    await server?.close();
  });

  test(`eight workers copy, delete and sweep at random: no file is deleted while an asset uses it, and none is kept without an asset (LIB-2, R3)`, async (t) => {
    let [operationCount, copyCount] = [0, 0];
    await fc.assert(
      fc.asyncProperty(planOfRounds, async (plan) => {
        const studio = await createModelStudio(deps);
        for (const round of plan) {
          await Promise.all(
            round.map(async (operations) => {
              for (const operation of operations) {
                await studio.perform(operation);
                operationCount++;
                if (operation.kind === "copy") copyCount++;
              }
            }),
          );
          await studio.assertConsistent(fixture.database.q);
        }
      }),
      // A race cannot be replayed, so shrinking is off and the first failure is reported with its seed.
      { numRuns: runCounts[storeName], endOnFailure: true },
    );
    t.diagnostic(`${operationCount} operations, ${copyCount} of them copies`);
  });
});

async function createModelStudio(baseDeps: Deps) {
  const { files } = baseDeps;
  const digestsByKey = new Map<string, string>();
  const ownIds = new Set<string>();
  const deps: Deps = {
    ...baseDeps,
    files: {
      ...withOwnFiles(files, (key) => ownIds.has(parseKeyAssetId(key) ?? "")),
      // With this clock, the sweeper would delete the temp files of uploads in progress.
      sweepTempFiles: async () => 0,
    },
  };
  const owner = await newStudio(deps);
  const studioId = owner.studio.id;
  const sweep = createAssetSweeper(deps);
  const listAssets = () => deps.assets.list(studioId, { withTrash: true, limit: 1000 });
  const select = <T>(items: readonly T[], number: number): T | undefined => items[number % Math.max(items.length, 1)];
  const posts: string[] = [];

  async function upload(text: string): Promise<void> {
    const content = Buffer.from(text);
    const base64 = content.toString("base64");
    const { assetId } = await uploadAssetInline(deps, owner, { kind: "document", mimeType: "text/plain", base64 });
    ownIds.add(assetId);
    const asset = await deps.assets.findWithTrash(studioId, assetId);
    if (asset?.storageKey != null) digestsByKey.set(asset.storageKey, sha256(content));
  }
  for (let i = 0; i < 3; i++) posts.push((await createPost(deps, owner, { title: `P${i}`, body: "" })).id);
  for (let i = 0; i < 3; i++) await upload(`first file ${i}`);

  /** Asserts that the file of an asset exists as long as the asset does. */
  async function assertFileExists(number: number): Promise<void> {
    const asset = select(await listAssets(), number);
    if (asset?.storageKey == null) return;
    const storedFile = await files.stat(asset.storageKey);
    if (storedFile?.version === asset.version) return;
    const currentAsset = await deps.assets.findWithTrash(studioId, asset.id);
    assert.equal(currentAsset, undefined, `the file of ${asset.id} is missing`);
  }

  async function run({ kind, pick: number }: Operation): Promise<unknown> {
    const asset = select(await listAssets(), number);
    const [assetId, postId] = [asset?.id ?? "", select(posts, number) ?? ""];
    switch (kind) {
      case "upload":
        return upload(`another file ${number} ${digestsByKey.size}`);
      case "copy":
        return ownIds.add((await copyAsset(deps, owner, { assetId })).assetId);
      case "delete":
        return deleteAsset(deps, owner, { assetId });
      case "attach":
        return attachAsset(deps, owner, { postId, assetId });
      case "detach":
        return asset?.postId == null ? undefined : detachAsset(deps, owner, { postId: asset.postId, assetId });
      case "delete post":
        await deletePost(deps, owner, { postId });
        return void (posts[posts.indexOf(postId)] = (await createPost(deps, owner, { title: "New", body: "" })).id);
      case "restore": {
        const item = select((await listTrash(deps, owner, { limit: 100 })).items, number);
        return item && restoreFromTrash(deps, owner, { id: item.id });
      }
      case "empty trash":
        return emptyTrash(deps, owner);
      case "sweep":
        return sweep(untilDone);
      case "read":
        return assertFileExists(number);
    }
  }

  return {
    async perform(operation: Operation): Promise<void> {
      await run(operation).catch((error: unknown) => {
        // Another worker was first: the asset or post is in another state.
        if (!(error instanceof AppError) || error.code === "internal" || error.code === "storage_unavailable")
          throw error;
      });
    },
    /** Compares files, counts and the quota with the assets, while no operation runs. */
    async assertConsistent(q: Fixture["database"]["q"]): Promise<void> {
      await sweep(untilDone);
      const assets = await listAssets();
      const assetsByKey = Map.groupBy(assets, ({ storageKey }) => storageKey ?? "");
      for (const [key, digest] of digestsByKey) {
        if (assetsByKey.has(key)) assert.equal(await readDigest(files, key), digest, key);
        else assert.equal(await files.stat(key), undefined, `${key} is kept without an asset`);
      }
      const counts = await q.selectFrom("sharedFiles").selectAll().where("studioId", "=", studioId).execute();
      for (const { storageKey: key, assetCount: count } of counts)
        assert.equal(count, assetsByKey.get(key)?.length, key);
      for (const [key, keyAssets] of assetsByKey)
        assert.ok(keyAssets.length === 1 || counts.some(({ storageKey: countedKey }) => countedKey === key), key);
      assert.equal(
        await deps.assets.getUsedBytes(studioId),
        [...assetsByKey.values()].reduce((sum, [asset]) => sum + (asset?.bytes ?? 0), 0),
      );
    },
  };
}
