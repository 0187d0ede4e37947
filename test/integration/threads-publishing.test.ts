import assert from "node:assert/strict";
import { test } from "node:test";
import { threads } from "#connectors/catalog/threads.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import type { PublicPost } from "../servers/graph-media.ts";
import { startThreads } from "../servers/threads.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  assertEditedPostAppearsOnce,
  assertNeedsReconnect,
  assertPostsAreFoundAfterLostResponses,
  assertWaitsForQuota,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  usePlatform,
} from "../support/platform-publishing.ts";
import { sha256 } from "../support/stores.ts";

forOneEngine("publishing to Threads", (fixture) => {
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startThreads(clock);
    const { origin, account, accessToken } = standIn;
    const { id, username: handle } = account;
    return { platform: threads, standIn, endpoints: { api: origin }, account: { id, handle }, tokens: { accessToken } };
  });

  const describeMedia = ({ media }: PublicPost) => media.map((item) => [item.sha256, item.altText]);

  test("publishes text that ends at the limit, and links to the post (PUB-1)", async () => {
    const text = `Fog & "more" <b> 🌁 ${"é".repeat(500)}`;
    const { view, post } = await publisher.publish(Array.from(text).slice(0, 497).join(""));
    assert.deepEqual([post.url, post.media], [view.url, []]);
  });

  test("publishes an image, a video, and both in one post, with alt text (PUB-1)", async () => {
    const video = { ...(await createTestVideo()), altText: "A tour" };
    const files = [await createTestImage("A vase"), video, await createTestImage("Another vase", 300, 500)];
    const expected = files.map(({ content, altText }) => [sha256(content), altText]);
    for (const [start, end] of [
      [0, 1],
      [1, 2],
      [0, 3],
    ] as const) {
      const { post } = await publisher.publish(`Files ${start} to ${end}`, files.slice(start, end));
      assert.deepEqual(describeMedia(post), expected.slice(start, end));
    }
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the container's status shows that the post is public (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses(publisher, ({ url }) => url));

  test("after a 5xx response, the container's status shows that the post is public (PUB-2)", async () => {
    publisher.standIn.faults.failPublishResponses = 1;
    await publisher.publish("Public after all", [await createTestImage("A vase")]);
  });

  test("a container that expired before it was published is created again (PUB-2)", async () => {
    const { standIn, api } = publisher;
    const countContainers = (): number =>
      standIn.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/threads")).length;
    const containersBefore = countContainers();
    Object.assign(standIn.rateLimit, { minutes: 30 });
    standIn.faults.rateLimitedPublishes = 1;
    const id = await publisher.request("Expired once");
    await publisher.run(id);
    fixture.clock.advance(hours(25));
    const { status } = await api("POST", `/publications/${id}/reschedule`, { at: toIsoTime(fixture.clock()) });
    assert.equal(status, 200);
    await publisher.waitForState(id, "published");
    assert.deepEqual([countContainers() - containersBefore, publisher.listPosts("Expired once").length], [2, 1]);
  });

  test("a post that was edited while its publication was unconfirmed appears once (PUB-2, PUB-15)", () =>
    assertEditedPostAppearsOnce(publisher, "threads_publish"));

  test("waits while the account's quota is used up (PUB-2)", () => assertWaitsForQuota(publisher));

  test("media that Threads can't process fail the publication, and nothing is public (PUB-4)", async () => {
    publisher.standIn.faults.failProcessing = 1;
    await publisher.assertFails("media_rejected", "Not processed", [await createTestImage("A vase")]);
  });

  test("an expired token fails the publication, and the account needs to be connected again (PUB-4)", () =>
    assertNeedsReconnect(publisher));

  test("a lost commit stays unconfirmed while its account can't be asked, and appears once afterwards (PUB-2)", async () => {
    const id = await publisher.requestUnconfirmed("Not confirmed yet");
    publisher.standIn.expireAccessToken();
    for (const expectedReason of [/sign-in|connect/i, /must be connected again/]) {
      assert.equal(await publisher.publishAgain(id), 200);
      const { problem } = await publisher.waitForState(id, "unconfirmed", "failed", "published");
      assert.match(problem?.message ?? "", expectedReason);
    }
    await publisher.storeTokens({ accessToken: publisher.standIn.issueAccessToken() });
    assert.equal(await publisher.publishAgain(id), 200);
    await publisher.waitForState(id, "published", "failed");
    assert.equal(publisher.listPosts("Not confirmed yet").length, 1);
  });
});
