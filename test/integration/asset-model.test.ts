import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { fc } from "../support/fuzz.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { getAsset } from "#domain/assets/get-asset.ts";
import { incomingKey } from "#domain/assets/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { createAssetSweeper } from "#domain/assets/lifecycle/sweep-assets.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { hours } from "#lib/clock.ts";
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

const workers = 8;
const each = 3;
const rounds = 10;
const operations = isLongRun ? 10_000 : 2_000;
const [assetCount, postCount, perPost] = [9, 3, 3];

const asset = fc.nat(assetCount - 1);
const post = fc.nat(postCount - 1);
/** What a worker does; the order that `reorder` sends is made of what it reads just before. */
const deed = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("attach" as const), asset, post }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("detach" as const), asset, post }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), asset }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("get asset" as const), asset }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("get post" as const), post }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reorder" as const), post, order: fc.constant([]) }) },
);
const exactly = <T>(of: fc.Arbitrary<T>, count: number) => fc.array(of, { minLength: count, maxLength: count });
const script = exactly(exactly(exactly(deed, each), workers), rounds);

forEachEngine("assets against a model", (fixture) => {
  let edge: FileServer;
  let ahead = 0;
  let deps: Deps;
  before(async () => {
    const clock = () => Date.now() + ahead;
    edge = await startFileServer({ clock });
    const own = createDeps(fixture.database, clock);
    deps = { ...own, files: edge.store, limits: { ...own.limits, assetsPerPost: perPost } };
  });
  after(() => edge.close());

  test(`${operations} random changes and looks by eight at once: every answer is one that some order allows, and what is left is true (R3)`, async (t) => {
    let done = 0;
    await fc.assert(
      fc.asyncProperty(script, async (all) => {
        const studio = await createWorld(deps, edge.store);
        for (const round of all) {
          await studio.refill();
          const was = await studio.state();
          const deeds = await studio.play(round);
          const is = await studio.state();
          assert.ok(
            isLinearizable(deeds, was, is, perPost),
            `no order explains this: ${JSON.stringify({ was, deeds, is }, null, 1)}`,
          );
          done += deeds.length;
        }
        await studio.check(() => void (ahead += hours(3)));
      }),
      // A race does not come twice by the same numbers; the first failure is told whole, with its seed.
      { numRuns: Math.ceil(operations / (workers * each * rounds)), endOnFailure: true },
    );
    t.diagnostic(`${done} operations`);
  });
});

/** A studio whose assets and posts have numbers, and bytes of their own each. */
async function createWorld(deps: Deps, store: DiskStore) {
  const owner = await newStudio(deps);
  const ids: string[] = [];
  const content = new Map<string, Buffer>();
  const posts: string[] = [];
  for (let i = 0; i < postCount; i++) posts.push((await createPost(deps, owner, { title: `P${i}`, body: "" })).id);
  const numberOf = (id: string): number => ids.indexOf(id);
  let time = 0;

  const state = async (): Promise<State> => {
    const found = await Promise.all(ids.map((id) => deps.assets.find(owner.studio.id, id)));
    const on = await Promise.all(posts.map((id) => deps.assets.listByPosts([id])));
    return {
      assets: found.map((one): AssetState => {
        if (!one) return "deleted";
        if (one.status === "pending") return "pending";
        return one.postId === null ? "unattached" : posts.indexOf(one.postId);
      }),
      posts: on.map((assets) => assets.map(({ id }) => numberOf(id))),
    };
  };

  return {
    state,
    /** In the place of what is gone there comes something new, by either way in. */
    async refill(): Promise<void> {
      const { assets } = await state();
      for (let i = 0; i < assetCount; i++) {
        if (ids[i] !== undefined && assets[i] !== "deleted") continue;
        const text = Buffer.from(`text ${content.size} ${"x".repeat(content.size)}`);
        const id = await (content.size % 2 === 0 ? sendInline : sendByAddress)(deps, owner, store, text);
        ids[i] = id;
        content.set(id, text);
      }
    },
    play: async (round: readonly (readonly Operation[])[]): Promise<RecordedOperation[]> =>
      (
        await Promise.all(
          round.map(async (changes) => {
            const deeds: RecordedOperation[] = [];
            for (const planned of changes) {
              const operation = await prepare(planned);
              const from = ++time;
              const outcome = await perform(operation);
              deeds.push({ operation, outcome, startedAt: from, endedAt: ++time });
            }
            return deeds;
          }),
        )
      ).flat(),
    /** Counters, places, bytes and files agree; what belongs to nobody goes with the sweep. */
    async check(laterBySomeHours: () => void): Promise<void> {
      const rows = (await Promise.all(ids.map((id) => deps.assets.find(owner.studio.id, id)))).filter(
        (row) => row !== undefined,
      );
      for (const id of posts) {
        const on = rows.filter(({ postId }) => postId === id);
        assert.equal((await deps.posts.find(owner.studio.id, id))?.assetCount, on.length);
        assert.ok(on.length <= perPost);
        assert.equal(new Set(on.map(({ position }) => position)).size, on.length);
      }
      const ready = rows.filter(({ status }) => status === "ready");
      assert.equal(
        await deps.assets.getUsedBytes(owner.studio.id),
        ready.reduce((sum, { id }) => sum + (content.get(id)?.length ?? 0), 0),
      );
      laterBySomeHours();
      await createAssetSweeper(deps)({ pause: async () => {}, shouldStop: () => false });
      for (const { id, storageKey, sha256: digest } of ready) {
        assert.equal(digest, sha256(content.get(id) ?? Buffer.alloc(0)));
        assert.equal(await readDigest(store, storageKey ?? ""), digest);
      }
      const kept = await store.list("files/", { limit: 100_000 });
      const here = kept.map(({ key }) => key).filter((key) => [...content.keys()].some((id) => key.includes(id)));
      assert.deepEqual(here.toSorted(), ready.map(({ storageKey }) => storageKey).toSorted());
    },
  };

  /** The other way round, as it is at this moment: by the time it is asked for, it may not be. */
  async function prepare(operation: Operation): Promise<Operation> {
    if (operation.kind !== "reorder") return operation;
    const on = await deps.assets.listByPosts([posts[operation.post] ?? ""]);
    return { ...operation, order: on.map(({ id }) => numberOf(id)).toReversed() };
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
        return void (await updatePost(deps, owner, { postId, assetIds: operation.order.map((one) => ids[one] ?? "") }));
      case "get post":
        return describeOrder((await getPost(deps, owner, { postId })).assets.map(({ id }) => numberOf(id)));
      case "get asset": {
        const seen = await getAsset(deps, owner, { assetId });
        if (seen.status === "pending") return describeAssetState("pending");
        return describeAssetState(seen.postId === null ? "unattached" : posts.indexOf(seen.postId));
      }
    }
  }
}

async function sendInline(deps: Deps, owner: Caller, _store: DiskStore, text: Buffer): Promise<string> {
  const base64 = text.toString("base64");
  return (await uploadAssetInline(deps, owner, { kind: "document", mimeType: "text/plain", base64 })).assetId;
}

async function sendByAddress(deps: Deps, owner: Caller, store: DiskStore, text: Buffer): Promise<string> {
  const { assetId } = await requestAssetUpload(deps, owner, { kind: "document", mimeType: "text/plain" });
  await store.receive(incomingKey(assetId), Readable.from([text]), { maxBytes: 1000 });
  return assetId;
}
