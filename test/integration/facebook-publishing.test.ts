import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { facebook } from "#connectors/catalog/facebook.ts";
import { hours, minutes } from "#lib/clock.ts";
import { startFacebook, type Facebook, type FacebookPost } from "../servers/facebook.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  assertPostsAreFoundAfterLostResponses,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  startPlatformPublishing,
  type PlatformPublishing,
} from "../support/platform-publishing.ts";
import { manyFrameGif } from "../support/samples.ts";
import { sha256 } from "../support/stores.ts";
import { waitUntil } from "../support/wait-until.ts";

forOneEngine("publishing to Facebook Pages", (fixture) => {
  let standIn: Facebook;
  let publisher: PlatformPublishing;

  before(async () => {
    standIn = await startFacebook();
    publisher = await startPlatformPublishing(fixture, {
      platform: facebook,
      origin: standIn.origin,
      endpoints: { api: `${standIn.origin}/v25.0` },
      account: { id: standIn.page.id },
      tokens: { accessToken: standIn.accessToken },
    });
  });
  after(async () => {
    await publisher?.close();
    await standIn?.close();
  });

  const listPosts = (text: string): FacebookPost[] => standIn.posts().filter((post) => post.text === text);

  test("publishes text, and links to the post (PUB-1)", async () => {
    const text = "Fog over the harbour 🌁\n\nSee https://example.com/a?b=c&d=e";
    const { url } = await publisher.publishAndWait(text);
    assert.deepEqual(
      listPosts(text).map((post) => [post.url, post.media]),
      [[url, []]],
    );
  });

  test("publishes one image, and several, with alt text (PUB-1)", async () => {
    const images = [await createTestImage("A vase"), await createTestImage('A "blue" vase – größer', 300, 400)];
    await publisher.publishAndWait("One image", images.slice(0, 1));
    await publisher.publishAndWait("Two images", images);
    const expected = images.map(({ content, altText }) => [sha256(content), altText]);
    const describeMedia = (text: string) =>
      listPosts(text).map(({ media }) => media.map((item) => [item.sha256, item.altText]));
    assert.deepEqual(describeMedia("One image"), [expected.slice(0, 1)]);
    assert.deepEqual(describeMedia("Two images"), [expected]);
  });

  test("publishes a video, which Facebook fetches from a signed URL (PUB-1)", async () => {
    const video = await createTestVideo();
    const { id, url } = await publisher.publishAndWait("A video", [video]);
    assert.deepEqual(
      listPosts("A video").map(({ media }) => media.map((item) => [item.mimeType, item.sha256])),
      [[["video/mp4", sha256(video.content)]]],
    );
    assert.match(url ?? "", /^https:\/\/www\.facebook\.com\/\d+$/);
    // The id of the feed, so that a later lookup does not mistake this post for that of another publication.
    const [post] = listPosts("A video");
    const { service, owner } = publisher.publishing;
    const publication = await service.deps.publications.find(owner.studio.id, id);
    assert.equal(publication?.remoteId, post?.id);
  });

  test("a video is published only when Facebook has processed it (PUB-1)", async () => {
    standIn.processingPolls = 3;
    const countReads = (): number =>
      standIn.requests.filter(({ method, path }) => method === "GET" && /\/\d+$/.test(path)).length;
    const reads = countReads();
    await publisher.publishAndWait("Processed later", [await createTestVideo()]);
    standIn.processingPolls = 1;
    assert.ok(countReads() - reads >= 4);
    assert.equal(listPosts("Processed later").length, 1);
  });

  test("a video that Facebook accepts but can't process fails the publication, and nothing is public (PUB-4)", async () => {
    standIn.faults.failProcessing = 1;
    const { problem } = await publisher.waitForState(
      await publisher.publish("Not processed", [await createTestVideo()]),
      "failed",
      "published",
    );
    assert.deepEqual([problem?.code, listPosts("Not processed").length], ["media_rejected", 0]);
  });

  test("a video appears once if a person publishes it again while Facebook still processes it (PUB-2)", async () => {
    standIn.processingPolls = 1000;
    const id = await publisher.publish("Processed slowly", [await createTestVideo()]);
    await publisher.backdateLookup(id, 0);
    standIn.expireAccessToken();
    await publisher.waitForState(id, "unconfirmed");
    await publisher.storeTokens({ accessToken: standIn.issueAccessToken() });
    await publisher.publishing.api("POST", `/publications/${id}/resolve`, { outcome: "retry" });
    await publisher.backdateLookup(id, 0);
    await publisher.waitForState(id, "publishing");
    standIn.finishProcessing();
    await publisher.waitForState(id, "published");
    standIn.processingPolls = 1;
    assert.equal(listPosts("Processed slowly").length, 1);
  });

  test("a video whose text was edited while Facebook processed it appears once, edited only if processing failed (PUB-2)", async () => {
    for (const hasFailed of [false, true]) {
      const texts = [`Processed ${!hasFailed}`, `Edited ${hasFailed}`] as const;
      standIn.processingPolls = 1000;
      const id = await publisher.publish(texts[0], [await createTestVideo()]);
      await publisher.backdateLookup(id, 0);
      standIn.expireAccessToken();
      await publisher.waitForState(id, "unconfirmed");
      await publisher.storeTokens({ accessToken: standIn.issueAccessToken() });
      await publisher.editPost(id, texts[1]);
      standIn.processingPolls = 1;
      if (hasFailed) standIn.failVideos();
      else standIn.finishProcessing();
      assert.equal(await publisher.publishAgain(id), 200);
      await publisher.waitForState(id, "published", "failed");
      assert.deepEqual(
        texts.map((text) => listPosts(text).length),
        hasFailed ? [0, 1] : [1, 0],
      );
    }
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the posts are found (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses({ publisher, standIn, listPosts }));

  test("finds posts with images or a video after lost responses (PUB-2)", async () => {
    const images = [await createTestImage("A vase"), await createTestImage("Another vase")];
    for (const files of [images.slice(0, 1), images, [await createTestVideo()]]) {
      const text = `Lost with ${files.length} ${files[0]?.kind}`;
      standIn.faults.failPublishResponses = 1;
      await publisher.publishAndWait(text, files);
      assert.equal(listPosts(text).length, 1);
    }
  });

  test("after a lost response, keeps looking for a video for minutes, because Facebook may still fetch it (PUB-2)", async () => {
    const countReads = (): number =>
      standIn.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/feed")).length;
    standIn.faults.dropPublishRequests = 1;
    const id = await publisher.publish("Still fetched", [await createTestVideo()]);
    await publisher.backdateLookup(id, minutes(10));
    const reads = countReads();
    await waitUntil(() => countReads() >= reads + 3, { timeoutMs: 60_000 });
    await publisher.waitForState(id, "publishing");
    await publisher.backdateLookup(id, minutes(20));
    const { problem } = await publisher.waitForState(id, "unconfirmed");
    assert.match(problem?.message ?? "", /may still be processing/);
    assert.equal(listPosts("Still fetched").length, 0);
  });

  test("does not mistake an older post with the same text for one whose response was lost (PUB-2)", async () => {
    standIn.rejectsDuplicates = false;
    const first = await publisher.publishAndWait("Good morning");
    standIn.faults.dropPublishResponses = 1;
    const second = await publisher.publishAndWait("Good morning");
    assert.notEqual(second.url, first.url);
    assert.equal(listPosts("Good morning").length, 2);
    standIn.rejectsDuplicates = true;
  });

  test("does not mistake a visitor's post with the same text for one whose response was lost (PUB-2)", async () => {
    standIn.faults.dropPublishRequests = 1;
    const id = await publisher.publish("Happy birthday");
    await waitUntil(() => standIn.faults.dropPublishRequests === 0);
    standIn.addVisitorPost("Happy birthday");
    await publisher.backdateLookup(id, minutes(1));
    const { problem, url } = await publisher.waitForState(id, "published", "unconfirmed");
    assert.deepEqual([problem?.code, url], ["unconfirmed", null]);
  });

  test("waits until the rate limit ends, although Facebook reports it with an error status (PUB-2)", async () => {
    Object.assign(standIn.rateLimit, { minutes: 0 });
    standIn.faults.rateLimitedRequests = 1;
    standIn.faults.rateLimitedPublishes = 1;
    await publisher.publishAndWait("Limited at first", [await createTestImage("A vase")]);
    assert.equal(listPosts("Limited at first").length, 1);
  });

  test("a rate limit of more than an hour fails the publication at once, with a reason that says how long the limit lasts (PUB-4)", async () => {
    Object.assign(standIn.rateLimit, { minutes: 90 });
    standIn.faults.rateLimitedPublishes = 1;
    const requestedAt = Date.now();
    const { problem } = await publisher.waitForState(await publisher.publish("Limited for long"), "failed");
    const [, time = ""] = /^The platform asks to wait until (\S+), and Atelier/.exec(problem?.message ?? "") ?? [];
    assert.equal(problem?.code, "platform_unavailable");
    // The database's clock may differ by milliseconds.
    const waitMs = Date.parse(time) - requestedAt;
    assert.ok(waitMs > minutes(90) - 1000 && waitMs < minutes(91), problem?.message);
    assert.equal(listPosts("Limited for long").length, 0);
  });

  test("uploads images again if the publication is rescheduled to a time shortly before they expire (PUB-2)", async () => {
    const { service, owner, api } = publisher.publishing;
    const { publications } = service.deps;
    Object.assign(standIn.rateLimit, { minutes: 30 });
    standIn.faults.rateLimitedPublishes = 1;
    const id = await publisher.publish("Moved to another day", [await createTestImage("A vase")]);
    await waitUntil(() => standIn.faults.rateLimitedPublishes === 0, { timeoutMs: 60_000 });
    await publisher.waitForState(id, "scheduled");
    const { progress } = (await publications.find(owner.studio.id, id)) ?? {};
    assert.equal(Object.keys(progress?.mediaIds ?? {}).length, 1);
    const countUploads = () =>
      standIn.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/photos")).length;
    const uploadsBefore = countUploads();
    const uploadedSince = (await publications.getTime()) - hours(21);
    await publications.update(id, { progress: { ...progress!, uploadedSince } }, { states: ["scheduled"] });
    standIn.advanceTime(hours(21));
    const { status } = await api("POST", `/publications/${id}/reschedule`, { at: new Date().toISOString() });
    assert.equal(status, 200);
    const { problem } = await publisher.waitForState(id, "published", "failed");
    assert.deepEqual([problem, listPosts("Moved to another day").length], [null, 1]);
    assert.equal(countUploads() - uploadsBefore, 1);
  });

  test("an image that Facebook rejects, and a duplicate, fail with a reason (PUB-4)", async () => {
    standIn.faults.failProcessing = 1;
    const rejected = await publisher.waitForState(
      await publisher.publish("Unsuitable", [await createTestImage("A vase")]),
      "failed",
    );
    assert.deepEqual([rejected.problem?.code, listPosts("Unsuitable").length], ["media_rejected", 0]);
    await publisher.publishAndWait("Good evening");
    const duplicate = await publisher.waitForState(await publisher.publish("Good evening"), "failed");
    assert.deepEqual([duplicate.problem?.code, listPosts("Good evening").length], ["duplicate", 1]);
  });

  test("an animated image, which Facebook rejects, is sent as its first frame (PUB-1)", async () => {
    const gif = { kind: "image", mimeType: "image/gif", filename: "loop.gif", content: manyFrameGif(3) } as const;
    await publisher.publishAndWait("Animated", [gif]);
    assert.deepEqual(
      listPosts("Animated").map(({ media }) => media.map(({ mimeType }) => mimeType)),
      [["image/png"]],
    );
  });

  test("a revoked token fails the publication, and the page needs to be connected again (PUB-4)", async () => {
    standIn.expireAccessToken();
    const { problem } = await publisher.waitForState(await publisher.publish("Revoked"), "failed");
    const { state } = await publisher.findConnection();
    assert.deepEqual([problem?.code, state, listPosts("Revoked").length], ["connect_expired", "needs_reconnect", 0]);
    await publisher.storeTokens({ accessToken: standIn.issueAccessToken() });
    await publisher.publishAndWait("Connected again");
  });
});
