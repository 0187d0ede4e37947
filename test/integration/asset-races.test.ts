import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { startHelper } from "../support/helper-process.ts";

const base64 = Buffer.from("hello").toString("base64");

forEachEngine("asset races", (fixture) => {
  test("ten rounds of 200 parallel attaches against a ceiling of 20, from two processes: exactly 20 each (ASSET-10, R2)", async () => {
    const { deps } = fixture;
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
      startHelper("attach-assets.ts", {
        ...fixture.location,
        caller: owner,
        limit: 20,
        rounds: rounds.map(({ postId, assetIds }) => ({
          postId,
          assetIds: assetIds.slice(half * 100, half * 100 + 100),
        })),
      }),
    );
    for (const [i, { postId }] of rounds.entries()) {
      await Promise.all(helpers.map((helper) => helper.waitForLine(`ready ${i}`)));
      for (const helper of helpers) helper.signalStart();
      const done = await Promise.all(helpers.map((helper) => helper.waitForLine(`done ${i} `)));
      const counts = done.map((line) => JSON.parse(line.slice(`done ${i} `.length)) as Record<string, number>);
      const sum = (code: string) => counts.reduce((all, one) => all + (one[code] ?? 0), 0);
      // SQLite has one writer: on a busy machine some are told that it is busy, and nothing else changes.
      const refused = sum("asset_limit_reached") + (fixture.engine === "sqlite" ? sum("storage_unavailable") : 0);
      assert.deepEqual([sum("ok"), refused], [20, 180], `round ${i}`);
      const on = await deps.assets.listByPosts([postId]);
      assert.equal(on.length, 20);
      assert.equal(new Set(on.map(({ position }) => position)).size, 20);
      assert.equal((await deps.posts.find(owner.studio.id, postId))?.assetCount, 20);
    }
    await Promise.all(helpers.map((helper) => helper.exited));
  });

  test("a post that filled up meanwhile says nothing of an asset that went to another one (R3)", async () => {
    const deps: Deps = { ...fixture.deps, limits: { ...fixture.deps.limits, assetsPerPost: 1 } };
    const owner = await newStudio(deps);
    const [full, other] = [
      (await createPost(deps, owner, { title: "Full", body: "" })).id,
      (await createPost(deps, owner, { title: "Other", body: "" })).id,
    ];
    const send = async () =>
      (await uploadAssetInline(deps, owner, { kind: "document", mimeType: "text/plain", base64 })).assetId;
    const [moved, first] = [await send(), await send()];
    let looked = false;
    const find: Deps["assets"]["find"] = async (...args) => {
      const found = await fixture.deps.assets.find(...args);
      if (!looked) {
        looked = true;
        await attachAsset(deps, owner, { postId: other, assetId: moved });
        await attachAsset(deps, owner, { postId: full, assetId: first });
      }
      return found;
    };
    const late: Deps = { ...deps, assets: { ...deps.assets, find } };
    assert.equal(await getOutcome(attachAsset(late, owner, { postId: full, assetId: moved })), "already_attached");
  });
});
