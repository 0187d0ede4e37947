import assert from "node:assert/strict";
import { before, test } from "node:test";
import { instagram } from "#connectors/instagram/connect.ts";
import { threads } from "#connectors/threads/connect.ts";
import type { OAuthPlatform } from "#connectors/platform.ts";
import type { StoredProgress } from "#domain/model/publication-progress.ts";
import { hours, toIsoTime, type Clock } from "#lib/clock.ts";
import type { ContainerStandIn } from "../servers/graph-containers.ts";
import type { PublicPost } from "../servers/graph-media.ts";
import { startInstagram } from "../servers/instagram.ts";
import { startThreads } from "../servers/threads.ts";
import { forOneEngine, type Fixture } from "../support/engines.ts";
import {
  assertEditedPostAppearsOnce,
  assertNeedsReconnect,
  assertPostsAreFoundAfterLostResponses,
  assertWaitsForQuota,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  publishContainer,
  refreshResults,
  usePlatform,
  type PlatformPublishing,
  type TestFile,
} from "../support/platform-publishing.ts";
import { sha256 } from "../support/stores.ts";

type Publisher = PlatformPublishing<ContainerStandIn>;

const useContainers = (
  fixture: Fixture,
  platform: OAuthPlatform,
  start: (clock: Clock) => Promise<ContainerStandIn>,
): Publisher =>
  usePlatform(fixture, async (clock) => {
    const standIn = await start(clock);
    const { origin, account, accessToken } = standIn;
    const { id, username: handle } = account;
    return { platform, standIn, endpoints: { api: origin }, account: { id, handle }, tokens: { accessToken } };
  });

let image: TestFile;
before(async () => void (image = await createTestImage("A vase")));

const describeMedia = ({ media }: PublicPost) => media.map((item) => [item.sha256, item.altText]);

/** What Instagram and Threads have in common: media containers, which are published once they are processed. */
function testContainers(fixture: Fixture, publisher: Publisher, publishEdge: string, commentsName: string): void {
  const postImage = (text: string) => publisher.publish(text, [image]);

  test("publishes an image with alt text, which the platform fetches, and links to the post (PUB-1)", async () => {
    const { view, post } = await postImage('Fog over the harbour 🌁 "größer" #photo @someone & more');
    assert.deepEqual([post.url, describeMedia(post)], [view.url, [[sha256(image.content), "A vase"]]]);
  });

  test("publishes a video, and several files in one post, in their order (PUB-1)", async () => {
    const files = [image, await createTestVideo(), await createTestImage("Another vase", 700, 700)];
    const expected = files.map(({ content, altText }) => [sha256(content), altText ?? null]);
    const { post: several } = await publisher.publish("Several files", files);
    const { post: video } = await publisher.publish("A video", files.slice(1, 2));
    assert.deepEqual([describeMedia(several), describeMedia(video)], [expected, expected.slice(1, 2)]);
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the container's status shows that the post is public (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses(publisher, ({ url }) => url, [image]));

  test("a post that was edited while its publication was unconfirmed appears once (PUB-2, PUB-15)", () =>
    assertEditedPostAppearsOnce(publisher, publishEdge, [image]));

  test("waits while the account's quota is used up (PUB-2)", () => assertWaitsForQuota(publisher, [image]));

  test("an outage and a rate limit before the post is public are retried, and a 5xx response is not (PUB-2)", async () => {
    Object.assign(publisher.standIn.faults, { unavailableRequests: 1, rateLimitedPublishes: 1 });
    await postImage("After an outage");
    publisher.standIn.faults.failPublishResponses = 1;
    await postImage("Public after all");
  });

  test("media that the platform can't process fail the publication, and nothing is public (PUB-4)", async () => {
    for (const files of [[image], [image, image]]) {
      publisher.standIn.faults.failProcessing = 1;
      await publisher.assertFails("media_rejected", `Not processed: ${files.length}`, files);
    }
  });

  test("reads insights with one request; without the permission, posts are published and have none (RES-1, RES-2)", async () => {
    const { insights, requests } = publisher.standIn;
    const { view, post } = await postImage("With insights");
    insights.values.set(post.id, { views: 12, likes: 3, [commentsName]: 1, reach: 10, saved: 0 });
    const requestsBefore = requests.length;
    const { metrics, reasons } = (await refreshResults(publisher, fixture, view.id)) as Record<string, object>;
    assert.equal(requests.length - requestsBefore, 1);
    const { views, likes, comments, reposts } = metrics as Record<string, number | null>;
    assert.deepEqual([views, likes, comments, reposts], [12, 3, 1, null]);
    assert.deepEqual(
      Object.values(reasons ?? {}),
      Object.keys(reasons ?? {}).map(() => "not_offered"),
    );
    insights.canRead = false;
    const { view: deniedView } = await postImage("Without the permission");
    const denied = (await refreshResults(publisher, fixture, deniedView.id)) as Record<string, object>;
    assert.deepEqual(new Set(Object.values(denied["metrics"] ?? {})), new Set([null]));
    assert.deepEqual(new Set(Object.values(denied["reasons"] ?? {})), new Set(["not_permitted"]));
    insights.canRead = true;
  });

  test("an expired token fails the publication, and the account needs to be connected again (PUB-4)", () =>
    assertNeedsReconnect(publisher, [image]));
}

forOneEngine("publishing to Instagram", (fixture) => {
  const publisher = useContainers(fixture, instagram, startInstagram);
  testContainers(fixture, publisher, "media_publish", "comments");

  test("warns before an account is connected that this server has no public URL (PLATFORM-13)", async () => {
    const { api, browser, service } = publisher;
    const { body } = await api("GET", "/platforms");
    const platforms = body["platforms"] as { id: string; warning?: string }[];
    const warning = platforms.find(({ id }) => id === "instagram")?.warning ?? "";
    assert.ok(warning.includes(service.base), warning);
    const { body: link } = await api("POST", "/platforms/connect", { platform: "instagram" });
    const page = await browser.open(String(link["connectUrl"]));
    assert.match(page.text, /Instagram fetches images and videos from this server/);
  });

  test("sends collaborators with every post, placement and cover with a reel only, and nothing by default (OPTION-6)", async () => {
    const options = { collaborators: ["ada.l", "grace"], reelPlacement: "reels", coverTime: "1.5" };
    const collaborators = '["ada.l","grace"]';
    const video = await createTestVideo();
    const publish = async (text: string, files: TestFile[], chosenOptions = {}) =>
      (await publisher.publish(text, files, chosenOptions)).post.settings;
    assert.deepEqual(await publish("A reel with options", [video], options), {
      collaborators,
      share_to_feed: "false",
      thumb_offset: "1500",
    });
    assert.deepEqual(await publish("A carousel with options", [image, video], options), { collaborators });
    assert.deepEqual(await publish("A plain reel", [video]), { share_to_feed: "true" });
    assert.deepEqual(await publish("A plain image", [image]), {});
  });

  for (const becomesPublic of [false, true])
    test(`an unconfirmed post that ${becomesPublic ? "became" : "is not"} public appears once after a retry (PUB-2)`, async () => {
      const text = `Unconfirmed ${becomesPublic}`;
      const id = await publisher.requestUnconfirmed(text, [image, image]);
      if (becomesPublic) await publishContainer(publisher, "media_publish", id);
      assert.equal(await publisher.publishAgain(id), 200);
      const { url } = await publisher.waitForState(id, "published", "unconfirmed", "failed");
      assert.deepEqual(
        publisher.listPosts(text).map((post) => post.url),
        [url],
      );
    });

  test("continues what a process of the previous version has stored, and stores the same fields (PUB-2, PUB-7)", async () => {
    const { q } = fixture.database;
    const id = await publisher.requestUnconfirmed("Stored before", [image, image]);
    const readFields = async (): Promise<Record<string, unknown>> => {
      const row = await q.selectFrom("publications").select("progress").where("id", "=", id).executeTakeFirstOrThrow();
      return { ...row.progress };
    };
    const { pendingIds, lookedUpSince, uploadedSince, ...commitFields } = await readFields();
    assert.deepEqual(Object.keys(commitFields).toSorted(), ["containerId", "digest", "mediaIds"]);
    assert.deepEqual(pendingIds, Object.values(commitFields["mediaIds"] as object));
    assert.ok(typeof lookedUpSince === "number" && typeof uploadedSince === "number");
    await publishContainer(publisher, "media_publish", id);
    assert.equal(await publisher.publishAgain(id), 200);
    const { sentContent, sentRevision, firstCommittedAt } = await readFields();
    assert.equal(sentRevision, 3);
    const progress = { ...commitFields, sentContent, sentRevision, firstCommittedAt, isPublic: true };
    const storedProgress = progress as StoredProgress;
    await q.updateTable("publications").set({ progress: storedProgress }).where("id", "=", id).execute();
    const { url } = await publisher.waitForState(id, "published", "unconfirmed", "failed");
    assert.deepEqual(
      publisher.listPosts("Stored before").map((post) => post.url),
      [url],
    );
  });

  test("records the revision that was sent, even if the post was edited after a person published it again (PUB-2, PUB-15)", async () => {
    const { service, api, standIn } = publisher;
    const id = await publisher.requestUnconfirmed("Sent before the edit", [image]);
    const { revision } = await publisher.find(id);
    await publishContainer(publisher, "media_publish", id);
    const publishAgainAndEdit = async (text: string): Promise<void> => {
      assert.equal(await publisher.publishAgain(id), 200);
      await publisher.editPost(id, text);
    };

    await publishAgainAndEdit("Edited once");
    const { credentialGeneration } = await publisher.findConnection();
    await service.deps.platformStore.deleteCredential(publisher.connectionId, "needs_reconnect", credentialGeneration);
    assert.equal((await publisher.waitForState(id, "unconfirmed")).revision, revision);

    await publisher.storeTokens({ accessToken: standIn.accessToken });
    await publishAgainAndEdit("Edited twice");
    const published = await publisher.waitForState(id, "published");
    assert.deepEqual([published.revision, publisher.listPosts("Sent before the edit").length], [revision, 1]);
    const { body } = await api("GET", `/publications/${id}`);
    const timeline = body["timeline"] as { action: string; revision: number }[];
    const actions = ["resolved", "started", "committed", "published"];
    assert.deepEqual(
      timeline.slice(-4).map((entry) => [entry.action, entry.revision]),
      actions.map((action) => [`publication.${action}`, revision]),
    );
  });
});

forOneEngine("publishing to Threads", (fixture) => {
  const publisher = useContainers(fixture, threads, startThreads);
  testContainers(fixture, publisher, "threads_publish", "replies");

  test("publishes text that ends at the limit (PUB-1)", async () => {
    const text = `Fog & "more" <b> 🌁 ${"é".repeat(500)}`;
    const { view, post } = await publisher.publish(Array.from(text).slice(0, 497).join(""));
    assert.deepEqual([post.url, post.media], [view.url, []]);
  });

  test("sends who can reply and the topic, and neither by default (OPTION-6)", async () => {
    const { post } = await publisher.publish("With a topic", [image, image], {
      replies: "followers_only",
      topic: "Ceramics, glass",
    });
    assert.deepEqual(post.settings, { reply_control: "followers_only", topic_tag: "Ceramics, glass" });
    const { post: plain } = await publisher.publish("Without options");
    assert.deepEqual(plain.settings, {});
  });

  const listThread = (text: string) => publisher.standIn.posts().filter((post) => post.text.startsWith(text));
  const requestThread = (text: string) => {
    const options = { replies: "mentioned_only", topic: "Ceramics" };
    return publisher.request(text, [image], options, [`${text}, 2`, `${text}, 3`]);
  };

  for (const lostResponses of [0, 3])
    test(`publishes each part of a thread once, as a reply to the one before, with ${lostResponses} lost responses (FOLLOW-1, PUB-2)`, async () => {
      const text = `A thread, lost ${lostResponses}`;
      publisher.standIn.faults.dropPublishResponses = lostResponses;
      const { problem } = await publisher.waitForState(await requestThread(text), "published", "unconfirmed");
      const parts = listThread(text);
      assert.deepEqual([problem, publisher.standIn.faults.dropPublishResponses], [null, 0]);
      const control = { reply_control: "mentioned_only" };
      assert.deepEqual(
        parts.map((part) => [part.text, part.settings]),
        [
          [text, { ...control, topic_tag: "Ceramics" }],
          [`${text}, 2`, { ...control, reply_to_id: parts[0]?.id }],
          [`${text}, 3`, { ...control, reply_to_id: parts[1]?.id }],
        ],
      );
    });

  test("without the permission to read replies, a thread ends after a part whose response is lost (FOLLOW-2, PUB-2)", async () => {
    const { standIn } = publisher;
    standIn.canReadReplies = false;
    const id = await requestThread("Not readable");
    await publisher.run(id);
    standIn.faults.dropPublishResponses = 1;
    const { problem } = await publisher.waitForState(id, "published", "unconfirmed");
    assert.match(problem?.message ?? "", /^2 of 3 parts are public\. .*can’t be a reply/);
    assert.equal(listThread("Not readable").length, 2);
    standIn.canReadReplies = true;
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
