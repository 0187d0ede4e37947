import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { threads } from "#connectors/catalog/threads.ts";
import { hours, minutes } from "#lib/clock.ts";
import type { PublicPost } from "../servers/graph-media.ts";
import { startThreads, type Threads } from "../servers/threads.ts";
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

forOneEngine("publishing to Threads", (fixture) => {
  let standIn: Threads;
  let publisher: PlatformPublishing;
  let image: TestFile;

  before(async () => {
    standIn = await startThreads();
    standIn.quotaTotal = 1000;
    image = await createTestImage("A vase");
    publisher = await startPlatformPublishing(fixture, {
      platform: threads,
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

  test("publishes text that ends at the limit, and links to the post (PUB-1)", async () => {
    const text = `Fog & "more" <b> 🌁 ${"é".repeat(500)}`;
    const longestText = Array.from(text).slice(0, 497).join("");
    const { url } = await publisher.publishAndWait(longestText);
    assert.deepEqual(
      listPosts(longestText).map((post) => [post.url, post.media]),
      [[url, []]],
    );
  });

  test("publishes an image, a video, and both in one post, with alt text (PUB-1)", async () => {
    const video = { ...(await createTestVideo()), altText: "A tour" };
    const files = [image, video, await createTestImage("Another vase", 300, 500)];
    await publisher.publishAndWait("An image", [image]);
    await publisher.publishAndWait("A video", [video]);
    await publisher.publishAndWait("A carousel", files);
    const expected = files.map(({ content, altText }) => [sha256(content), altText]);
    assert.deepEqual(describeMedia("An image"), [expected.slice(0, 1)]);
    assert.deepEqual(describeMedia("A video"), [expected.slice(1, 2)]);
    assert.deepEqual(describeMedia("A carousel"), [expected]);
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the container's status shows that the post is public (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses({ publisher, standIn, listPosts }));

  test("after a 5xx response, the container's status shows that the post is public (PUB-2)", async () => {
    standIn.faults.failPublishResponses = 1;
    await publisher.publishAndWait("Public after all", [image]);
    assert.equal(listPosts("Public after all").length, 1);
  });

  test("a container that expired before it was published is created again (PUB-2)", async () => {
    const countContainers = (): number =>
      standIn.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/threads")).length;
    const containersBefore = countContainers();
    Object.assign(standIn.rateLimit, { minutes: 30 });
    standIn.faults.rateLimitedPublishes = 1;
    const id = await publisher.publish("Expired once");
    await waitUntil(() => standIn.faults.rateLimitedPublishes === 0, {
      timeoutMs: 60_000,
      description: "Threads has rejected a publish request",
    });
    await publisher.waitForState(id, "scheduled");
    standIn.advanceTime(hours(25));
    const { api } = publisher.publishing;
    const { status } = await api("POST", `/publications/${id}/reschedule`, { at: new Date().toISOString() });
    assert.equal(status, 200);
    await publisher.waitForState(id, "published");
    assert.deepEqual([countContainers() - containersBefore, listPosts("Expired once").length], [2, 1]);
  });

  test("a post that was edited while its publication was unconfirmed appears once (PUB-2, PUB-15)", () => {
    const publishContainer = (containerId: string): Promise<Response> =>
      fetch(`${standIn.origin}/v1.0/${standIn.account.id}/threads_publish`, {
        method: "POST",
        headers: { authorization: `Bearer ${standIn.accessToken}` },
        body: new URLSearchParams({ creation_id: containerId }),
      });
    return assertEditedPostAppearsOnce({ publisher, standIn, listPosts, publishContainer });
  });

  test("waits while the account's quota is used up (PUB-2)", async () => {
    standIn.quotaTotal = 0;
    const countReads = (): number =>
      standIn.requests.filter(({ path }) => path.endsWith("/threads_publishing_limit")).length;
    const readsBefore = countReads();
    const id = await publisher.publish("Over the quota");
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

  test("media that Threads can't process fail the publication, and nothing is public (PUB-4)", async () => {
    standIn.faults.failProcessing = 1;
    const { problem } = await publisher.waitForState(await publisher.publish("Not processed", [image]), "failed");
    assert.deepEqual([problem?.code, listPosts("Not processed").length], ["media_rejected", 0]);
  });

  test("an expired token fails the publication, and the account needs to be connected again (PUB-4)", async () => {
    standIn.expireAccessToken();
    const { problem } = await publisher.waitForState(await publisher.publish("Expired"), "failed");
    const { state } = await publisher.findConnection();
    assert.deepEqual([problem?.code, state, listPosts("Expired").length], ["connect_expired", "needs_reconnect", 0]);
    await publisher.storeTokens({ accessToken: standIn.issueAccessToken() });
    await publisher.publishAndWait("Connected again");
  });

  test("a lost commit stays unconfirmed while its account can't be asked, and appears once afterwards (PUB-2)", async () => {
    standIn.faults.dropPublishRequests = 1;
    const id = await publisher.publish("Not confirmed yet");
    await publisher.backdateLookup(id, minutes(6));
    await publisher.waitForState(id, "unconfirmed");
    standIn.expireAccessToken();
    for (const expectedReason of [/sign-in|connect/i, /must be connected again/]) {
      assert.equal(await publisher.publishAgain(id), 200);
      const { problem } = await publisher.waitForState(id, "unconfirmed", "failed", "published");
      assert.match(problem?.message ?? "", expectedReason);
    }
    await publisher.storeTokens({ accessToken: standIn.issueAccessToken() });
    assert.equal(await publisher.publishAgain(id), 200);
    await publisher.waitForState(id, "published", "failed");
    assert.equal(listPosts("Not confirmed yet").length, 1);
  });
});
