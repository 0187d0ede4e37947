import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { connectBluesky, createBlueskySetups } from "../support/bluesky-fixture.ts";
import { openChromium, skipWithoutChromium } from "../support/chromium.ts";
import { forOneEngine, type Fixture } from "../support/engines.ts";
import { startHelper, type HelperProcess } from "../support/helper-process.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { isLongRun } from "../support/long-run.ts";
import { startPds, skipWithoutPds, type Pds, type PdsAccount } from "../support/pds.ts";
import { addImage, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";

/** How often the service is killed, and how often the response is lost, after the Bluesky server wrote the post. */
const rounds = isLongRun ? 30 : 5;
const skip = skipWithoutPds || skipWithoutChromium;

function defineTests(fixture: Fixture): void {
  let pds: Pds;
  let account: PdsAccount;
  let publishing: PublishingFixture;
  let connectionId: string;
  let service: HelperProcess | undefined;

  before(async () => {
    pds = await startPds();
    account = await pds.createAccount("ada.test");
    publishing = await startPublishing(fixture, [], { platforms: createBlueskySetups(pds), runsWorker: false });
    const chromium = await openChromium();
    connectionId = await connectBluesky(publishing, chromium, pds, account).finally(() => chromium.close());
    await publishing.close();
  });
  after(async () => {
    await service?.kill();
    await pds?.stop();
  });

  async function startProcess(): Promise<HelperProcess> {
    const process = startHelper("publish.ts", {
      ...fixture.location,
      base: publishing.service.base,
      filesFolder: (publishing.service.deps.files as HookedFiles).root,
      timeoutCount: 0,
      leaseMs: seconds(2),
      privateHosts: [new URL(pds.url).host, new URL(pds.plc.url).host],
      plcUrl: pds.plc.url,
    });
    await process.waitForLine("loaded");
    process.letRun();
    await process.waitForLine("ready");
    return process;
  }

  async function publish(text: string): Promise<string> {
    const { owner, service: fixtureService } = publishing;
    const { deps } = fixtureService;
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: text });
    await addImage(publishing, postId, `Image of ${text}`);
    const { publications } = await publishPost(deps, owner, { postId, connectionIds: [connectionId] });
    return publications[0]?.id ?? "";
  }

  const findState = async (publicationId: string): Promise<string | undefined> =>
    (await publishing.service.deps.publications.find(publishing.owner.studio.id, publicationId))?.state;

  test(`${rounds} kills and ${rounds} lost responses after the post is public: each post appears once (PUB-7, B3)`, async (t) => {
    service = await startProcess();
    const texts: string[] = [];
    for (let round = 0; round < 2 * rounds; round++) {
      const isKill = round % 2 === 0;
      const runningService = service;
      let writeCount = 0;
      pds.proxy.chooseFault = ({ url }) => (url?.endsWith("putRecord") && writeCount++ === 0 ? "lost" : undefined);
      pds.proxy.onLost = async () => {
        if (isKill) await runningService.kill();
      };
      const text = `Round ${round} of ${fixture.engine}`;
      texts.push(text);
      const publicationId = await publish(text);
      if (isKill) {
        await waitUntil(() => writeCount > 0, { timeoutMs: minutes(1), description: "the service is killed" });
        await runningService.exited;
        service = await startProcess();
      }
      await waitUntil(async () => (await findState(publicationId)) === "published", {
        timeoutMs: minutes(2),
        intervalMs: 100,
        description: "the record is written again and the publication is published",
      });
    }
    const posts = await pds.readPosts(account.did);
    assert.deepEqual(posts.map(({ text }) => text).toSorted(), texts.toSorted(), "no post is lost or appears twice");
    for (const { text, images } of posts)
      assert.deepEqual(
        images.map(({ alt }) => alt),
        [`Image of ${text}`],
      );
    t.diagnostic(`${posts.length} posts, each once`);
  });
}

forOneEngine("kill -9 of the service while it publishes to a Bluesky server", defineTests, skip);
