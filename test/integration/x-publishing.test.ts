import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { x } from "#connectors/catalog/x.ts";
import { hashBytes } from "../servers/http-stand-in.ts";
import { startX, type XPost, type XStandIn } from "../servers/x/server.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  createTestImage,
  createTestVideo,
  lostResponseCount,
  startPlatformPublishing,
  type PlatformPublishing,
} from "../support/platform-publishing.ts";
import { manyFrameGif } from "../support/samples.ts";

forOneEngine("publishing to X", (fixture) => {
  let standIn: XStandIn;
  let publisher: PlatformPublishing;

  before(async () => {
    standIn = await startX();
    standIn.settings.rateLimits["POST /2/tweets"] = 1000;
    publisher = await startPlatformPublishing(fixture, {
      platform: x,
      origin: standIn.origin,
      endpoints: {
        api: standIn.origin,
        authorization: `${standIn.origin}/i/oauth2/authorize`,
        token: `${standIn.origin}/2/oauth2/token`,
      },
      account: { id: standIn.userId, handle: standIn.username },
      tokens: standIn.tokens,
    });
  });
  after(async () => {
    await publisher?.close();
    await standIn?.close();
  });

  const listPosts = (text: string): XPost[] => standIn.posts().filter((post) => post.text === text);
  const describeMedia = (text: string) =>
    listPosts(text).map(({ media }) => media.map(({ sha256, altText }) => [sha256, altText]));

  test("publishes a text of 280 weighted characters, and links to it (PUB-1)", async () => {
    const text = `${"é".repeat(198)} ${"界".repeat(27)} 👩‍👩‍👧‍👦 https://example.com/${"path/".repeat(30)}?a=1&b=2`.normalize(
      "NFC",
    );
    const { url } = await publisher.publishAndWait(text);
    const [post, ...others] = listPosts(text);
    assert.deepEqual([url, others.length], [`https://x.com/atelier/status/${post?.id}`, 0]);
  });

  test("publishes one image, and four, with alt text (PUB-1)", async () => {
    const images = await Promise.all(["One", "Two", "Three", ""].map((text) => createTestImage(text)));
    await publisher.publishAndWait("One image", images.slice(0, 1));
    await publisher.publishAndWait("", images);
    const expected = images.map(({ content, altText }) => [hashBytes(content), altText === "" ? undefined : altText]);
    assert.deepEqual(describeMedia("One image"), [expected.slice(0, 1)]);
    assert.deepEqual(describeMedia(""), [expected]);
  });

  test("publishes a video and an animated GIF in parts (PUB-1)", async () => {
    const video = await createTestVideo();
    await publisher.publishAndWait("A video", [video]);
    const gif = { kind: "image", mimeType: "image/gif", filename: "loop.gif", altText: "A loop" } as const;
    const content = manyFrameGif(3);
    await publisher.publishAndWait("A GIF", [{ ...gif, content }]);
    assert.deepEqual(describeMedia("A video"), [[[hashBytes(video.content), undefined]]]);
    assert.deepEqual(describeMedia("A GIF"), [[[hashBytes(content), "A loop"]]]);
    assert.ok(standIn.requests.filter((request) => request.endsWith("/append")).length > 2);
  });

  test("an animated GIF beside other images is sent as its first frame (PUB-1)", async () => {
    const gif = { kind: "image", mimeType: "image/gif", filename: "loop.gif", content: manyFrameGif(3) } as const;
    await publisher.publishAndWait("A GIF and an image", [gif, await createTestImage("A vase")]);
    assert.deepEqual(
      listPosts("A GIF and an image").map(({ media }) => media.map(({ mimeType }) => mimeType)),
      [["image/png", "image/jpeg"]],
    );
  });

  test("the scopes that Atelier requests are enough to publish (PLATFORM-1, PUB-1)", async () => {
    standIn.tokens.scopes = new Set();
    await publisher.connect(standIn.tokens.authorize);
    assert.deepEqual([...standIn.tokens.scopes], x.scopes);
    await publisher.publishAndWait("Connected with OAuth", [
      await createTestImage("A vase"),
      await createTestImage(""),
    ]);
    assert.equal(listPosts("Connected with OAuth").length, 1);
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the posts are found (PUB-2)`, async () => {
    const texts = Array.from(
      { length: lostResponseCount },
      (_, i) => `Lost & found <${i}>: example.com, https://a.example/b`,
    );
    standIn.faults.dropResponses = lostResponseCount;
    const ids = await Promise.all(texts.map((text) => publisher.publish(text)));
    const urls = [];
    for (const id of ids) urls.push((await publisher.waitForState(id, "published", "unconfirmed")).url);
    assert.equal(standIn.faults.dropResponses, 0);
    const posts = texts.map(listPosts);
    assert.deepEqual(
      posts.map(({ length }) => length),
      texts.map(() => 1),
    );
    assert.deepEqual(
      urls,
      posts.map(([post]) => `https://x.com/atelier/status/${post?.id}`),
    );
  });

  test("finds a post with images after a lost response, even if the timeline is stale (PUB-2)", async () => {
    standIn.faults.dropResponses = 1;
    standIn.faults.staleReads = 1;
    const images = [await createTestImage("A vase"), await createTestImage("Another vase")];
    await publisher.publishAndWait("Lost with images", images);
    assert.equal(listPosts("Lost with images").length, 1);
  });

  test("a request that never arrived is not repeated: the publication becomes unconfirmed (PUB-2)", async () => {
    standIn.faults.dropRequests = 1;
    await publisher.waitForState(await publisher.publish("Never arrived"), "unconfirmed");
    assert.equal(listPosts("Never arrived").length, 0);
  });

  test("renews an expired token, and waits until the rate limit ends (PUB-2)", async () => {
    standIn.tokens.expire();
    standIn.faults.rateLimited = 1;
    await publisher.publishAndWait("Renewed");
    assert.equal(listPosts("Renewed").length, 1);
  });

  test("a video that X can't process fails the publication, and nothing is public (PUB-4)", async () => {
    standIn.faults.failProcessing = 1;
    const id = await publisher.publish("Not processed", [await createTestVideo()]);
    const { problem } = await publisher.waitForState(id, "failed");
    assert.deepEqual([problem?.code, listPosts("Not processed").length], ["media_rejected", 0]);
  });

  test("a post that X rejects as a duplicate fails with that reason (PUB-4)", async () => {
    await publisher.publishAndWait("Good morning");
    const { problem } = await publisher.waitForState(await publisher.publish("Good morning"), "failed");
    assert.deepEqual([problem?.code, listPosts("Good morning").length], ["duplicate", 1]);
  });
});
