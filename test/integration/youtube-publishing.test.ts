import assert from "node:assert/strict";
import { before, test } from "node:test";
import { youtube } from "#connectors/youtube/connect.ts";
import { listCurrentPlatforms } from "#domain/platforms/list-platforms.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "../support/stores.ts";
import { startYouTube, type YouTubeFaults } from "../servers/youtube.ts";
import { forEachEngine } from "../support/engines.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import {
  assertPostsAppearOnceAfterKills,
  createTestImage,
  killCount,
  createTestVideo,
  lostResponseCount,
  type TestFile,
  usePlatform,
} from "../support/platform-publishing.ts";

const options = { privacy: "public", madeForKids: "no" };
let video: TestFile;
let largeVideo: TestFile;
before(async () => {
  const shape = { seconds: 4, width: 720, height: 720 };
  video = { ...(await createTestVideo()), content: await muxVideo("mp4", shape) };
  const content = await muxVideo("mp4", { ...shape, frameRate: 30, frameBytes: 142_000 });
  largeVideo = { ...video, content };
});

forEachEngine("publishing to YouTube", (fixture) => {
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startYouTube(clock);
    const { origin, channelId, tokens } = standIn;
    return {
      platform: youtube,
      standIn,
      endpoints: {
        api: `${origin}/youtube/v3`,
        issuer: undefined,
        authorization: `${origin}/o/oauth2/v2/auth`,
        token: `${origin}/token`,
      } as object,
      account: { id: channelId, handle: "atelier" },
      tokens,
      options,
    };
  });

  test("uploads a video in parts as private, then makes it public, with what was chosen (VIDEO-1, PUB-1, OPTION-1)", async () => {
    const { tokens, requests } = publisher.standIn;
    tokens.scopes = new Set();
    await publisher.connect(tokens.authorize);
    assert.deepEqual([...tokens.scopes], youtube.scopes);
    const chosen = { category: "26", tags: ["glaze", "raku firing"], syntheticMedia: true, withoutNotification: true };
    const image = await createTestImage("A vase");
    const { view, post } = await publisher.publish("A tour", [largeVideo, image], {
      ...chosen,
      madeForKids: "yes",
      privacy: "unlisted",
    });
    assert.deepEqual(post, {
      ...{ id: post.id, title: "Title", text: "A tour", tags: chosen.tags, categoryId: "26", isNotifying: false },
      status: {
        ...{ privacyStatus: "unlisted", selfDeclaredMadeForKids: true, containsSyntheticMedia: true },
        uploadStatus: "processed",
      },
      ...{ sha256: sha256(largeVideo.content), thumbnail: sha256(image.content) },
      ...{ remainingPolls: post.remainingPolls, hasFailed: false },
    });
    assert.deepEqual([view.url, view.problem], [`https://www.youtube.com/watch?v=${post.id}`, null]);
    assert.ok(requests.filter((request) => request.startsWith("PUT /session/")).length >= 3);
  });

  test("continues an interrupted upload at the byte that YouTube reports, at every kind of step (VIDEO-2)", async () => {
    const faults = publisher.standIn.faults as unknown as Record<string, number>;
    const names: (keyof YouTubeFaults)[] = [
      "dropSessionResponses",
      "interruptedParts",
      "dropPartResponses",
      "failedParts",
      "unavailableRequests",
    ];
    const videosBefore = publisher.standIn.videos.length;
    for (const name of names) {
      faults[name] = 1;
      await publisher.publish(`Interrupted by ${name}`, [/Part/.test(name) ? largeVideo : video]);
      assert.equal(faults[name], 0, name);
    }
    faults["expiredSessions"] = 1;
    await publisher.publish("Expired", [video]);
    assert.equal(publisher.standIn.videos.length - videosBefore, names.length + 1, "no video is uploaded twice");
  });

  test(`${lostResponseCount} lost responses and requests of the commit publish each video once (VIDEO-1, PUB-2)`, async () => {
    const { faults, videos } = publisher.standIn;
    const videosBefore = videos.length;
    for (const name of [
      "dropPublishResponses",
      "dropPublishRequests",
      "failPublishResponses",
      "rateLimitedPublishes",
    ] as const)
      for (let i = 0; i < lostResponseCount; i++) {
        faults[name] = 1;
        const { view, post } = await publisher.publish(`${name} ${i}`, [video]);
        assert.deepEqual([faults[name], view.url], [0, `https://www.youtube.com/watch?v=${post.id}`]);
      }
    assert.equal(videos.length - videosBefore, 4 * lostResponseCount);
  });

  test("a worker that is killed at the commit publishes each video once (VIDEO-1, PUB-2)", async () => {
    const { videos } = publisher.standIn;
    const videosBefore = videos.length;
    await assertPostsAppearOnceAfterKills(publisher, [video]);
    assert.equal(videos.length - videosBefore, killCount);
  });

  test("a video that YouTube keeps private is published with a problem that says why (VIDEO-3)", async () => {
    const { settings } = publisher.standIn;
    settings.isAudited = false;
    const id = await publisher.request("Locked", [video]);
    const { state, problem } = await publisher.waitForState(id, "published", "failed", "unconfirmed");
    settings.isAudited = true;
    assert.deepEqual([state, problem?.code, publisher.listPosts("Locked")], ["published", "made_private", []]);
    assert.match(problem?.message ?? "", /not audited/);
    const approvedAsPrivate = await publisher.request("Private", [video], { privacy: "private" });
    assert.equal((await publisher.waitForState(approvedAsPrivate, "published", "failed")).problem, null);
  });

  test("a thumbnail that YouTube rejects does not fail the publication, but is reported (VIDEO-3)", async () => {
    publisher.standIn.settings.isVerified = false;
    const { view } = await publisher.publish("Without thumbnail", [video, await createTestImage("A vase")]);
    publisher.standIn.settings.isVerified = true;
    assert.equal(view.problem?.code, "thumbnail_rejected");
  });

  test("offers the categories that the account has, read at most every five minutes, and rejects others (OPTION-5)", async () => {
    const { owner, connectionId, standIn, api } = publisher;
    const { deps } = publisher.service;
    fixture.clock.advance(minutes(6));
    const countReads = () => standIn.requests.filter((request) => request.endsWith("/videoCategories")).length;
    const readsBefore = countReads();
    const read = async () =>
      (await listCurrentPlatforms(deps, owner, { includeOptions: true })).connections.find(
        ({ id }) => id === connectionId,
      )?.choices;
    const category = [
      { value: "22", label: "People & Blogs" },
      { value: "26", label: "Howto & Style" },
    ];
    assert.deepEqual([await read(), await read(), countReads() - readsBefore], [{ category }, { category }, 1]);
    assert.deepEqual((await api("GET", `/platforms/${connectionId}/choices`)).body, { choices: { category } });
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: "Text" });
    const choose = (value: string) =>
      updatePost(deps, owner, { postId, variants: [{ connectionId, options: { category: value } }] });
    await assert.rejects(choose("30"), { code: "invalid_input" });
    await choose("26");
  });

  test("a used quota, a video that can't be processed and missing rights fail with a reason (PUB-4)", async () => {
    const { faults, tokens } = publisher.standIn;
    faults.exceededQuotas = 1;
    await publisher.assertFails("quotaExceeded", "Over the quota", [video]);
    faults.failProcessing = 1;
    await publisher.assertFails("media_rejected", "Not processed", [video]);
    tokens.scopes.delete("https://www.googleapis.com/auth/youtube.force-ssl");
    tokens.scopes.delete("https://www.googleapis.com/auth/youtube.upload");
    await publisher.assertFails("connect_expired", "Not permitted", [video]);
  });
});
