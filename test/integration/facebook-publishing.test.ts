import assert from "node:assert/strict";
import { test } from "node:test";
import { facebook } from "#connectors/facebook/connect.ts";
import { hours, minutes, toIsoTime } from "#lib/clock.ts";
import { startFacebook } from "../servers/facebook.ts";
import type { PublicPost } from "../servers/graph-media.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  assertNeedsReconnect,
  assertPostsAreFoundAfterLostResponses,
  createTestGif,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  refreshResults,
  usePlatform,
} from "../support/platform-publishing.ts";
import { sha256 } from "../support/stores.ts";

forOneEngine("publishing to Facebook Pages", (fixture) => {
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startFacebook(clock);
    const { origin, page, accessToken } = standIn;
    return {
      platform: facebook,
      standIn,
      endpoints: { api: `${origin}/v25.0` },
      account: { id: page.id },
      tokens: { accessToken },
    };
  });

  const describeMedia = ({ media }: PublicPost) => media.map((item) => [item.sha256, item.altText]);
  const countRequests = (method: string, path: RegExp): number =>
    publisher.standIn.requests.filter((request) => request.method === method && path.test(request.path)).length;

  test("publishes text, and links to the post (PUB-1)", async () => {
    const { view, post } = await publisher.publish("Fog over the harbour 🌁\n\nSee https://example.com/a?b=c&d=e");
    assert.deepEqual([post.url, post.media], [view.url, []]);
  });

  test("reads insights with one request; what is missing is null, with the reason (RES-1, RES-2)", async () => {
    const { view, post } = await publisher.publish("With insights");
    const { insights } = publisher.standIn;
    const reactions = { like: 3, love: 2 };
    insights.values.set(post.id, { post_media_view: 40, post_clicks: 0, post_reactions_by_type_total: reactions });
    const notOffered = { likes: "not_offered", comments: "not_offered", reposts: "not_offered" };
    assert.deepEqual(await refreshResults(publisher, fixture, view.id), {
      metrics: { likes: null, comments: null, reposts: null, views: 40, reach: null, allClicks: 0, reactions: 5 },
      reasons: { ...notOffered, reach: "not_offered" },
    });
    assert.equal(countRequests("GET", /\/insights$/), 1);
    insights.canRead = false;
    const { reasons } = await refreshResults(publisher, fixture, view.id);
    const denied = "not_permitted";
    assert.deepEqual(reasons, { ...notOffered, views: denied, reach: denied, allClicks: denied, reactions: denied });
    insights.canRead = true;
  });

  test("publishes one image, and several, with alt text, and of an animated image the first frame (PUB-1)", async () => {
    const images = [await createTestImage("A vase"), await createTestImage('A "blue" vase – größer', 300, 400)];
    const expected = images.map(({ content, altText }) => [sha256(content), altText]);
    const { post } = await publisher.publish("One image", images.slice(0, 1));
    const { post: postWithTwo } = await publisher.publish("Two images", images);
    assert.deepEqual([describeMedia(post), describeMedia(postWithTwo)], [expected.slice(0, 1), expected]);
    const { post: animated } = await publisher.publish("Animated", [createTestGif()]);
    assert.deepEqual(
      animated.media.map(({ mimeType }) => mimeType),
      ["image/png"],
    );
  });

  test("publishes a video, which Facebook fetches from a signed URL, once Facebook has processed it (PUB-1)", async () => {
    const video = await createTestVideo();
    publisher.standIn.processingPolls = 3;
    const { view, post } = await publisher.publish("A video", [video]);
    publisher.standIn.processingPolls = 1;
    assert.equal(countRequests("GET", /\/\d+$/), 4);
    assert.deepEqual(describeMedia(post), [[sha256(video.content), null]]);
    assert.match(view.url ?? "", /^https:\/\/www\.facebook\.com\/\d+$/);
    // The id of the feed, so that a later lookup does not mistake this post for that of another publication.
    assert.equal((await publisher.find(view.id)).remoteId, post.id);
  });

  test("an image that Facebook rejects, a video that it can't process, and a duplicate fail with a reason (PUB-4)", async () => {
    for (const file of [await createTestImage("A vase"), await createTestVideo()]) {
      publisher.standIn.faults.failProcessing = 1;
      await publisher.assertFails("media_rejected", `Unsuitable ${file.kind}`, [file]);
    }
    await publisher.publish("Good evening");
    const id = await publisher.request("Good evening");
    const { problem } = await publisher.waitForState(id, "failed", "published");
    assert.deepEqual([problem?.code, publisher.listPosts("Good evening").length], ["duplicate", 1]);
  });

  /** Publishes a video that Facebook still processes when its publication becomes unconfirmed. */
  async function requestUnfinishedVideo(text: string): Promise<string> {
    publisher.standIn.processingPolls = 1000;
    const id = await publisher.request(text, [await createTestVideo()]);
    await publisher.run(id);
    publisher.standIn.processingPolls = 1;
    publisher.standIn.expireAccessToken();
    await publisher.waitForState(id, "unconfirmed");
    await publisher.storeTokens({ accessToken: publisher.standIn.issueAccessToken() });
    return id;
  }

  test("a video appears once if a person publishes it again while Facebook still processes it (PUB-2)", async () => {
    const id = await requestUnfinishedVideo("Processed slowly");
    assert.equal(await publisher.publishAgain(id), 200);
    await publisher.run(id);
    assert.equal((await publisher.find(id)).state, "committing");
    publisher.standIn.finishProcessing();
    await publisher.waitForState(id, "published");
    assert.equal(publisher.listPosts("Processed slowly").length, 1);
  });

  test("a video whose text was edited while Facebook processed it appears once, edited only if processing failed (PUB-2)", async () => {
    for (const hasFailed of [false, true]) {
      const texts = [`Processed ${!hasFailed}`, `Edited ${hasFailed}`] as const;
      const id = await requestUnfinishedVideo(texts[0]);
      await publisher.editPost(id, texts[1]);
      if (hasFailed) publisher.standIn.failVideos();
      else publisher.standIn.finishProcessing();
      assert.equal(await publisher.publishAgain(id), 200);
      await publisher.waitForState(id, "published", "failed");
      assert.deepEqual(
        texts.map((text) => publisher.listPosts(text).length),
        hasFailed ? [0, 1] : [1, 0],
      );
    }
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the posts are found (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses(publisher, ({ url }) => url));

  test("finds posts with images or a video after lost responses (PUB-2)", async () => {
    const image = await createTestImage("A vase");
    for (const files of [[image], [image, image], [await createTestVideo()]]) {
      publisher.standIn.faults.failPublishResponses = 1;
      await publisher.publish(`Lost with ${files.length} ${files[0]?.kind}`, files);
    }
  });

  test("after a lost response, keeps looking for a video for minutes, because Facebook may still fetch it (PUB-2)", async () => {
    publisher.standIn.faults.dropPublishRequests = 1;
    const id = await publisher.request("Still fetched", [await createTestVideo()]);
    await publisher.run(id);
    const reads = countRequests("GET", /\/feed$/);
    for (let minute = 0; minute < 14; minute++) {
      fixture.clock.advance(minutes(1));
      await publisher.run(id);
    }
    assert.deepEqual([(await publisher.find(id)).state, countRequests("GET", /\/feed$/) - reads], ["committing", 14]);
    fixture.clock.advance(minutes(2));
    await publisher.run(id);
    const { state, problem } = await publisher.find(id);
    assert.deepEqual([state, publisher.listPosts("Still fetched")], ["unconfirmed", []]);
    assert.match(problem?.message ?? "", /may still be processing/);
  });

  test("does not mistake an older post with the same text for one whose response was lost (PUB-2)", async () => {
    publisher.standIn.rejectsDuplicates = false;
    const { view: first } = await publisher.publish("Good morning");
    publisher.standIn.faults.dropPublishResponses = 1;
    const second = await publisher.waitForState(await publisher.request("Good morning"), "published", "unconfirmed");
    publisher.standIn.rejectsDuplicates = true;
    assert.notEqual(second.url, first.url);
    assert.deepEqual([second.state, publisher.listPosts("Good morning").length], ["published", 2]);
  });

  test("does not mistake a visitor's post with the same text for one whose response was lost (PUB-2)", async () => {
    publisher.standIn.faults.dropPublishRequests = 1;
    const id = await publisher.request("Happy birthday");
    await publisher.run(id);
    publisher.standIn.addVisitorPost("Happy birthday");
    const { problem, url } = await publisher.waitForState(id, "published", "unconfirmed");
    assert.deepEqual([problem?.code, url], ["unconfirmed", null]);
  });

  test("waits until the rate limit ends, although Facebook reports it with an error status (PUB-2)", async () => {
    Object.assign(publisher.standIn.rateLimit, { minutes: 10 });
    Object.assign(publisher.standIn.faults, { rateLimitedRequests: 1, rateLimitedPublishes: 1 });
    const startedAt = fixture.clock();
    await publisher.publish("Limited at first", [await createTestImage("A vase")]);
    assert.ok(fixture.clock() >= startedAt + minutes(20));
  });

  test("a rate limit of more than an hour fails the publication at once, with a reason that says how long the limit lasts (PUB-4)", async () => {
    Object.assign(publisher.standIn.rateLimit, { minutes: 90 });
    publisher.standIn.faults.rateLimitedPublishes = 1;
    const { problem } = await publisher.assertFails("platform_unavailable", "Limited for long");
    const end = toIsoTime(fixture.clock() + minutes(90));
    assert.ok(problem?.message.startsWith(`The platform asks to wait until ${end}, and Atelier`), problem?.message);
  });

  test("uploads images again if the publication is rescheduled to a time shortly before they expire (PUB-2)", async () => {
    Object.assign(publisher.standIn.rateLimit, { minutes: 30 });
    publisher.standIn.faults.rateLimitedPublishes = 1;
    const id = await publisher.request("Moved to another day", [await createTestImage("A vase")]);
    await publisher.run(id);
    const uploads = countRequests("POST", /\/photos$/);
    fixture.clock.advance(hours(21));
    const at = toIsoTime(fixture.clock());
    const { status } = await publisher.api("POST", `/publications/${id}/reschedule`, { at });
    assert.equal(status, 200);
    const { problem } = await publisher.waitForState(id, "published", "failed");
    assert.deepEqual([problem, publisher.listPosts("Moved to another day").length], [null, 1]);
    assert.equal(countRequests("POST", /\/photos$/) - uploads, 1);
  });

  test("a revoked token fails the publication, and the page needs to be connected again (PUB-4)", () =>
    assertNeedsReconnect(publisher));
});
