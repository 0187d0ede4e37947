import assert from "node:assert/strict";
import { test } from "node:test";
import { x } from "#connectors/x/connect.ts";
import { readDueResults } from "#domain/jobs/read-results.ts";
import { hours } from "#lib/clock.ts";
import { hashBytes } from "../servers/http-stand-in.ts";
import { startX, type XPost } from "../servers/x/server.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  assertPostsAreFoundAfterLostResponses,
  createTestGif,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  usePlatform,
} from "../support/platform-publishing.ts";

forOneEngine("publishing to X", (fixture) => {
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startX(clock);
    const { origin, userId, username, tokens } = standIn;
    return {
      platform: x,
      standIn,
      endpoints: { api: origin, authorization: `${origin}/i/oauth2/authorize`, token: `${origin}/2/oauth2/token` },
      account: { id: userId, handle: username },
      tokens,
    };
  });

  const describeMedia = ({ media }: XPost) => media.map(({ sha256, altText }) => [sha256, altText]);
  const toUrl = ({ id }: XPost): string => `https://x.com/atelier/status/${id}`;

  test("publishes a text of 280 weighted characters, and links to it (PUB-1)", async () => {
    const text = `${"é".repeat(198)} ${"界".repeat(27)} 👩‍👩‍👧‍👦 https://example.com/${"path/".repeat(30)}?a=1&b=2`.normalize(
      "NFC",
    );
    const { view, post } = await publisher.publish(text);
    assert.equal(view.url, toUrl(post));
  });

  test("publishes one image, and four, with alt text, with the scopes that Atelier requests (PLATFORM-1, PUB-1)", async () => {
    const { tokens } = publisher.standIn;
    tokens.scopes = new Set();
    await publisher.connect(tokens.authorize);
    assert.deepEqual([...tokens.scopes], x.scopes);
    const images = await Promise.all(["One", "Two", "Three", ""].map((text) => createTestImage(text)));
    const expected = images.map(({ content, altText }) => [hashBytes(content), altText === "" ? undefined : altText]);
    const { post } = await publisher.publish("One image", images.slice(0, 1));
    const { post: postWithoutText } = await publisher.publish("", images);
    assert.deepEqual([describeMedia(post), describeMedia(postWithoutText)], [expected.slice(0, 1), expected]);
  });

  test("publishes a video and an animated GIF in parts, and a GIF beside other images as its first frame (PUB-1)", async () => {
    const [video, gif] = [await createTestVideo(), createTestGif("A loop")];
    const { post: videoPost } = await publisher.publish("A video", [video]);
    const { post: gifPost } = await publisher.publish("A GIF", [gif]);
    assert.deepEqual(describeMedia(videoPost), [[hashBytes(video.content), undefined]]);
    assert.deepEqual(describeMedia(gifPost), [[hashBytes(gif.content), "A loop"]]);
    assert.ok(publisher.standIn.requests.filter((request) => request.endsWith("/append")).length > 2);
    const { post } = await publisher.publish("A GIF and an image", [gif, await createTestImage("A vase")]);
    assert.deepEqual(
      post.media.map(({ mimeType }) => mimeType),
      ["image/png", "image/jpeg"],
    );
  });

  test("sends who can reply and whether AI made the post, and neither by default (OPTION-6)", async () => {
    const { post } = await publisher.publish("Who can reply", [], {
      replies: "verified",
      madeWithAi: true,
    });
    assert.deepEqual(post.settings, { reply_settings: "verified", made_with_ai: true });
    const { post: plain } = await publisher.publish("Everyone", [], { replies: "everyone" });
    assert.deepEqual(plain.settings, {});
  });

  /** Publishes a thread of three parts, and asserts that each part is public once and replies to the one before. */
  async function publishThread(text: string): Promise<XPost[]> {
    const followUps = [`${text} & <2> example.com`, `${text}, 3`];
    const options = { replies: "following", madeWithAi: true };
    const { view } = await publisher.publish(text, [], options, followUps);
    assert.equal(view.problem, null);
    const parts = [text, ...followUps].map((part) => publisher.listPosts(part));
    assert.deepEqual(
      parts.map((posts) => posts.map(({ replyTo }) => replyTo)),
      [[null], [parts[0]?.[0]?.id], [parts[1]?.[0]?.id]],
    );
    return parts.flat();
  }

  test("publishes a thread whose first post says who can reply (FOLLOW-1, OPTION-6)", async () => {
    const settings = (await publishThread("A thread")).map((post) => post.settings);
    const label = { made_with_ai: true };
    assert.deepEqual(settings, [{ ...label, reply_settings: "following" }, label, label]);
  });

  test("finds the parts of a thread whose responses are lost, in a timeline that shows them late (FOLLOW-1, PUB-2)", async () => {
    Object.assign(publisher.standIn.faults, { dropPublishResponses: 3, staleReads: 1 });
    await publishThread("A lost thread");
    assert.equal(publisher.standIn.faults.dropPublishResponses, 0);
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the posts are found (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses(publisher, toUrl));

  test("finds a post with images after a lost response, even if the timeline is stale (PUB-2)", async () => {
    publisher.standIn.faults.dropPublishResponses = 1;
    publisher.standIn.faults.staleReads = 1;
    const image = await createTestImage("A vase");
    await publisher.publish("Lost with images", [image, image]);
  });

  test("a request that never arrived is not repeated: the publication becomes unconfirmed (PUB-2)", async () => {
    await publisher.requestUnconfirmed("Never arrived");
  });

  test("renews an expired token, and waits until the rate limit ends (PUB-2)", async () => {
    publisher.standIn.tokens.expire();
    publisher.standIn.faults.rateLimitedPublishes = 1;
    await publisher.publish("Renewed");
  });

  test("a video that X can't process, and a duplicate, fail with a reason (PUB-4)", async () => {
    publisher.standIn.faults.failProcessing = 1;
    await publisher.assertFails("media_rejected", "Not processed", [await createTestVideo()]);
    await publisher.publish("Good morning");
    const id = await publisher.request("Good morning");
    const { problem } = await publisher.waitForState(id, "failed", "published");
    assert.deepEqual([problem?.code, publisher.listPosts("Good morning").length], ["duplicate", 1]);
  });

  test("reads the results of all posts with one request, at the four ages that the costs allow (RES-1, RES-2)", async () => {
    const { standIn, service } = publisher;
    const { view, post } = await publisher.publish("With results");
    const { view: deletedView, post: deletedPost } = await publisher.publish("Deleted later");
    standIn.setMetrics(post.id, { like_count: 3, impression_count: 120 });
    standIn.deletePost(deletedPost.id);
    const publishedAt = fixture.clock();
    const readAt = async (age: number): Promise<number> => {
      fixture.clock.advance(publishedAt + hours(age) - fixture.clock());
      const requestsBefore = standIn.requests.length;
      await readDueResults(service.deps, { pause: async () => {}, shouldStop: () => false });
      return standIn.requests.slice(requestsBefore).filter((request) => request.startsWith("GET /2/tweets?ids="))
        .length;
    };
    const requests: number[] = [];
    for (const age of [1, 6, 23, 24, 72, 168, 336, 695, 696, 2160]) requests.push(await readAt(age));
    assert.deepEqual(requests, [0, 0, 0, 1, 1, 1, 0, 0, 1, 0]);
    const snapshots = await service.deps.results.list(view.id, 100);
    assert.deepEqual(
      snapshots.map(({ dueAge }) => dueAge),
      [696, 168, 72, 24],
    );
    const { metrics = {} } = snapshots[0] ?? {};
    assert.deepEqual(
      Object.values(metrics).map(({ source, value }) => [source, value]),
      [
        ["like_count", 3],
        ["reply_count", 0],
        ["retweet_count", 0],
        ["quote_count", 0],
        ["bookmark_count", 0],
        ["impression_count", 120],
      ],
    );
    const [deleted] = await service.deps.results.list(deletedView.id, 1);
    assert.deepEqual(deleted?.metrics["likes"], { source: "like_count", value: null, reason: "deleted" });
  });
});
