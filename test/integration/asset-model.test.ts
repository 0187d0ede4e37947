import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { untilDone } from "../support/batch-options.ts";
import { fc } from "../support/fuzz.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { getAsset } from "#domain/assets/get-asset.ts";
import { incomingKey } from "#domain/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { createAssetSweeper } from "#domain/jobs/sweep-files.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { hours, systemClock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { DiskStore } from "#storage/disk/disk-store.ts";
import {
  isLinearizable,
  describeAssetState,
  describeOrder,
  type Operation,
  type RecordedOperation,
  type AssetState,
  type State,
} from "../support/asset-model.ts";
import { createDeps, forEachEngine } from "../support/engines.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";
import { readDigest, sha256 } from "../support/stores.ts";

const workerCount = 8;
const operationsPerWorker = 3;
const roundCount = 10;
const operationCount = isLongRun ? 10_000 : 1_000;
const [assetCount, postCount, maxAssetsPerPost] = [9, 3, 3];

const asset = fc.nat(assetCount - 1);
const post = fc.nat(postCount - 1);
/** A random operation of a worker. `prepare` fills in the order for `reorder` just before it runs. */
const anyOperation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("attach" as const), asset, post }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("detach" as const), asset, post }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), asset }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("get asset" as const), asset }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("get post" as const), post }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reorder" as const), post, order: fc.constant([]) }) },
);
const arrayOf = <T>(item: fc.Arbitrary<T>, count: number) => fc.array(item, { minLength: count, maxLength: count });
const planOfRounds = arrayOf(arrayOf(arrayOf(anyOperation, operationsPerWorker), workerCount), roundCount);

forEachEngine("assets compared with a model", (fixture) => {
  let server: FileServer;
  let clockOffset = 0;
  let deps: Deps;
  before(async () => {
    const clock = () => systemClock() + clockOffset;
    server = await startFileServer({ clock });
    const baseDeps = createDeps(fixture.database, clock);
    deps = { ...baseDeps, files: server.store, limits: { ...baseDeps.limits, assetsPerPost: maxAssetsPerPost } };
  });
  after(() => server.close());

  test(`the results of ${operationCount} random operations by eight concurrent workers match some sequential order, and the final state is consistent (R3)`, async (t) => {
    let completedCount = 0;
    await fc.assert(
      fc.asyncProperty(planOfRounds, async (plan) => {
        const studio = await createModelStudio(deps, server.store);
        for (const round of plan) {
          await studio.refill();
          const before = await studio.readState();
          const recorded = await studio.runRound(round);
          const after = await studio.readState();
          assert.ok(
            isLinearizable(recorded, before, after, maxAssetsPerPost),
            `no sequential order explains these results: ${JSON.stringify({ before, recorded, after }, null, 1)}`,
          );
          completedCount += recorded.length;
        }
        await studio.assertConsistent(() => void (clockOffset += hours(3)));
      }),
      // A race cannot be replayed, so shrinking is off and the first failure is reported with its seed.
      { numRuns: Math.ceil(operationCount / (workerCount * operationsPerWorker * roundCount)), endOnFailure: true },
    );
    t.diagnostic(`${completedCount} operations`);
  });
});

/** Creates a studio that maps the model's asset and post numbers to ids. Each asset has different bytes. */
async function createModelStudio(deps: Deps, store: DiskStore) {
  const owner = await newStudio(deps);
  const ids: string[] = [];
  const contentById = new Map<string, Buffer>();
  const posts: string[] = [];
  for (let i = 0; i < postCount; i++) posts.push((await createPost(deps, owner, { title: `P${i}`, body: "" })).id);
  const numberOf = (id: string): number => ids.indexOf(id);
  let time = 0;

  const readState = async (): Promise<State> => {
    const rows = await Promise.all(ids.map((id) => deps.assets.find(owner.studio.id, id)));
    const attached = await Promise.all(posts.map((id) => deps.assets.listByPosts([id])));
    return {
      assets: rows.map((row): AssetState => {
        if (!row) return "deleted";
        if (row.status === "pending") return "pending";
        return row.postId === null ? "unattached" : posts.indexOf(row.postId);
      }),
      posts: attached.map((assets) => assets.map(({ id }) => numberOf(id))),
    };
  };

  return {
    readState,
    /** Replaces each deleted asset with a new one, uploaded inline or presigned in turn. */
    async refill(): Promise<void> {
      const { assets } = await readState();
      for (let i = 0; i < assetCount; i++) {
        if (ids[i] !== undefined && assets[i] !== "deleted") continue;
        const text = Buffer.from(`text ${contentById.size} ${"x".repeat(contentById.size)}`);
        const id = await (contentById.size % 2 === 0 ? uploadInline : uploadPresigned)(deps, owner, store, text);
        ids[i] = id;
        contentById.set(id, text);
      }
    },
    runRound: async (round: readonly (readonly Operation[])[]): Promise<RecordedOperation[]> =>
      (
        await Promise.all(
          round.map(async (operations) => {
            const recorded: RecordedOperation[] = [];
            for (const planned of operations) {
              const operation = await prepare(planned);
              const startedAt = ++time;
              const outcome = await perform(operation);
              recorded.push({ operation, outcome, startedAt, endedAt: ++time });
            }
            return recorded;
          }),
        )
      ).flat(),
    /** Asserts that counts, positions, bytes and files agree, and that the sweep deletes files without an asset. */
    async assertConsistent(advanceClock: () => void): Promise<void> {
      await emptyTrash(deps, owner);
      await sweepTrash(deps, untilDone);
      const rows = (await Promise.all(ids.map((id) => deps.assets.find(owner.studio.id, id)))).filter(
        (row) => row !== undefined,
      );
      for (const id of posts) {
        const attached = rows.filter(({ postId }) => postId === id);
        assert.equal((await deps.posts.find(owner.studio.id, id))?.assetCount, attached.length);
        assert.ok(attached.length <= maxAssetsPerPost);
        assert.equal(new Set(attached.map(({ position }) => position)).size, attached.length);
      }
      const ready = rows.filter(({ status }) => status === "ready");
      assert.equal(
        await deps.assets.getUsedBytes(owner.studio.id),
        ready.reduce((sum, { id }) => sum + (contentById.get(id)?.length ?? 0), 0),
      );
      advanceClock();
      await createAssetSweeper(deps)(untilDone);
      for (const { id, storageKey, sha256: digest } of ready) {
        assert.equal(digest, sha256(contentById.get(id) ?? Buffer.alloc(0)));
        assert.equal(await readDigest(store, storageKey ?? ""), digest);
      }
      const stored = await store.list("files/", { limit: 100_000 });
      const fileKeys = stored
        .map(({ key }) => key)
        .filter((key) => [...contentById.keys()].some((id) => key.includes(id)));
      assert.deepEqual(fileKeys.toSorted(), ready.map(({ storageKey }) => storageKey).toSorted());
    },
  };

  /** Reverses the post's current order. Other workers may change it before the operation runs. */
  async function prepare(operation: Operation): Promise<Operation> {
    if (operation.kind !== "reorder") return operation;
    const attached = await deps.assets.listByPosts([posts[operation.post] ?? ""]);
    return { ...operation, order: attached.map(({ id }) => numberOf(id)).toReversed() };
  }

  async function perform(operation: Operation): Promise<RecordedOperation["outcome"]> {
    try {
      return (await run(operation)) ?? "ok";
    } catch (error) {
      if (error instanceof AppError) return error.code;
      throw error;
    }
  }

  async function run(operation: Operation): Promise<RecordedOperation["outcome"] | undefined> {
    const assetId = "asset" in operation ? (ids[operation.asset] ?? "") : "";
    const postId = "post" in operation ? (posts[operation.post] ?? "") : "";
    switch (operation.kind) {
      case "attach":
        return void (await attachAsset(deps, owner, { postId, assetId }));
      case "detach":
        return void (await detachAsset(deps, owner, { postId, assetId }));
      case "delete":
        return void (await deleteAsset(deps, owner, { assetId }));
      case "reorder":
        return void (await updatePost(deps, owner, {
          postId,
          assetIds: operation.order.map((number) => ids[number] ?? ""),
        }));
      case "get post":
        return describeOrder((await getPost(deps, owner, { postId })).assets.map(({ id }) => numberOf(id)));
      case "get asset": {
        const view = await getAsset(deps, owner, { assetId });
        if (view.status === "pending") return describeAssetState("pending");
        return describeAssetState(view.postId === null ? "unattached" : posts.indexOf(view.postId));
      }
    }
  }
}

async function uploadInline(deps: Deps, owner: Caller, _store: DiskStore, text: Buffer): Promise<string> {
  const base64 = text.toString("base64");
  return (await uploadAssetInline(deps, owner, { kind: "document", mimeType: "text/plain", base64 })).assetId;
}

async function uploadPresigned(deps: Deps, owner: Caller, store: DiskStore, text: Buffer): Promise<string> {
  const { assetId } = await requestAssetUpload(deps, owner, { kind: "document", mimeType: "text/plain" });
  await store.receive(incomingKey(assetId), Readable.from([text]), { maxBytes: 1000 });
  return assetId;
}
