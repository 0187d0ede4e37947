import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { incomingKey } from "#domain/assets/keys.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { createSweeper } from "#domain/assets/sweep-assets.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { Deps } from "#domain/deps.ts";
import { hours } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { createHookedFiles } from "../support/hooked-files.ts";
import { outcome } from "../support/outcome.ts";
import { newStudio } from "../support/people.ts";
import { startHelper } from "../support/process.ts";

const base64 = Buffer.from("hello").toString("base64");

forEachEngine("asset races", (bed) => {
  test("[ASSET-10] [R2] ten rounds of 200 parallel attaches against a ceiling of 20, from two processes: exactly 20 each", async () => {
    const { deps } = bed;
    const owner = await newStudio(deps);
    const newAsset = async () =>
      (await uploadAssetInline(deps, owner, { kind: "document", mimeType: "text/plain", base64 })).assetId;
    const rounds: { postId: string; assetIds: string[] }[] = [];
    for (let round = 0; round < 10; round++) {
      const assetIds: string[] = [];
      for (let i = 0; i < 200; i++) assetIds.push(await newAsset());
      rounds.push({ postId: (await createPost(deps, owner, { title: `Round ${round}`, body: "" })).id, assetIds });
    }
    const helpers = [0, 1].map((half) =>
      startHelper("attach.ts", {
        ...bed.place,
        caller: owner,
        limit: 20,
        rounds: rounds.map(({ postId, assetIds }) => ({
          postId,
          assetIds: assetIds.slice(half * 100, half * 100 + 100),
        })),
      }),
    );
    for (const [i, { postId }] of rounds.entries()) {
      await Promise.all(helpers.map((helper) => helper.line(`ready ${i}`)));
      for (const helper of helpers) helper.go();
      const done = await Promise.all(helpers.map((helper) => helper.line(`done ${i} `)));
      const counts = done.map((line) => JSON.parse(line.slice(`done ${i} `.length)) as Record<string, number>);
      const sum = (code: string) => counts.reduce((all, one) => all + (one[code] ?? 0), 0);
      // SQLite has one writer: on a busy machine some are told that it is busy, and nothing else changes.
      const refused = sum("asset_limit_reached") + (bed.engine === "sqlite" ? sum("storage_unavailable") : 0);
      assert.deepEqual([sum("ok"), refused], [20, 180], `round ${i}`);
      const on = await deps.assets.listOnPosts([postId]);
      assert.equal(on.length, 20);
      assert.equal(new Set(on.map(({ position }) => position)).size, 20);
      assert.equal((await deps.posts.find(owner.studio.id, postId))?.assetCount, 20);
    }
    await Promise.all(helpers.map((helper) => helper.ended));
  });

  test("[R3] thousands of random changes by eight at once: counts, order, bytes and files agree afterwards", async () => {
    const files = createHookedFiles(bed.clock);
    const deps: Deps = { ...bed.deps, files, limits: { ...bed.deps.limits, assetsPerPost: 3 } };
    const owner = await newStudio(deps);
    const posts: string[] = [];
    for (let i = 0; i < 3; i++) posts.push((await createPost(deps, owner, { title: `P${i}`, body: "" })).id);
    const assets: string[] = [];
    const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;
    const seen: Record<string, number> = {};
    const deeds = [
      async () =>
        void assets.push(
          (await uploadAssetInline(deps, owner, { kind: "document", mimeType: "text/plain", base64 })).assetId,
        ),
      async () => {
        const { assetId } = await requestAssetUpload(deps, owner, { kind: "document", mimeType: "text/plain" });
        await files.put(incomingKey(assetId), Buffer.from("hello"));
        assets.push(assetId);
      },
      async () => attachAsset(deps, owner, { postId: pick(posts), assetId: pick(assets) }),
      async () => attachAsset(deps, owner, { postId: pick(posts), assetId: pick(assets) }),
      async () => attachAsset(deps, owner, { postId: pick(posts), assetId: pick(assets) }),
      async () => detachAsset(deps, owner, { postId: pick(posts), assetId: pick(assets) }),
      async () => detachAsset(deps, owner, { postId: pick(posts), assetId: pick(assets) }),
      async () => deleteAsset(deps, owner, { assetId: pick(assets) }),
      async () => {
        const postId = pick(posts);
        const order = (await deps.assets.listOnPosts([postId])).map(({ id }) => id).toReversed();
        await updatePost(deps, owner, { postId, assetIds: order });
      },
    ];
    await deeds[0]!();
    const worker = async (): Promise<void> => {
      for (let i = 0; i < 400; i++) {
        const result = await outcome(pick(deeds)());
        seen[result] = (seen[result] ?? 0) + 1;
        if (assets.length > 12) assets.splice(0, 1);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const expected = new Set([
      "ok",
      "already_attached",
      "not_attached",
      "asset_limit_reached",
      "not_found",
      "asset_in_use",
      "invalid_input",
    ]);
    assert.deepEqual(
      Object.keys(seen).filter((code) => !expected.has(code)),
      [],
    );

    bed.clock.advance(hours(3));
    await createSweeper(deps)({ pause: async () => {}, isOver: () => false });
    const rows = await bed.database.q
      .selectFrom("assets")
      .selectAll()
      .where("studio_id", "=", owner.studio.id)
      .execute();
    for (const postId of posts) {
      const on = rows.filter((row) => row.post_id === postId);
      assert.equal((await deps.posts.find(owner.studio.id, postId))?.assetCount, on.length);
      assert.ok(on.length <= 3);
    }
    assert.deepEqual(
      await files.keys(),
      rows.map((row) => row.storage_key ?? "").toSorted(),
      "every file has its record and every record its file",
    );
    assert.equal(await deps.assets.usedBytes(owner.studio.id), rows.length * 5);
  });
});
