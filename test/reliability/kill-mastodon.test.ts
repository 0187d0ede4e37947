import { after, before, test } from "node:test";
import type { mastodon } from "masto";
import { forOneEngine } from "../support/engines.ts";
import { assertPublishedOnce, assertThreadsOnce, createKilledPublisher } from "../support/kill-publisher.ts";
import { isLongRun } from "../support/long-run.ts";
import { connectMastodon, createMastodonReader, createMastodonSetups } from "../support/mastodon-fixture.ts";
import { startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { startSnac, type Snac } from "../support/snac.ts";
import { skipWithout } from "../support/find-program.ts";

/** How often the service is killed, and how often the response is lost, after the server published the status. */
const rounds = isLongRun ? 30 : 5;
const threadRounds = isLongRun ? 20 : 5;

forOneEngine(
  "kill -9 of the service while it publishes to a Mastodon server",
  (fixture) => {
    let snac: Snac;
    let publishing: PublishingFixture;
    let connectionId: string;
    let reader: mastodon.rest.Client;
    const publisher = createKilledPublisher(fixture);

    before(async () => {
      snac = await startSnac();
      publishing = await startPublishing(fixture, [], { platforms: createMastodonSetups(snac), runsWorker: false });
      connectionId = await connectMastodon(publishing, snac);
      reader = await createMastodonReader(publishing, snac, connectionId);
      await publishing.close();
    });
    after(async () => {
      await publisher.kill();
      await snac?.stop();
    });

    const createTarget = () => {
      const { proxy, instanceUrl } = snac;
      const isCommit = (method?: string, url?: string): boolean => method === "POST" && url === "/api/v1/statuses";
      return { publishing, connectionId, proxy, isCommit, privateHosts: [new URL(instanceUrl).host] };
    };

    async function readStatuses(): Promise<mastodon.v1.Status[]> {
      const { id } = await reader.v1.accounts.verifyCredentials();
      const statuses: mastodon.v1.Status[] = [];
      for await (const page of reader.v1.accounts.$select(id).statuses.list({ limit: 40 })) {
        const knownIds = new Set(statuses.map((status) => status.id));
        const newStatuses = page.filter((status) => !knownIds.has(status.id));
        if (newStatuses.length === 0) break;
        statuses.push(...newStatuses);
      }
      return statuses;
    }

    test(`${rounds} kills and ${rounds} lost responses after the status is public: each status appears once (PUB-7, B3)`, async (t) => {
      const texts = await publisher.publishPosts(createTarget(), 2 * rounds);
      const statuses = await readStatuses();
      assertPublishedOnce(
        statuses.map(({ text, mediaAttachments }) => ({
          text,
          altTexts: mediaAttachments.map(({ description }) => description),
        })),
        texts,
      );
      t.diagnostic(`${statuses.length} statuses, each once`);
    });

    test(`${threadRounds} kills and ${threadRounds} lost responses at random parts of threads: each part appears once, in order (FOLLOW-1, PUB-7)`, async () => {
      const before = new Set((await readStatuses()).map(({ id }) => id));
      const texts = await publisher.publishPosts(createTarget(), 2 * threadRounds, 5);
      const statuses = (await readStatuses()).filter(({ id }) => !before.has(id));
      assertThreadsOnce(
        statuses.map(({ id, text, inReplyToId }) => ({ id, text, parentId: inReplyToId })),
        texts,
        5,
      );
    });
  },
  skipWithout("snac"),
);
