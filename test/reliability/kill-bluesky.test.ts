import { after, before, test } from "node:test";
import { connectBluesky, createBlueskySetups } from "../support/bluesky-fixture.ts";
import { openChromium, skipWithoutChromium } from "../support/chromium.ts";
import { forOneEngine } from "../support/engines.ts";
import { assertPublishedOnce, assertThreadsOnce, createKilledPublisher } from "../support/kill-publisher.ts";
import { isLongRun } from "../support/long-run.ts";
import { startPds, skipWithoutPds, type Pds, type PdsAccount } from "../support/pds.ts";
import { startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";

/** How often the service is killed, and how often the response is lost, after the Bluesky server wrote the post. */
const rounds = isLongRun ? 30 : 5;
const threadRounds = isLongRun ? 20 : 5;

forOneEngine(
  "kill -9 of the service while it publishes to a Bluesky server",
  (fixture) => {
    let pds: Pds;
    let account: PdsAccount;
    let publishing: PublishingFixture;
    let connectionId: string;
    const publisher = createKilledPublisher(fixture);

    before(async () => {
      pds = await startPds();
      account = await pds.createAccount("ada.test");
      publishing = await startPublishing(fixture, [], { platforms: createBlueskySetups(pds), runsWorker: false });
      const chromium = await openChromium();
      connectionId = await connectBluesky(publishing, chromium, pds, account).finally(() => chromium.close());
      await publishing.close();
    });
    after(async () => {
      await publisher.kill();
      await pds?.stop();
    });

    const createTarget = () => {
      const { proxy, plc, url: pdsUrl } = pds;
      const isCommit = (_method?: string, url = ""): boolean => url.endsWith("putRecord");
      const privateHosts = [new URL(pdsUrl).host, new URL(plc.url).host];
      return { publishing, connectionId, proxy, isCommit, privateHosts, plcUrl: plc.url };
    };

    test(`${rounds} kills and ${rounds} lost responses after the post is public: each post appears once (PUB-7, B3)`, async (t) => {
      const texts = await publisher.publishPosts(createTarget(), 2 * rounds);
      const posts = await pds.readPosts(account.did);
      assertPublishedOnce(
        posts.map(({ text, images }) => ({ text, altTexts: images.map(({ alt }) => alt) })),
        texts,
      );
      t.diagnostic(`${posts.length} posts, each once`);
    });

    test(`${threadRounds} kills and ${threadRounds} lost responses at random parts of threads: each part appears once, in order (FOLLOW-1, PUB-7)`, async () => {
      const before = new Set((await pds.readPosts(account.did)).map(({ uri }) => uri));
      const texts = await publisher.publishPosts(createTarget(), 2 * threadRounds, 5);
      const posts = (await pds.readPosts(account.did)).filter(({ uri }) => !before.has(uri));
      assertThreadsOnce(
        posts.map(({ uri, text, reply }) => ({ id: uri, text, parentId: reply?.parent.uri })),
        texts,
        5,
      );
    });
  },
  skipWithoutPds || skipWithoutChromium,
);
