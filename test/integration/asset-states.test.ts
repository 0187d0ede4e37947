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

const picture = await jpeg();
const other = await jpeg(90, 90);
const wrong = await png();

interface Scene {
  deps: Deps;
  files: HookedFiles;
  owner: Caller;
  postId: string;
}

async function scene(fixture: Fixture, limits: Partial<Deps["limits"]> = {}): Promise<Scene> {
  const files = createHookedFiles(fixture.clock);
  const deps: Deps = { ...fixture.deps, files, limits: { ...fixture.deps.limits, ...limits } };
  const owner = await newStudio(deps);
  return { deps, files, owner, postId: (await createPost(deps, owner, { title: "A", body: "" })).id };
}

const request = async ({ deps, owner }: Scene): Promise<string> =>
  (await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" })).assetId;

const inline = async ({ deps, owner }: Scene, bytes = picture): Promise<string> =>
  (await uploadAssetInline(deps, owner, { kind: "image", mimeType: "image/jpeg", base64: bytes.toString("base64") }))
    .assetId;

const sweep = (deps: Deps): Promise<SweepResult> =>
  createAssetSweeper(deps)({ pause: async () => {}, shouldStop: () => false });

/** The database and the store say the same: every ready asset has its bytes, every count is the truth. */
async function assertAgree({ deps, files, owner }: Scene, fixture: Fixture): Promise<void> {
  const { q } = fixture.database;
  const assets = await q.selectFrom("assets").selectAll().where("studio_id", "=", owner.studio.id).execute();
  for (const asset of assets.filter(({ status }) => status === "ready")) {
    const held = await files.content(asset.storage_key ?? "");
    assert.equal(held?.length, asset.bytes);
    assert.equal(createHash("sha256").update(held).digest("hex"), asset.sha256);
    assert.equal((await deps.files.stat(asset.storage_key ?? ""))?.sha256, asset.sha256);
  }
  const posts = await q.selectFrom("posts").selectAll().where("studio_id", "=", owner.studio.id).execute();
  for (const post of posts) assert.equal(post.asset_count, assets.filter((asset) => asset.post_id === post.id).length);
  const used = assets.reduce((sum, asset) => sum + asset.charged_bytes, 0);
  assert.equal(await deps.assets.getUsedBytes(owner.studio.id), used);
}

forEachEngine("asset states", (fixture) => {
  test("the transition table says what may follow what, and everything else is refused with its code (ASSET-23)", async () => {
    const refusals = {
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
        const listed = transitions.some((row) => row.by === by && row.from === getAssetState(state));
        assert.equal(await getOutcome(async () => checkTransition(by, state)), listed ? "ok" : refusals[by]);
      }
    }
  });

  test("20 parallel attaches of one upload come to one outcome, and one asset is counted (U8)", async () => {
    for (let round = 0; round < 5; round++) {
      const here = await scene(fixture, { assetsPerPost: 1 });
      const assetId = await request(here);
      await here.files.put(incomingKey(assetId), picture);
      here.files.hook = async () => sleep(Math.random() * 5);
      const results = await Promise.all(
        Array.from({ length: 20 }, () => attachAsset(here.deps, here.owner, { postId: here.postId, assetId })),
      );
      here.files.hook = undefined;
      for (const view of results) assert.deepEqual(view, results[0]);
      assert.equal((await here.deps.posts.find(here.owner.studio.id, here.postId))?.assetCount, 1);
      await assertAgree(here, fixture);
    }
  });

  test("20 parallel attaches of one ready asset to a post with one place left: all answer the view", async () => {
    const here = await scene(fixture, { assetsPerPost: 1 });
    const assetId = await inline(here);
    const attaches = Array.from({ length: 20 }, () =>
      attachAsset(here.deps, here.owner, { postId: here.postId, assetId }),
    );
    assert.deepEqual(await countOutcomes(attaches), { ok: 20 });
    await assertAgree(here, fixture);
  });

  test("parallel attaches to two posts: it is on one, and the other call is told", async () => {
    const here = await scene(fixture);
    const elsewhere = (await createPost(here.deps, here.owner, { title: "B", body: "" })).id;
    for (let round = 0; round < 10; round++) {
      const assetId = await inline(here);
      const both = [here.postId, elsewhere].map((postId) => attachAsset(here.deps, here.owner, { postId, assetId }));
      assert.deepEqual(await countOutcomes(both), { ok: 1, already_attached: 1 });
    }
    await assertAgree(here, fixture);
  });

  test("attach and detach, a thousand times: the counts stay the truth, positions never clash (U10)", async () => {
    const here = await scene(fixture);
    const ids = await Promise.all(Array.from({ length: 4 }, () => inline(here)));
    const churn = async (assetId: string): Promise<void> => {
      for (let i = 0; i < 125; i++) {
        await attachAsset(here.deps, here.owner, { postId: here.postId, assetId });
        await detachAsset(here.deps, here.owner, { postId: here.postId, assetId });
      }
    };
    await Promise.all(ids.map(churn));
    assert.equal((await here.deps.posts.find(here.owner.studio.id, here.postId))?.assetCount, 0);
    await assertAgree(here, fixture);
  });

  test("other bytes that come while an upload is being confirmed are judged anew, or not taken", async () => {
    const calls: FileStoreCall[] = ["stat", "read", "promote"];
    for (const at of calls) {
      for (const when of ["before", "after"] as const) {
        for (const late of [other, wrong]) {
          const here = await scene(fixture);
          const assetId = await request(here);
          await here.files.put(incomingKey(assetId), picture);
          let armed = true;
          here.files.hook = async (call, moment, key) => {
            if (!armed || call !== at || moment !== when || key !== incomingKey(assetId)) return;
            armed = false;
            await here.files.put(incomingKey(assetId), late);
          };
          const result = await getOutcome(attachAsset(here.deps, here.owner, { postId: here.postId, assetId }));
          here.files.hook = undefined;
          const asset = await here.deps.assets.find(here.owner.studio.id, assetId);
          if (result === "ok") {
            const served = await here.files.content(asset?.storageKey ?? "");
            assert.ok(
              [picture, other].some((one) => served?.equals(one)),
              `${at} ${when}: what was checked is what is served`,
            );
          } else {
            assert.equal(result, "type_mismatch");
            assert.equal(asset, undefined);
          }
          await assertAgree(here, fixture);
        }
      }
    }
  });

  test("bytes that are swapped for others while they are looked at, and back again, are judged as what they are", async () => {
    const here = await scene(fixture);
    const assetId = await request(here);
    await here.files.put(incomingKey(assetId), wrong);
    here.files.hook = async (call, moment, key) => {
      if (key === incomingKey(assetId) && call === "stat" && moment === "after") await here.files.put(key, picture);
      if (key === incomingKey(assetId) && call === "promote" && moment === "before") await here.files.put(key, wrong);
    };
    assert.equal(
      await getOutcome(attachAsset(here.deps, here.owner, { postId: here.postId, assetId })),
      "type_mismatch",
    );
    here.files.hook = undefined;
    assert.equal((await here.files.keys()).filter((key) => key.startsWith("files/")).length, 0);
  });

  test("the store fails at any call of an attach, before or after it worked: the next attach succeeds (S1, S2)", async () => {
    for (const when of ["before", "after"] as const) {
      for (let nth = 1; nth <= 4; nth++) {
        const here = await scene(fixture);
        const assetId = await request(here);
        await here.files.put(incomingKey(assetId), picture);
        let calls = 0;
        here.files.hook = (_call, moment) => {
          if (moment === when && ++calls === nth) throw new Error("the store broke off");
        };
        const first = await attachAsset(here.deps, here.owner, { postId: here.postId, assetId }).then(
          () => "ok",
          () => "failed",
        );
        here.files.hook = undefined;
        const asset = await here.deps.assets.find(here.owner.studio.id, assetId);
        if (first === "failed") assert.equal(asset?.status, "pending");
        await assertAgree(here, fixture);
        const again = await attachAsset(here.deps, here.owner, { postId: here.postId, assetId });
        assert.deepEqual([again.status, again.bytes], ["ready", picture.length]);
        await assertAgree(here, fixture);
      }
    }
  });

  test("a crash between moving the bytes and the record: the next attach finishes it; nobody's sweep takes it before (C2)", async () => {
    const here = await scene(fixture);
    const assetId = await request(here);
    await here.files.put(incomingKey(assetId), picture);
    const dying: Deps = { ...here.deps, transact: () => Promise.reject(new Error("killed")) };
    await assert.rejects(attachAsset(dying, here.owner, { postId: here.postId, assetId }), /killed/);
    assert.equal((await here.files.keys()).includes(incomingKey(assetId)), false, "the bytes were moved");
    fixture.clock.advance(minutes(65));
    await sweep(here.deps);
    const view = await attachAsset(here.deps, here.owner, { postId: here.postId, assetId });
    assert.equal(view.bytes, picture.length);
    await assertAgree(here, fixture);
  });

  test("a claim that a newer upload replaced: the newer bytes win, the older ones are swept", async () => {
    const here = await scene(fixture);
    const assetId = await request(here);
    await here.files.put(incomingKey(assetId), picture);
    const dying: Deps = { ...here.deps, transact: () => Promise.reject(new Error("killed")) };
    await assert.rejects(attachAsset(dying, here.owner, { postId: here.postId, assetId }));
    await here.files.put(incomingKey(assetId), other);
    assert.equal((await attachAsset(here.deps, here.owner, { postId: here.postId, assetId })).bytes, other.length);
    fixture.clock.advance(hours(2));
    await sweep(here.deps);
    assert.equal((await here.files.keys()).filter((key) => key.startsWith("files/")).length, 1);
    await assertAgree(here, fixture);
  });

  test("a crash at any call of an inline upload leaves nothing that counts, and the sweeper clears the rest (C2)", async () => {
    for (const when of ["before", "after"] as const) {
      const here = await scene(fixture);
      here.files.hook = (call, moment) => {
        if (call === "remove" || (call === "write" && moment === when)) throw new Error("killed");
      };
      await assert.rejects(inline(here), /killed/);
      here.files.hook = undefined;
      assert.deepEqual(await here.deps.assets.list(here.owner.studio.id, { limit: 10 }), []);
      fixture.clock.advance(hours(2));
      await sweep(here.deps);
      assert.equal((await here.files.keys()).length, 0);
    }
  });

  test("whoever sleeps through the sweep cannot make an asset of swept bytes", async () => {
    const here = await scene(fixture);
    here.files.hook = async (call, moment) => {
      if (call !== "write" || moment !== "after") return;
      here.files.hook = undefined;
      fixture.clock.advance(hours(3));
      await sweep(here.deps);
    };
    assert.equal(await getOutcome(inline(here)), "storage_unavailable");
    assert.equal((await here.files.keys()).length, 0);
    await assertAgree(here, fixture);
  });

  test("the sweep: expired promises, what was sent again, planted files and thumbnails; never a live one (ASSET-20, S8)", async () => {
    const here = await scene(fixture);
    const live = await inline(here);
    const attached = await request(here);
    await here.files.put(incomingKey(attached), picture);
    await attachAsset(here.deps, here.owner, { postId: here.postId, assetId: attached });
    const expired = await request(here);
    await here.files.put(incomingKey(expired), picture);
    await here.files.put(incomingKey(attached), other); // a PUT after attach
    const liveKey = (await here.deps.assets.find(here.owner.studio.id, live))?.storageKey ?? "";
    await here.files.put(liveKey.replace("files/", "thumbs/"), picture);
    const orphan = here.deps.newId("asset");
    const planted = [
      `files/${orphan}.abc`,
      `thumbs/${orphan}.abc`,
      `incoming/${orphan}`,
      "files/nobody-s",
      `files/${live}.abc`,
    ];
    for (const key of planted) await here.files.put(key, picture);

    fixture.clock.advance(minutes(30));
    const still = await request(here);
    await here.files.put(incomingKey(still), picture);
    fixture.clock.advance(minutes(41)); // an hour and a minute after the first address expired
    const swept = await sweep(here.deps);
    assert.equal(swept.expired, 1);
    assert.equal(await here.deps.assets.find(here.owner.studio.id, expired), undefined);
    for (const key of [...planted, incomingKey(expired), incomingKey(attached)])
      assert.ok(!(await here.files.keys()).includes(key), key);
    assert.ok((await here.files.keys()).includes(incomingKey(still)), "an upload that can still be attached stays");
    assert.ok((await here.files.keys()).includes(liveKey.replace("files/", "thumbs/")));
    await assertAgree(here, fixture);
    assert.equal((await attachAsset(here.deps, here.owner, { postId: here.postId, assetId: still })).status, "ready");
    fixture.clock.advance(hours(100));
    await sweep(here.deps);
    await assertAgree(here, fixture);
  });

  test("the sweep walks a store of many files in small steps, goes on where it stopped, and touches no live one", async () => {
    const here = await scene(fixture);
    const ids = [];
    for (let i = 0; i < 250; i++) ids.push(await inline(here));
    for (let i = 0; i < 150; i++) await here.files.put(`files/${here.deps.newId("asset")}.abc`, picture);
    fixture.clock.advance(hours(2));
    const sweeper = createAssetSweeper(here.deps);
    for (let run = 0; run < 20; run++) {
      let steps = 0;
      await sweeper({ pause: async () => void steps++, shouldStop: () => steps >= 4 });
    }
    assert.equal((await here.files.keys()).length, 250);
    await assertAgree(here, fixture);
    assert.equal(ids.length, 250);
  });

  test("an asset whose bytes are gone or changed is found, round by round, and a deleted one is none (S8)", async () => {
    const here = await scene(fixture);
    const ids: string[] = [];
    for (let i = 0; i < 130; i++) ids.push(await inline(here));
    const keyOf = async (id = "") => (await here.deps.assets.find(here.owner.studio.id, id))?.storageKey ?? "";
    const [gone, changed, deleted] = [await keyOf(ids[3]), await keyOf(ids[120]), await keyOf(ids[50])];
    await here.files.deleteBytes(gone);
    await here.files.put(changed, other);
    here.files.hook = async (call, when, key) => {
      if (call !== "stat" || when !== "before" || key !== deleted) return;
      await deleteAsset(here.deps, here.owner, { assetId: ids[50] ?? "" });
    };
    // Other tests' studios lie in the same database, with their files elsewhere: they are found too, and not meant.
    const find = createLostFileFinder(here.deps);
    const found: string[] = [];
    while (found.filter((id) => id === ids[3]).length < 2)
      found.push(...(await find()).map(({ id }) => id).filter((id) => ids.includes(id)));
    assert.deepEqual(found.slice(0, 3), [ids[3], ids[120], ids[3]]);
  });

  test("a deletion whose bytes could not be removed is finished by the sweeper", async () => {
    const here = await scene(fixture);
    const assetId = await inline(here);
    here.files.hook = (call) => {
      if (call === "remove") throw new Error("the store is away");
    };
    await deleteAsset(here.deps, here.owner, { assetId });
    here.files.hook = undefined;
    assert.equal((await here.files.keys()).length, 1);
    await sweep(here.deps);
    assert.equal((await here.files.keys()).length, 0);
    await assertAgree(here, fixture);
  });

  test("deleting a promised upload takes its bytes with it", async () => {
    const here = await scene(fixture);
    const assetId = await request(here);
    await here.files.put(incomingKey(assetId), picture);
    await deleteAsset(here.deps, here.owner, { assetId });
    assert.equal((await here.files.keys()).length, 0);
    assert.equal(await getOutcome(attachAsset(here.deps, here.owner, { postId: here.postId, assetId })), "not_found");
  });

  test("the studio's quota holds under 50 parallel uploads of both ways, to the byte (U19)", async () => {
    const here = await scene(fixture, { studioBytes: picture.length * 10, assetsPerPost: 100 });
    const pending = await Promise.all(Array.from({ length: 25 }, () => request(here)));
    for (const assetId of pending) await here.files.put(incomingKey(assetId), picture);
    const results = await countOutcomes([
      ...pending.map((assetId) => attachAsset(here.deps, here.owner, { postId: here.postId, assetId })),
      ...Array.from({ length: 25 }, () => inline(here)),
    ]);
    assert.deepEqual(results, { ok: 10, quota_exceeded: 40 });
    assert.equal(await here.deps.assets.getUsedBytes(here.owner.studio.id), picture.length * 10);
    await assertAgree(here, fixture);
    const [free] = await here.deps.assets
      .list(here.owner.studio.id, { unattached: true, limit: 100 })
      .then((all) => all.filter(({ status }) => status === "ready"));
    if (free) await deleteAsset(here.deps, here.owner, { assetId: free.id });
    else {
      const [taken] = await here.deps.assets.listByPosts([here.postId]);
      await detachAsset(here.deps, here.owner, { postId: here.postId, assetId: taken!.id });
      await deleteAsset(here.deps, here.owner, { assetId: taken!.id });
    }
    assert.equal(await getOutcome(inline(here)), "ok");
    assert.equal(await getOutcome(inline(here)), "quota_exceeded");
  });

  test("200 parallel attaches of ready and of sent files against a ceiling of 20 (ASSET-10, R2)", async () => {
    const here = await scene(fixture, { assetsPerPost: 20 });
    const ready = await Promise.all(Array.from({ length: 100 }, () => inline(here)));
    const sent = await Promise.all(Array.from({ length: 100 }, () => request(here)));
    for (const assetId of sent) await here.files.put(incomingKey(assetId), picture);
    const results = await countOutcomes(
      [...ready, ...sent].map((assetId) => attachAsset(here.deps, here.owner, { postId: here.postId, assetId })),
    );
    assert.deepEqual(results, { ok: 20, asset_limit_reached: 180 });
    await assertAgree(here, fixture);
  });
});
