import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRestAPIClient, type mastodon } from "masto";
import { createPlatformSetups, platformFetchLimits } from "#connectors/catalog.ts";
import { unsealCredential } from "#domain/platforms/credentials.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { createPublicFetch } from "#lib/public-fetch.ts";
import { forOneEngine } from "../support/engines.ts";
import { startHelper, type HelperProcess } from "../support/helper-process.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { isLongRun } from "../support/long-run.ts";
import { connectMastodon } from "../support/mastodon-fixture.ts";
import { noIdentities } from "../support/platform-fixture.ts";
import { addImage, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { startSnac, type Snac } from "../support/snac.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipWithout } from "../support/find-program.ts";

/** How often the service is killed, and how often the response is lost, after the server published the status. */
const rounds = isLongRun ? 30 : 5;

forOneEngine(
  "kill -9 of the service while it publishes to a Mastodon server",
  (fixture) => {
    let snac: Snac;
    let publishing: PublishingFixture;
    let connectionId: string;
    let reader: mastodon.rest.Client;
    let service: HelperProcess;

    before(async () => {
      snac = await startSnac();
      const privateHosts = new Set([new URL(snac.instanceUrl).host]);
      const platforms = createPlatformSetups(
        {},
        createPublicFetch({ ...platformFetchLimits, privateHosts }),
        noIdentities,
      );
      publishing = await startPublishing(fixture, [], { platforms, runsWorker: false });
      connectionId = await connectMastodon(publishing, snac);
      const { deps } = publishing.service;
      const connection = await deps.platformStore.find(publishing.owner.studio.id, connectionId);
      assert.ok(connection?.credential);
      const { accessToken } = unsealCredential(deps, connection, connection.credential).tokens;
      reader = createRestAPIClient({ url: snac.instanceUrl, accessToken });
      await publishing.close();
    });
    after(async () => {
      await service?.kill();
      await snac?.stop();
    });

    async function startProcess(): Promise<void> {
      service = startHelper("publish.ts", {
        ...fixture.location,
        base: publishing.service.base,
        filesFolder: (publishing.service.deps.files as HookedFiles).root,
        timeoutCount: 0,
        leaseMs: seconds(2),
        privateHosts: [new URL(snac.instanceUrl).host],
      });
      await service.waitForLine("loaded");
      service.letRun();
      await service.waitForLine("ready");
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

    test(`${rounds} kills and ${rounds} lost responses after the status is public: each status appears once (PUB-7, B3)`, async (t) => {
      await startProcess();
      const texts: string[] = [];
      for (let round = 0; round < 2 * rounds; round++) {
        const isKill = round % 2 === 0;
        let lostCount = 0;
        snac.proxy.chooseFault = (req) =>
          req.method === "POST" && req.url === "/api/v1/statuses" && lostCount++ === 0 ? "lost" : undefined;
        snac.proxy.onLost = async () => {
          if (isKill) await service.kill();
        };
        const text = `Round ${round} of ${fixture.engine}`;
        texts.push(text);
        const publicationId = await publish(text);
        if (isKill) {
          await waitUntil(() => lostCount > 0, { timeoutMs: minutes(1), description: "the service is killed" });
          await service.exited;
          await startProcess();
        }
        await waitUntil(async () => (await findState(publicationId)) === "published", {
          timeoutMs: minutes(2),
          intervalMs: 100,
          description: "the status is found and the publication is published",
        });
      }
      const { id } = await reader.v1.accounts.verifyCredentials();
      const statuses: mastodon.v1.Status[] = [];
      for await (const page of reader.v1.accounts.$select(id).statuses.list({ limit: 40 })) {
        const knownIds = new Set(statuses.map((status) => status.id));
        const newStatuses = page.filter((status) => !knownIds.has(status.id));
        if (newStatuses.length === 0) break;
        statuses.push(...newStatuses);
      }
      assert.deepEqual(
        statuses.map(({ text }) => text).toSorted(),
        texts.toSorted(),
        "no status is lost or appears twice",
      );
      for (const { text, mediaAttachments } of statuses)
        assert.deepEqual(
          mediaAttachments.map(({ description }) => description),
          [`Image of ${text}`],
        );
      t.diagnostic(`${statuses.length} statuses, each once`);
    });
  },
  skipWithout("snac"),
);
