import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { instagram } from "#connectors/catalog/instagram.ts";
import { minutes } from "#lib/clock.ts";
import type { PublicPost } from "../servers/graph-media.ts";
import { startInstagram, type Instagram } from "../servers/instagram.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  assertEditedPostAppearsOnce,
  assertPostsAreFoundAfterLostResponses,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  startPlatformPublishing,
  type PlatformPublishing,
  type TestFile,
} from "../support/platform-publishing.ts";
import { sha256 } from "../support/stores.ts";
import { waitUntil } from "../support/wait-until.ts";

forOneEngine("publishing to Instagram", (fixture) => {
  let standIn: Instagram;
  let publisher: PlatformPublishing;
  let image: TestFile;

  before(async () => {
    standIn = await startInstagram();
    standIn.quotaTotal = 1000;
    image = await createTestImage("A vase");
    publisher = await startPlatformPublishing(fixture, {
      platform: instagram,
      origin: standIn.origin,
      endpoints: { api: standIn.origin },
      account: { id: standIn.account.id, handle: standIn.account.username },
      tokens: { accessToken: standIn.accessToken },
    });
  });
  after(async () => {
    await publisher?.close();
    await standIn?.close();
  });

  const listPosts = (text: string): PublicPost[] => standIn.posts().filter((post) => post.text === text);
  const describeMedia = (text: string) =>
    listPosts(text).map(({ media }) => media.map((item) => [item.sha256, item.altText]));

  const publishContainer = (containerId: string): Promise<Response> =>
    fetch(`${standIn.origin}/v25.0/${standIn.account.id}/media_publish`, {
      method: "POST",
      headers: { authorization: `Bearer ${standIn.accessToken}` },
      body: new URLSearchParams({ creation_id: containerId }),
    });

  test("publishes an image with alt text, which Instagram fetches, and links to the post (PUB-1)", async () => {
    const text = 'Fog over the harbour 🌁 "größer" #photo @someone & more';
    const { url } = await publisher.publishAndWait(text, [image]);
    assert.deepEqual(describeMedia(text), [[[sha256(image.content), "A vase"]]]);
    assert.deepEqual(
      listPosts(text).map((post) => post.url),
      [url],
    );
  });

  test("warns before an account is connected that this server has no public URL (PLATFORM-13)", async () => {
    const { api, browser, service } = publisher.publishing;
    const { body } = await api("GET", "/platforms");
    const platforms = body["platforms"] as { id: string; warning?: string }[];
    const warning = platforms.find(({ id }) => id === "instagram")?.warning ?? "";
    assert.ok(warning.includes(service.base), warning);
    const { body: link } = await api("POST", "/platforms/connect", { platform: "instagram" });
    const page = await browser.open(String(link["connectUrl"]));
    assert.match(page.text, /Instagram fetches images and videos from this server/);
  });

  test("publishes images and a video in one post, in their order, and a video as a reel (PUB-1)", async () => {
    const video = await createTestVideo();
    const files = [image, video, await createTestImage("Another vase", 700, 700)];
    await publisher.publishAndWait("A carousel", files);
    await publisher.publishAndWait("A reel", [video]);
    const expected = files.map(({ content, altText }) => [sha256(content), altText ?? null]);
    assert.deepEqual(describeMedia("A carousel"), [expected]);
    assert.deepEqual(describeMedia("A reel"), [expected.slice(1, 2)]);
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the container's status shows that the post is public (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses({ publisher, standIn, listPosts, files: [image] }));

  test("a request that never arrived is not repeated: the publication becomes unconfirmed (PUB-2)", async () => {
    standIn.faults.dropPublishRequests = 1;
    const id = await publisher.publish("Never arrived", [image]);
    await publisher.backdateLookup(id, minutes(6));
    await publisher.waitForState(id, "unconfirmed");
    assert.equal(listPosts("Never arrived").length, 0);
    await publisher.publishing.api("POST", `/publications/${id}/resolve`, { outcome: "retry" });
    const { url } = await publisher.waitForState(id, "published");
    assert.deepEqual(
      listPosts("Never arrived").map((post) => post.url),
      [url],
    );
  });

  test("a post that became public while the publication was unconfirmed is not published again (PUB-2)", async () => {
    standIn.faults.dropPublishRequests = 1;
    const id = await publisher.publish("Public later", [image, image]);
    await publisher.backdateLookup(id, minutes(6));
    await publisher.waitForState(id, "unconfirmed");
    const { service, owner, api } = publisher.publishing;
    const { progress } = (await service.deps.publications.find(owner.studio.id, id)) ?? {};
    assert.equal((await publishContainer(progress?.containerId ?? "")).status, 200);
    await api("POST", `/publications/${id}/resolve`, { outcome: "retry" });
    const { url } = await publisher.waitForState(id, "published", "unconfirmed", "failed");
    assert.deepEqual(
      listPosts("Public later").map((post) => post.url),
      [url],
    );
  });

  test("a post that was edited while its publication was unconfirmed appears once (PUB-2, PUB-15)", () =>
    assertEditedPostAppearsOnce({ publisher, standIn, listPosts, files: [image], publishContainer }));

  test("records the revision that was sent, even if the post was edited after a person published it again (PUB-2, PUB-15)", async () => {
    const { service, owner, api } = publisher.publishing;
    standIn.faults.dropPublishRequests = 1;
    const id = await publisher.publish("Sent before the edit", [image]);
    await publisher.backdateLookup(id, minutes(6));
    const { revision } = await publisher.waitForState(id, "unconfirmed");
    const { progress } = (await service.deps.publications.find(owner.studio.id, id)) ?? {};
    assert.equal((await publishContainer(progress?.containerId ?? "")).status, 200);
    const publishAgainAndEdit = async (text: string): Promise<void> => {
      await service.stopWorker();
      assert.equal(await publisher.publishAgain(id), 200);
      await publisher.editPost(id, text);
    };

    await publishAgainAndEdit("Edited once");
    const { credentialGeneration } = await publisher.findConnection();
    await service.deps.platformStore.deleteCredential(publisher.connectionId, "needs_reconnect", credentialGeneration);
    service.startWorker();
    assert.equal((await publisher.waitForState(id, "unconfirmed")).revision, revision);

    await publisher.storeTokens({ accessToken: standIn.accessToken });
    await publishAgainAndEdit("Edited twice");
    service.startWorker();
    const published = await publisher.waitForState(id, "published");
    assert.deepEqual([published.revision, listPosts("Sent before the edit").length], [revision, 1]);
    const { body } = await api("GET", `/publications/${id}`);
    const timeline = body["timeline"] as { action: string; revision: number }[];
    assert.deepEqual(
      timeline.slice(-4).map((entry) => [entry.action, entry.revision]),
      [
        ["publication.resolved", revision],
        ["publication.started", revision],
        ["publication.committed", revision],
        ["publication.published", revision],
      ],
    );
  });

  test("waits while the account's quota is used up (PUB-2)", async () => {
    standIn.quotaTotal = standIn.posts().length;
    const isQuotaRead = ({ path, status }: Instagram["requests"][number]): boolean =>
      path.endsWith("/content_publishing_limit") && status === 200;
    const countReads = (): number => standIn.requests.filter(isQuotaRead).length;
    const readsBefore = countReads();
    const id = await publisher.publish("Over the quota", [image]);
    await waitUntil(() => countReads() >= readsBefore + 2, {
      timeoutMs: 60_000,
      description: "the worker has read the quota twice",
    });
    await publisher.waitForState(id, "scheduled", "publishing");
    assert.equal(listPosts("Over the quota").length, 0);
    standIn.quotaTotal = 1000;
    await publisher.waitForState(id, "published");
    assert.equal(listPosts("Over the quota").length, 1);
  });

  test("an outage and a rate limit before the post is public are retried (PUB-2)", async () => {
    Object.assign(standIn.rateLimit, { minutes: 0 });
    standIn.faults.unavailableRequests = 1;
    standIn.faults.rateLimitedPublishes = 1;
    await publisher.publishAndWait("After an outage", [image]);
    assert.equal(listPosts("After an outage").length, 1);
  });

  test("media that Instagram can't process fail the publication, and nothing is public (PUB-4)", async () => {
    for (const files of [[image], [image, image]]) {
      standIn.faults.failProcessing = 1;
      const { problem } = await publisher.waitForState(await publisher.publish("Not processed", files), "failed");
      assert.deepEqual([problem?.code, listPosts("Not processed").length], ["media_rejected", 0]);
    }
  });

  test("an expired token fails the publication, and the account needs to be connected again (PUB-4)", async () => {
    standIn.expireAccessToken();
    const { problem } = await publisher.waitForState(await publisher.publish("Expired", [image]), "failed");
    const { state } = await publisher.findConnection();
    assert.deepEqual([problem?.code, state, listPosts("Expired").length], ["connect_expired", "needs_reconnect", 0]);
    await publisher.storeTokens({ accessToken: standIn.issueAccessToken() });
    await publisher.publishAndWait("Connected again", [image]);
  });
});
