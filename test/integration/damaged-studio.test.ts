import assert from "node:assert/strict";
import { test } from "node:test";
import { createAssetSweeper, sweepUploads } from "#domain/jobs/sweep-files.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { hours } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import { createLinkFixture, type LinkFixture } from "../support/link-fixture.ts";

forEachEngine("a studio whose quota can't be released", (fixture) => {
  const setUsedBytes = ({ owner }: LinkFixture, bytes: number) =>
    fixture.database.q.updateTable("studios").set({ usedBytes: bytes }).where("id", "=", owner.studio.id).execute();

  /** Starts uploads in a damaged studio, and later in another one. Returns a function that lists which still exist. */
  async function startUploads() {
    const damaged = await createLinkFixture(fixture, undefined);
    const files = [await damaged.start("a.pdf", 10), await damaged.start("b.pdf", 10)];
    fixture.clock.advance(1);
    const other = await createLinkFixture(fixture, undefined);
    files.push(await other.start("c.pdf", 10));
    const listFilenames = async () =>
      (await fixture.deps.assets.findInAllStudios(files.map(({ file }) => file.id)))
        .map((asset) => files.find(({ file }) => file.id === asset.id)?.file.filename)
        .toSorted();
    return { damaged, other, listFilenames };
  }

  test("does not prevent the deletion of expired uploads of others (ASSET-20, U17)", async () => {
    const { damaged, listFilenames } = await startUploads();
    const sweep = () => createAssetSweeper(damaged.deps)(untilDone);
    await setUsedBytes(damaged, 0);
    fixture.clock.advance(hours(26));
    await assert.rejects(sweep(), /CHECK|check/);
    assert.deepEqual(await listFilenames(), ["a.pdf", "b.pdf"]);
    await setUsedBytes(damaged, 20);
    await sweep();
    assert.deepEqual(await listFilenames(), []);
  });

  test("does not prevent the deletion of uploads of invalid links of others (UPLOAD-1, U17)", async () => {
    const { damaged, other, listFilenames } = await startUploads();
    for (const { deps, owner, postId } of [damaged, other])
      await updatePost(deps, owner, { postId, status: "archived" });
    await setUsedBytes(damaged, 0);
    await assert.rejects(sweepUploads(damaged.deps, untilDone), /CHECK|check/);
    assert.deepEqual(await listFilenames(), ["a.pdf", "b.pdf"]);
    await setUsedBytes(damaged, 20);
    await sweepUploads(damaged.deps, untilDone);
    assert.deepEqual(await listFilenames(), []);
  });
});
