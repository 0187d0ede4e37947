import assert from "node:assert/strict";
import { before, test } from "node:test";
import { tiktok } from "#connectors/tiktok/connect.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { hours, minutes, toIsoTime } from "#lib/clock.ts";
import { startTikTok, type TikTokFaults } from "../servers/tiktok.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import { getOutcome } from "../support/outcome.ts";
import {
  assertPostsAppearOnceAfterKills,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  type TestFile,
  usePlatform,
} from "../support/platform-publishing.ts";
import { sha256 } from "../support/stores.ts";

const options = {
  privacy: "PUBLIC_TO_EVERYONE",
  interactions: "comment",
  disclosure: "none",
  consent: "agreed",
};
let video: TestFile;
let largeVideo: TestFile;
let image: TestFile;
before(async () => {
  const shape = { seconds: 4, width: 720, height: 720 };
  video = { ...(await createTestVideo()), content: await muxVideo("mp4", shape) };
  largeVideo = { ...video, content: await muxVideo("mp4", { ...shape, frameRate: 30, frameBytes: 135_000 }) };
  image = await createTestImage("A vase");
});

forEachEngine("publishing to TikTok", (fixture) => {
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startTikTok(clock);
    const { origin, account, tokens } = standIn;
    return {
      platform: tiktok,
      standIn,
      endpoints: { api: origin, authorization: `${origin}/v2/auth/authorize/`, token: `${origin}/v2/oauth/token/` },
      account,
      tokens,
      options,
    };
  });
  const countPosts = (): number => publisher.standIn.posts().length;
  const setSettings = (change: Partial<typeof publisher.standIn.settings>) =>
    Object.assign(publisher.standIn.settings, change);

  test("publishes a video in chunks with what a person chose, and links to it by an id of 64 bits (VIDEO-1, PUB-1)", async () => {
    const { standIn } = publisher;
    standIn.tokens.scopes = new Set();
    await publisher.connect(standIn.authorize);
    assert.deepEqual([...standIn.tokens.scopes], tiktok.scopes);
    const { view, post } = await publisher.publish("A tour", [largeVideo], {
      ...{ interactions: "comment+duet", disclosure: "both", coverSecond: "2", aiGenerated: true },
    });
    assert.deepEqual(post.info, {
      ...{ privacy_level: "PUBLIC_TO_EVERYONE", is_aigc: true, video_cover_timestamp_ms: 2000 },
      ...{ disable_comment: false, disable_duet: false, disable_stitch: true },
      ...{ brand_content_toggle: true, brand_organic_toggle: true },
    });
    assert.deepEqual(post.files, [sha256(largeVideo.content)]);
    assert.deepEqual([view.url, view.problem], [`https://www.tiktok.com/@atelier/video/${post.id}`, null]);
    assert.ok(!Number.isSafeInteger(Number(post.id)));
    assert.equal(standIn.requests.filter((request) => request.startsWith("PUT /upload/")).length, 3);
  });

  test("continues an interrupted upload at the chunk that TikTok lacks, at every kind of step (VIDEO-2)", async () => {
    const faults = publisher.standIn.faults as unknown as Record<string, number>;
    const names: (keyof TikTokFaults)[] = ["interruptedChunks", "dropChunkResponses", "failedChunks"];
    const restarts: (keyof TikTokFaults)[] = ["dropInitResponses", "expiredUploads", "unavailableRequests"];
    const { requests } = publisher.standIn;
    const countInits = () => requests.filter((request) => request.endsWith("/video/init/")).length;
    for (const name of [...names, ...restarts]) {
      fixture.clock.advance(minutes(2));
      const initsBefore = countInits();
      faults[name] = 1;
      await publisher.publish(`Interrupted by ${name}`, [largeVideo]);
      const expectedInits = name === "dropInitResponses" || name === "expiredUploads" ? 2 : 1;
      assert.deepEqual([faults[name], countInits() - initsBefore], [0, expectedInits], name);
    }
  });

  test(`${lostResponseCount} lost responses and requests of the last chunk publish each video once (VIDEO-1, PUB-2)`, async () => {
    const { faults } = publisher.standIn;
    const postsBefore = countPosts();
    for (const name of ["dropPublishResponses", "dropPublishRequests", "failPublishResponses"] as const)
      for (let i = 0; i < lostResponseCount; i++) {
        fixture.clock.advance(minutes(1));
        faults[name] = 1;
        const { view, post } = await publisher.publish(`${name} ${i}`, [i === 0 ? largeVideo : video]);
        assert.deepEqual([faults[name], view.url], [0, `https://www.tiktok.com/@atelier/video/${post.id}`]);
      }
    assert.equal(countPosts() - postsBefore, 3 * lostResponseCount);
  });

  test("a worker that is killed at the last chunk publishes each video once (VIDEO-1, PUB-2)", async () => {
    setSettings({ initsPerMinute: 100 });
    const postsBefore = countPosts();
    await assertPostsAppearOnceAfterKills(publisher, [video]);
    assert.equal(
      countPosts() - postsBefore,
      publisher.standIn.posts().filter(({ text }) => /Killed/.test(text)).length,
    );
    setSettings({ initsPerMinute: 6 });
  });

  test("an upload that expired before the last chunk arrived fails, and nothing is public (VIDEO-1, PUB-2)", async () => {
    publisher.standIn.faults.dropPublishRequests = 1;
    const id = await publisher.request("Too late", [video]);
    publisher.killAtCommit("before");
    await assert.rejects(publisher.run(id), /killed/);
    fixture.clock.advance(hours(2));
    publisher.standIn.faults.dropPublishRequests = 0;
    const { problem } = await publisher.waitForState(id, "failed", "published", "unconfirmed");
    assert.deepEqual([problem?.code, publisher.listPosts("Too late")], ["upload_expired", []]);
  });

  test("a post that does not become public is published with a problem that says why (VIDEO-3)", async () => {
    setSettings({ keepsPrivate: true });
    const { view } = await publisher.publish("Kept private", [video]);
    setSettings({ keepsPrivate: false });
    assert.deepEqual([view.url, view.problem?.code], [null, "not_public"]);
    assert.match(view.problem?.message ?? "", /not audited/);
    const { view: privateView } = await publisher.publish("Only me", [video], { privacy: "SELF_ONLY" });
    assert.equal(privateView.problem, null);
  });

  test("an app without an audit can't post publicly, but can send drafts (VIDEO-3, VIDEO-4)", async () => {
    setSettings({ isAudited: false });
    fixture.clock.advance(minutes(1));
    await publisher.assertFails("unaudited_client_can_only_post_to_private_accounts", "Unaudited", [video]);
    for (const [text, files] of [
      ["A draft", [largeVideo]],
      ["Images", [image, image]],
    ] as const) {
      const id = await publisher.request(text, files, { mode: "draft" });
      const { problem } = await publisher.waitForState(id, "published", "failed", "unconfirmed");
      assert.equal(problem?.code, "draft");
    }
    setSettings({ isAudited: true });
    const drafts = publisher.standIn.drafts().map(({ text, files }) => [text, files]);
    // TikTok has no text for drafts of videos.
    assert.deepEqual(drafts, [
      ["", [sha256(largeVideo.content)]],
      ["Images", [sha256(image.content), sha256(image.content)]],
    ]);
  });

  test("publishes images, which TikTok fetches, with title and text (PUB-1, PUB-25)", async () => {
    fixture.clock.advance(minutes(1));
    const { view, post } = await publisher.publish("Two vases", [image, image], { music: true });
    assert.deepEqual([post.title, post.files.length, post.info["auto_add_music"]], ["Title", 2, true]);
    assert.equal(view.url, `https://www.tiktok.com/@atelier/photo/${post.id}`);
  });

  test("images whose response is lost are unconfirmed, because nothing shows what became of them (PUB-2)", async () => {
    for (const name of ["dropPublishResponses", "dropPublishRequests", "failPublishResponses"] as const) {
      fixture.clock.advance(minutes(1));
      publisher.standIn.faults[name] = 1;
      const id = await publisher.request(`Images: ${name}`, [image]);
      await publisher.waitForState(id, "unconfirmed");
      const count = publisher.listPosts(`Images: ${name}`).length;
      assert.deepEqual([publisher.standIn.faults[name], count], [0, name === "dropPublishRequests" ? 0 : 1]);
    }
    await assertPostsAppearOnceAfterKills(publisher, [image], ["unconfirmed"]);
  });

  test("what the account no longer offers, a daily limit and a long video fail with a reason (PUB-4, OPTION-5)", async () => {
    const { settings, faults } = publisher.standIn;
    const { creator } = settings;
    fixture.clock.advance(minutes(1));
    faults.tooManyPosts = 1;
    await publisher.assertFails("spam_risk_too_many_posts", "Too many", [video]);
    setSettings({ creator: { ...creator, max_video_post_duration_sec: 3 } });
    await publisher.assertFails("duration_check_failed", "Too long", [video]);
    // The choices were read recently, so only the worker notices.
    setSettings({ creator: { ...creator, privacy_level_options: ["SELF_ONLY"] } });
    await publisher.assertFails("privacy_not_offered", "Not offered", [video]);
    setSettings({ creator: { ...creator, comment_disabled: true } });
    await publisher.assertFails("interactions_not_offered", "No comments", [video]);
    setSettings({ creator });
    const branded = await publisher.request("Branded", [video], { disclosure: "branded", privacy: "SELF_ONLY" });
    const { problem } = await publisher.waitForState(branded, "failed", "published");
    assert.equal(problem?.code, "branded_private");
  });

  test("only a person chooses visibility, interactions, promotion and consent; an AI client can send drafts (OPTION-2, OPTION-3)", async () => {
    const { owner, connectionId, api } = publisher;
    const { deps } = publisher.service;
    fixture.clock.advance(minutes(6));
    await api("GET", `/platforms/${connectionId}/choices`);
    const client = await actThroughClient(deps, owner);
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: "Text" });
    const choose = async (caller: typeof owner, chosen: Record<string, string>) => {
      const { revision } = await getPost(deps, owner, { postId });
      return getOutcome(updatePost(deps, caller, { postId, revision, variants: [{ connectionId, options: chosen }] }));
    };
    for (const [name, value] of Object.entries(options))
      assert.equal(await choose(client, { [name]: value }), "forbidden", name);
    assert.equal(await choose(owner, options), "ok");
    assert.equal(await choose(owner, { ...options, privacy: "FOLLOWER_OF_CREATOR" }), "invalid_input");
    assert.equal(await choose(client, { mode: "draft" }), "ok");
    const at = toIsoTime(fixture.clock() + hours(1));
    assert.equal(
      await getOutcome(publishPost(deps, owner, { postId, connectionIds: [connectionId], at })),
      "not_publishable",
    );
  });
});
