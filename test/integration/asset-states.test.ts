import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { createAssetSweeper, createLostFileFinder, type SweepResult } from "#domain/assets/lifecycle/sweep-assets.ts";
import { incomingKey } from "#domain/assets/model/storage-keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { checkTransition, getAssetState, transitions } from "#domain/assets/lifecycle/transitions.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { hours, minutes } from "#lib/clock.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { createHookedFiles, type FileStoreCall, type HookedFiles } from "../support/hooked-files.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { jpeg, png } from "../support/samples.ts";

const image = await jpeg();
const otherImage = await jpeg(90, 90);
const wrongType = await png();

interface Scene {
  deps: Deps;
  files: HookedFiles;
  owner: Caller;
  postId: string;
}

async function createScene(fixture: Fixture, limits: Partial<Deps["limits"]> = {}): Promise<Scene> {
  const files = createHookedFiles(fixture.clock);
  const deps: Deps = { ...fixture.deps, files, limits: { ...fixture.deps.limits, ...limits } };
  const owner = await newStudio(deps);
  return { deps, files, owner, postId: (await createPost(deps, owner, { title: "A", body: "" })).id };
}

const requestUpload = async ({ deps, owner }: Scene): Promise<string> =>
  (await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" })).assetId;

const uploadInline = async ({ deps, owner }: Scene, bytes = image): Promise<string> =>
  (await uploadAssetInline(deps, owner, { kind: "image", mimeType: "image/jpeg", base64: bytes.toString("base64") }))
    .assetId;

const sweep = (deps: Deps): Promise<SweepResult> =>
  createAssetSweeper(deps)({ pause: async () => {}, shouldStop: () => false });

/** Database and store agree: every ready asset has its bytes, and all counts are right. */
async function assertConsistent({ deps, files, owner }: Scene, fixture: Fixture): Promise<void> {
  const { q } = fixture.database;
  const assets = await q.selectFrom("assets").selectAll().where("studio_id", "=", owner.studio.id).execute();
  for (const asset of assets.filter(({ status }) => status === "ready")) {
    const content = await files.content(asset.storage_key ?? "");
    assert.equal(content?.length, asset.bytes);
    assert.equal(createHash("sha256").update(content).digest("hex"), asset.sha256);
    assert.equal((await deps.files.stat(asset.storage_key ?? ""))?.sha256, asset.sha256);
  }
  const posts = await q.selectFrom("posts").selectAll().where("studio_id", "=", owner.studio.id).execute();
  for (const post of posts) assert.equal(post.asset_count, assets.filter((asset) => asset.post_id === post.id).length);
  const used = assets.reduce((sum, asset) => sum + asset.charged_bytes, 0);
  assert.equal(await deps.assets.getUsedBytes(owner.studio.id), used);
}

forEachEngine("asset states", (fixture) => {
  test("allows exactly the transitions in the table and rejects all others with their code (ASSET-23)", async () => {
    const rejectionCodes = {
      attach: "already_attached",
      detach: "not_attached",
      delete: "asset_in_use",
    } as const;
    const states = [
      { status: "pending", postId: null },
      { status: "ready", postId: null },
      { status: "ready", postId: "pst_x" },
    ] as const;
    for (const by of ["attach", "detach", "delete"] as const) {
      for (const state of states) {
        const isListed = transitions.some((row) => row.by === by && row.from === getAssetState(state));
        assert.equal(await getOutcome(async () => checkTransition(by, state)), isListed ? "ok" : rejectionCodes[by]);
      }
    }
  });

  test("20 parallel attaches of one upload all return the same result, and count one asset (U8)", async () => {
    for (let round = 0; round < 5; round++) {
      const scene = await createScene(fixture, { assetsPerPost: 1 });
      const assetId = await requestUpload(scene);
      await scene.files.put(incomingKey(assetId), image);
      scene.files.hook = async () => sleep(Math.random() * 5);
      const results = await Promise.all(
        Array.from({ length: 20 }, () => attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId })),
      );
      scene.files.hook = undefined;
      for (const view of results) assert.deepEqual(view, results[0]);
      assert.equal((await scene.deps.posts.find(scene.owner.studio.id, scene.postId))?.assetCount, 1);
      await assertConsistent(scene, fixture);
    }
  });

  test("20 parallel attaches of one ready asset to a post with one free position all succeed", async () => {
    const scene = await createScene(fixture, { assetsPerPost: 1 });
    const assetId = await uploadInline(scene);
    const attaches = Array.from({ length: 20 }, () =>
      attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId }),
    );
    assert.deepEqual(await countOutcomes(attaches), { ok: 20 });
    await assertConsistent(scene, fixture);
  });

  test("of two parallel attaches to different posts, one succeeds and the other gets already_attached", async () => {
    const scene = await createScene(fixture);
    const otherPostId = (await createPost(scene.deps, scene.owner, { title: "B", body: "" })).id;
    for (let round = 0; round < 10; round++) {
      const assetId = await uploadInline(scene);
      const attaches = [scene.postId, otherPostId].map((postId) =>
        attachAsset(scene.deps, scene.owner, { postId, assetId }),
      );
      assert.deepEqual(await countOutcomes(attaches), { ok: 1, already_attached: 1 });
    }
    await assertConsistent(scene, fixture);
  });

  test("counts stay right and positions unique through a thousand attaches and detaches (U10)", async () => {
    const scene = await createScene(fixture);
    const ids = await Promise.all(Array.from({ length: 4 }, () => uploadInline(scene)));
    const attachAndDetach = async (assetId: string): Promise<void> => {
      for (let i = 0; i < 125; i++) {
        await attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId });
        await detachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId });
      }
    };
    await Promise.all(ids.map(attachAndDetach));
    assert.equal((await scene.deps.posts.find(scene.owner.studio.id, scene.postId))?.assetCount, 0);
    await assertConsistent(scene, fixture);
  });

  test("bytes that are replaced during an attach are checked again, or not used", async () => {
    const calls: FileStoreCall[] = ["stat", "read", "promote"];
    for (const hookedCall of calls) {
      for (const when of ["before", "after"] as const) {
        for (const lateBytes of [otherImage, wrongType]) {
          const scene = await createScene(fixture);
          const assetId = await requestUpload(scene);
          await scene.files.put(incomingKey(assetId), image);
          let isHookActive = true;
          scene.files.hook = async (call, moment, key) => {
            if (!isHookActive || call !== hookedCall || moment !== when || key !== incomingKey(assetId)) return;
            isHookActive = false;
            await scene.files.put(incomingKey(assetId), lateBytes);
          };
          const result = await getOutcome(attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId }));
          scene.files.hook = undefined;
          const asset = await scene.deps.assets.find(scene.owner.studio.id, assetId);
          if (result === "ok") {
            const served = await scene.files.content(asset?.storageKey ?? "");
            assert.ok(
              [image, otherImage].some((checked) => served?.equals(checked)),
              `${hookedCall} ${when}: the served bytes are the checked ones`,
            );
          } else {
            assert.equal(result, "type_mismatch");
            assert.equal(asset, undefined);
          }
          await assertConsistent(scene, fixture);
        }
      }
    }
  });

  test("bytes that are swapped during the check, and back before promotion, are rejected", async () => {
    const scene = await createScene(fixture);
    const assetId = await requestUpload(scene);
    await scene.files.put(incomingKey(assetId), wrongType);
    scene.files.hook = async (call, moment, key) => {
      if (key === incomingKey(assetId) && call === "stat" && moment === "after") await scene.files.put(key, image);
      if (key === incomingKey(assetId) && call === "promote" && moment === "before")
        await scene.files.put(key, wrongType);
    };
    assert.equal(
      await getOutcome(attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId })),
      "type_mismatch",
    );
    scene.files.hook = undefined;
    assert.equal((await scene.files.keys()).filter((key) => key.startsWith("files/")).length, 0);
  });

  test("after the store fails at any call of an attach, before or after its effect, the next attach succeeds (S1, S2)", async () => {
    for (const when of ["before", "after"] as const) {
      for (let nth = 1; nth <= 4; nth++) {
        const scene = await createScene(fixture);
        const assetId = await requestUpload(scene);
        await scene.files.put(incomingKey(assetId), image);
        let calls = 0;
        scene.files.hook = (_call, moment) => {
          if (moment === when && ++calls === nth) throw new Error("the store failed");
        };
        const first = await attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId }).then(
          () => "ok",
          () => "failed",
        );
        scene.files.hook = undefined;
        const asset = await scene.deps.assets.find(scene.owner.studio.id, assetId);
        if (first === "failed") assert.equal(asset?.status, "pending");
        await assertConsistent(scene, fixture);
        const retried = await attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId });
        assert.deepEqual([retried.status, retried.bytes], ["ready", image.length]);
        await assertConsistent(scene, fixture);
      }
    }
  });

  test("after a crash between promoting the bytes and the record, the next attach succeeds; no sweep deletes the bytes before (C2)", async () => {
    const scene = await createScene(fixture);
    const assetId = await requestUpload(scene);
    await scene.files.put(incomingKey(assetId), image);
    const crashingDeps: Deps = { ...scene.deps, transact: () => Promise.reject(new Error("killed")) };
    await assert.rejects(attachAsset(crashingDeps, scene.owner, { postId: scene.postId, assetId }), /killed/);
    assert.equal((await scene.files.keys()).includes(incomingKey(assetId)), false, "the bytes were promoted");
    fixture.clock.advance(minutes(65));
    await sweep(scene.deps);
    const view = await attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId });
    assert.equal(view.bytes, image.length);
    await assertConsistent(scene, fixture);
  });

  test("if a newer upload replaces claimed bytes, the newer ones are attached and the older ones are swept", async () => {
    const scene = await createScene(fixture);
    const assetId = await requestUpload(scene);
    await scene.files.put(incomingKey(assetId), image);
    const crashingDeps: Deps = { ...scene.deps, transact: () => Promise.reject(new Error("killed")) };
    await assert.rejects(attachAsset(crashingDeps, scene.owner, { postId: scene.postId, assetId }));
    await scene.files.put(incomingKey(assetId), otherImage);
    assert.equal(
      (await attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId })).bytes,
      otherImage.length,
    );
    fixture.clock.advance(hours(2));
    await sweep(scene.deps);
    assert.equal((await scene.files.keys()).filter((key) => key.startsWith("files/")).length, 1);
    await assertConsistent(scene, fixture);
  });

  test("a crash during an inline upload leaves no asset, and the sweeper deletes the bytes (C2)", async () => {
    for (const when of ["before", "after"] as const) {
      const scene = await createScene(fixture);
      scene.files.hook = (call, moment) => {
        if (call === "remove" || (call === "write" && moment === when)) throw new Error("killed");
      };
      await assert.rejects(uploadInline(scene), /killed/);
      scene.files.hook = undefined;
      assert.deepEqual(await scene.deps.assets.list(scene.owner.studio.id, { limit: 10 }), []);
      fixture.clock.advance(hours(2));
      await sweep(scene.deps);
      assert.equal((await scene.files.keys()).length, 0);
    }
  });

  test("an upload that pauses until its bytes are swept fails", async () => {
    const scene = await createScene(fixture);
    scene.files.hook = async (call, moment) => {
      if (call !== "write" || moment !== "after") return;
      scene.files.hook = undefined;
      fixture.clock.advance(hours(3));
      await sweep(scene.deps);
    };
    assert.equal(await getOutcome(uploadInline(scene)), "storage_unavailable");
    assert.equal((await scene.files.keys()).length, 0);
    await assertConsistent(scene, fixture);
  });

  test("the sweep deletes expired uploads, repeated PUTs, and files and thumbnails without an asset, but never live ones (ASSET-20, S8)", async () => {
    const scene = await createScene(fixture);
    const live = await uploadInline(scene);
    const attached = await requestUpload(scene);
    await scene.files.put(incomingKey(attached), image);
    await attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId: attached });
    const expired = await requestUpload(scene);
    await scene.files.put(incomingKey(expired), image);
    await scene.files.put(incomingKey(attached), otherImage); // a PUT after attach
    const liveKey = (await scene.deps.assets.find(scene.owner.studio.id, live))?.storageKey ?? "";
    await scene.files.put(liveKey.replace("files/", "thumbs/"), image);
    const orphanId = scene.deps.newId("asset");
    const orphanKeys = [
      `files/${orphanId}.abc`,
      `thumbs/${orphanId}.abc`,
      `incoming/${orphanId}`,
      "files/unknown",
      `files/${live}.abc`,
    ];
    for (const key of orphanKeys) await scene.files.put(key, image);

    fixture.clock.advance(minutes(30));
    const attachable = await requestUpload(scene);
    await scene.files.put(incomingKey(attachable), image);
    fixture.clock.advance(minutes(41)); // 61 minutes after the first upload URL expired
    const result = await sweep(scene.deps);
    assert.equal(result.expired, 1);
    assert.equal(await scene.deps.assets.find(scene.owner.studio.id, expired), undefined);
    for (const key of [...orphanKeys, incomingKey(expired), incomingKey(attached)])
      assert.ok(!(await scene.files.keys()).includes(key), key);
    assert.ok(
      (await scene.files.keys()).includes(incomingKey(attachable)),
      "an upload that can still be attached is kept",
    );
    assert.ok((await scene.files.keys()).includes(liveKey.replace("files/", "thumbs/")));
    await assertConsistent(scene, fixture);
    assert.equal(
      (await attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId: attachable })).status,
      "ready",
    );
    fixture.clock.advance(hours(100));
    await sweep(scene.deps);
    await assertConsistent(scene, fixture);
  });

  test("the sweep processes many files in small steps, resumes where it stopped, and keeps live files", async () => {
    const scene = await createScene(fixture);
    const ids = [];
    for (let i = 0; i < 250; i++) ids.push(await uploadInline(scene));
    for (let i = 0; i < 150; i++) await scene.files.put(`files/${scene.deps.newId("asset")}.abc`, image);
    fixture.clock.advance(hours(2));
    const sweeper = createAssetSweeper(scene.deps);
    for (let run = 0; run < 20; run++) {
      let steps = 0;
      await sweeper({ pause: async () => void steps++, shouldStop: () => steps >= 4 });
    }
    assert.equal((await scene.files.keys()).length, 250);
    await assertConsistent(scene, fixture);
    assert.equal(ids.length, 250);
  });

  test("the check finds assets whose bytes are missing or changed, in every round, and ignores deleted assets (S8)", async () => {
    const scene = await createScene(fixture);
    const ids: string[] = [];
    for (let i = 0; i < 130; i++) ids.push(await uploadInline(scene));
    const keyOf = async (id = "") => (await scene.deps.assets.find(scene.owner.studio.id, id))?.storageKey ?? "";
    const [missingKey, changedKey, deletedKey] = [await keyOf(ids[3]), await keyOf(ids[120]), await keyOf(ids[50])];
    await scene.files.deleteBytes(missingKey);
    await scene.files.put(changedKey, otherImage);
    scene.files.hook = async (call, when, key) => {
      if (call !== "stat" || when !== "before" || key !== deletedKey) return;
      await deleteAsset(scene.deps, scene.owner, { assetId: ids[50] ?? "" });
    };
    // The database also has studios of other tests, whose files are not in this store: filter them out.
    const findLostFiles = createLostFileFinder(scene.deps);
    const lostIds: string[] = [];
    while (lostIds.filter((id) => id === ids[3]).length < 2)
      lostIds.push(...(await findLostFiles()).map(({ id }) => id).filter((id) => ids.includes(id)));
    assert.deepEqual(lostIds.slice(0, 3), [ids[3], ids[120], ids[3]]);
  });

  test("the sweeper deletes bytes that a deletion could not remove", async () => {
    const scene = await createScene(fixture);
    const assetId = await uploadInline(scene);
    scene.files.hook = (call) => {
      if (call === "remove") throw new Error("the store is unavailable");
    };
    await deleteAsset(scene.deps, scene.owner, { assetId });
    scene.files.hook = undefined;
    assert.equal((await scene.files.keys()).length, 1);
    await sweep(scene.deps);
    assert.equal((await scene.files.keys()).length, 0);
    await assertConsistent(scene, fixture);
  });

  test("deleting a pending upload deletes its bytes", async () => {
    const scene = await createScene(fixture);
    const assetId = await requestUpload(scene);
    await scene.files.put(incomingKey(assetId), image);
    await deleteAsset(scene.deps, scene.owner, { assetId });
    assert.equal((await scene.files.keys()).length, 0);
    assert.equal(
      await getOutcome(attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId })),
      "not_found",
    );
  });

  test("50 parallel presigned and inline uploads cannot exceed the studio's quota by a byte (U19)", async () => {
    const scene = await createScene(fixture, { studioBytes: image.length * 10, assetsPerPost: 100 });
    const pending = await Promise.all(Array.from({ length: 25 }, () => requestUpload(scene)));
    for (const assetId of pending) await scene.files.put(incomingKey(assetId), image);
    const results = await countOutcomes([
      ...pending.map((assetId) => attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId })),
      ...Array.from({ length: 25 }, () => uploadInline(scene)),
    ]);
    assert.deepEqual(results, { ok: 10, quota_exceeded: 40 });
    assert.equal(await scene.deps.assets.getUsedBytes(scene.owner.studio.id), image.length * 10);
    await assertConsistent(scene, fixture);
    const [unattached] = await scene.deps.assets
      .list(scene.owner.studio.id, { unattached: true, limit: 100 })
      .then((all) => all.filter(({ status }) => status === "ready"));
    if (unattached) await deleteAsset(scene.deps, scene.owner, { assetId: unattached.id });
    else {
      const [attached] = await scene.deps.assets.listByPosts([scene.postId]);
      await detachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId: attached!.id });
      await deleteAsset(scene.deps, scene.owner, { assetId: attached!.id });
    }
    assert.equal(await getOutcome(uploadInline(scene)), "ok");
    assert.equal(await getOutcome(uploadInline(scene)), "quota_exceeded");
  });

  test("exactly 20 of 200 parallel attaches of ready and pending assets succeed at a limit of 20 (ASSET-10, R2)", async () => {
    const scene = await createScene(fixture, { assetsPerPost: 20 });
    const ready = await Promise.all(Array.from({ length: 100 }, () => uploadInline(scene)));
    const pending = await Promise.all(Array.from({ length: 100 }, () => requestUpload(scene)));
    for (const assetId of pending) await scene.files.put(incomingKey(assetId), image);
    const results = await countOutcomes(
      [...ready, ...pending].map((assetId) => attachAsset(scene.deps, scene.owner, { postId: scene.postId, assetId })),
    );
    assert.deepEqual(results, { ok: 20, asset_limit_reached: 180 });
    await assertConsistent(scene, fixture);
  });
});
