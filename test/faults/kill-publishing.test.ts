import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { seconds } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { startHelper, type HelperProcess } from "../support/helper-process.ts";
import { isLongRun } from "../support/long-run.ts";
import { addConnections, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { png } from "../support/samples.ts";
import { createSandboxVariants, variants } from "../support/sandbox-variants.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";

const kills = isLongRun ? 200 : 20;
/** For each variant. */
const accounts = 3;

forEachEngine("kill -9 while publishing", (fixture) => {
  let publishing: PublishingFixture;
  let connectionIds: string[];
  let image: Buffer;
  before(async () => {
    const base = await findFreeBaseUrl();
    const platforms = createSandboxVariants({ base }).filter(({ platform }) => platform.id !== "sandbox");
    publishing = await startPublishing(fixture, ["harbour"], { base, platforms, runsWorker: false });
    const added = await Promise.all(variants.map((variant) => addConnections(publishing, variant, accounts)));
    connectionIds = added.flat();
    image = await png();
  });
  after(() => publishing.close());

  const startWorker = (timeouts = 1): HelperProcess =>
    startHelper("publish.ts", {
      ...fixture.location,
      base: publishing.service.base,
      file: image.toString("base64"),
      timeouts,
      leaseMs: seconds(2),
    });

  /** Publishes a new post with an image to every connection; each has its own text, because all use one account. */
  async function publishEverywhere(text: string): Promise<void> {
    const { owner, service } = publishing;
    const { deps } = service;
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: text });
    const texts = connectionIds.map((connectionId) => ({ connectionId, body: `${text} ${connectionId}` }));
    await updatePost(deps, owner, { postId, variants: texts });
    const file = { kind: "image", mimeType: "image/png", filename: "vase.png" } as const;
    const { assetId } = await uploadAssetInline(deps, owner, { ...file, base64: image.toString("base64") });
    await updateAsset(deps, owner, { assetId, altText: `Image of ${text}` });
    await attachAsset(deps, owner, { postId, assetId });
    await publishPost(deps, owner, { postId, connectionIds });
  }

  const listRows = () =>
    fixture.database.q
      .selectFrom("publications as p")
      .innerJoin("platform_connections as c", "c.id", "p.connection_id")
      .innerJoin("posts", "posts.id", "p.post_id")
      .select(["p.id", "p.state", "p.remote_id as remoteId", "c.platform", "c.id as connectionId", "posts.body"])
      .execute();

  test(`${kills} kills, lost responses, outages and timeouts: nothing is lost or published twice (PUB-7)`, async () => {
    const { q } = fixture.database;
    const countRemaining = async (name: string): Promise<number> =>
      (await q.selectFrom("sandbox_faults").select("remaining").where("name", "=", name).executeTakeFirst())
        ?.remaining ?? 0;
    const addFaults = async (): Promise<void> =>
      publishing.setFaults({
        dropResponses: (await countRemaining("dropResponses")) + 1,
        unavailableNext: (await countRemaining("unavailableNext")) + 1,
      });
    let timeouts = 0;
    let next = startWorker();
    for (let round = 0; round < kills; round++) {
      const worker = next;
      await worker.waitForLine("started");
      await publishEverywhere(`Round ${round}`);
      await addFaults();
      worker.signalStart();
      await worker.waitForLine("ready");
      next = startWorker(round + 1 < kills ? 1 : kills);
      await sleep(Math.random() * 800);
      await worker.kill();
      timeouts += worker.lines.filter((line) => line.startsWith("timeout")).length;
    }
    await next.waitForLine("started");
    await publishEverywhere("After the last kill");
    next.signalStart();
    const open = ["scheduled", "preparing", "committing"];
    await waitUntil(async () => (await listRows()).every(({ state }) => !open.includes(state)), {
      timeoutMs: 200_000,
      intervalMs: 500,
      description: "every publication is final",
    });
    await next.kill();
    timeouts += next.lines.filter((line) => line.startsWith("timeout")).length;

    const rows = await listRows();
    const posts = await publishing.listSandboxPosts();
    const counts = new Map<string, number>();
    for (const { platform, state } of rows)
      counts.set(`${platform} ${state}`, (counts.get(`${platform} ${state}`) ?? 0) + 1);
    console.log(fixture.engine, { timeouts, posts: posts.length, ...Object.fromEntries(counts) });
    assert.equal(rows.length, (kills + 1) * connectionIds.length);
    const unexpected = rows.filter(
      ({ state, platform }) => state !== "published" && !(state === "unconfirmed" && platform === "sandbox-read-back"),
    );
    assert.deepEqual(unexpected, []);
    const postsById = new Map(posts.map((post) => [post.id, post]));
    const publishedRows = rows.filter(({ state }) => state === "published");
    for (const { remoteId, body, connectionId } of publishedRows) {
      const post = postsById.get(remoteId ?? "");
      assert.equal(post?.text, `${body} ${connectionId}`);
      assert.deepEqual(post.media, [{ mimeType: "image/png", bytes: image.length, altText: `Image of ${body}` }]);
    }
    assert.equal(new Set(posts.map(({ text }) => text)).size, posts.length, "no text appears twice");
    assert.deepEqual([await countRemaining("dropResponses"), await countRemaining("unavailableNext")], [0, 0]);
    assert.ok(timeouts >= kills, `only ${timeouts} timeouts`);
  });
});
