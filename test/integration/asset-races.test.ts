import assert from "node:assert/strict";
import { test } from "node:test";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { forEachEngine, listEngines, type EngineName } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { startHelper } from "../support/helper-process.ts";
import { isLongRun } from "../support/long-run.ts";

const [roundCount, assetCount] = isLongRun ? [10, 200] : [1, 60];
const base64 = Buffer.from("hello").toString("base64");

/** On PostgreSQL, the parallel attaches of one process have connections of their own, see asset-states.test.ts. */
const engines: readonly EngineName[] = isLongRun ? listEngines() : ["sqlite"];

forEachEngine(
  "asset races",
  (fixture) => {
    test(`exactly 20 of ${assetCount} parallel attaches from two processes succeed at a limit of 20, in every round (ASSET-10, R2)`, async () => {
      const { deps } = fixture;
      const owner = await newStudio(deps);
      const newAsset = async () =>
        (await uploadAssetInline(deps, owner, { kind: "document", mimeType: "text/plain", base64 })).assetId;
      const rounds: { postId: string; assetIds: string[] }[] = [];
      for (let round = 0; round < roundCount; round++) {
        const assetIds: string[] = [];
        for (let i = 0; i < assetCount; i++) assetIds.push(await newAsset());
        rounds.push({ postId: (await createPost(deps, owner, { title: `Round ${round}`, body: "" })).id, assetIds });
      }
      const helpers = [0, 1].map((half) =>
        startHelper("attach-assets.ts", {
          ...fixture.location,
          caller: owner,
          assetsPerPost: 20,
          rounds: rounds.map(({ postId, assetIds }) => ({
            postId,
            assetIds: assetIds.filter((_, i) => i % 2 === half),
          })),
        }),
      );
      for (const [i, { postId }] of rounds.entries()) {
        await Promise.all(helpers.map((helper) => helper.waitForLine(`ready ${i}`)));
        for (const helper of helpers) helper.letRun();
        const doneLines = await Promise.all(helpers.map((helper) => helper.waitForLine(`done ${i} `)));
        const counts = doneLines.map((line) => JSON.parse(line.slice(`done ${i} `.length)) as Record<string, number>);
        const sum = (code: string) => counts.reduce((total, outcomes) => total + (outcomes[code] ?? 0), 0);
        // On a busy machine some calls wait too long for the database. They fail without changing anything.
        const rejected = sum("asset_limit_reached") + sum("storage_unavailable");
        assert.deepEqual([sum("ok"), rejected], [20, assetCount - 20], `round ${i}`);
        const attached = await deps.assets.listByPosts([postId]);
        assert.equal(attached.length, 20);
        assert.equal(new Set(attached.map(({ position }) => position)).size, 20);
        assert.equal((await deps.posts.find(owner.studio.id, postId))?.assetCount, 20);
      }
      await Promise.all(helpers.map((helper) => helper.exited));
    });
  },
  engines,
);
