import assert from "node:assert/strict";
import { test } from "node:test";
import { linkedin } from "#connectors/linkedin/connect.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { hashBytes } from "../servers/http-stand-in.ts";
import { startLinkedIn, type LinkedInPost } from "../servers/linkedin/server.ts";
import { forOneEngine } from "../support/engines.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import {
  createTestDocument,
  createTestImage,
  createTestVideo,
  refreshResults,
  usePlatform,
} from "../support/platform-publishing.ts";

forOneEngine("publishing to LinkedIn", (fixture) => {
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startLinkedIn(clock);
    const { origin, memberId, tokens } = standIn;
    return {
      platform: linkedin,
      standIn,
      endpoints: {
        api: origin,
        authorization: `${origin}/oauth/v2/authorization`,
        token: `${origin}/oauth/v2/accessToken`,
      },
      account: { id: memberId },
      tokens,
    };
  });

  const describeMedia = ({ media }: LinkedInPost) => media.map(({ sha256, altText }) => [sha256, altText]);

  test("publishes text with every reserved character, and hashtags as links (PUB-1)", async () => {
    const text = "Fog (over the harbour) @ 5 * 2 <now> {a|b} [c] snake_case ~ back\\slash # 1\n#photo #größe";
    const { view, post } = await publisher.publish(text);
    assert.deepEqual([post.hashtags, post.visibility], [["photo", "größe"], "PUBLIC"]);
    assert.equal(view.url, `https://www.linkedin.com/feed/update/${post.id}/`);
  });

  test("reads reactions and comments; without the permission, they are null with that reason (RES-1, RES-2)", async () => {
    const { settings } = publisher.standIn;
    const { view } = await publisher.publish("With reactions");
    settings.socialActions = { likes: 4, comments: 0 };
    const reasons = { likes: "not_offered", reposts: "not_offered" };
    assert.deepEqual(await refreshResults(publisher, fixture, view.id), {
      metrics: { likes: null, comments: 0, reposts: null, reactions: 4 },
      reasons,
    });
    settings.canReadSocialActions = false;
    const denied = { comments: "not_permitted", reactions: "not_permitted" };
    assert.deepEqual((await refreshResults(publisher, fixture, view.id)).reasons, { ...reasons, ...denied });
    settings.canReadSocialActions = true;
  });

  test("sends who sees the post (OPTION-6)", async () => {
    const { post } = await publisher.publish("For connections", [], { visibility: "CONNECTIONS" });
    assert.equal(post.visibility, "CONNECTIONS");
  });

  test("publishes one image, and several, with alt text, with the scopes that Atelier requests (PLATFORM-1, PUB-1)", async () => {
    const { tokens } = publisher.standIn;
    tokens.scopes = new Set();
    await publisher.connect(tokens.authorize);
    assert.deepEqual([...tokens.scopes], linkedin.scopes);
    const images = [await createTestImage("A vase"), await createTestImage("Another (blue) vase", 300, 400)];
    const expected = images.map(({ content, altText }) => [hashBytes(content), altText]);
    const { post } = await publisher.publish("One image", images.slice(0, 1));
    const { post: postWithTwo } = await publisher.publish("Two images", images);
    assert.deepEqual([describeMedia(post), describeMedia(postWithTwo)], [expected.slice(0, 1), expected]);
  });

  test("publishes a video in parts, and a document with its name as the title (PUB-1)", async () => {
    const video = await createTestVideo();
    const { post: videoPost } = await publisher.publish("A video", [video]);
    assert.deepEqual(describeMedia(videoPost), [[hashBytes(video.content), undefined]]);
    assert.ok(publisher.standIn.requests.filter((request) => /^PUT .*\/video\//.test(request)).length > 1);
    const { post } = await publisher.publish("A document", [createTestDocument()]);
    assert.deepEqual(
      post.media.map(({ mimeType, title }) => [mimeType, title]),
      [["application/pdf", "Price list.pdf"]],
    );
  });

  test("a document renamed by a client that may not publish needs a new approval (PUB-4)", async () => {
    const { owner, api, service } = publisher;
    const { deps } = service;
    const client = await actThroughDrafter(deps, owner);
    const id = await publisher.request("Renamed", [createTestDocument()]);
    await api("POST", `/publications/${id}/reschedule`, { at: toIsoTime(fixture.clock() + hours(1)) });
    const { postId, revision, state } = await publisher.find(id);
    assert.equal(state, "scheduled");
    const { assets } = await getPost(deps, owner, { postId });
    await updateAsset(deps, client, { assetId: assets[0]?.id ?? "", filename: "Not approved.pdf" });
    const changed = await publisher.find(id);
    assert.deepEqual([changed.state, changed.revision], ["proposed", revision + 1]);
    const restored = await restorePost(deps, owner, { postId, revision });
    assert.equal(restored.assets[0]?.filename, createTestDocument().filename);
  });

  test("after a lost response, the publication becomes unconfirmed, and nothing is sent twice (PUB-2)", async () => {
    publisher.standIn.faults.dropPublishResponses = 1;
    await publisher.waitForState(await publisher.request("Lost"), "unconfirmed");
    assert.deepEqual([publisher.standIn.faults.dropPublishResponses, publisher.listPosts("Lost").length], [0, 1]);
  });

  test("renews an expired token, and waits for an outage and the rate limit before the post is public (PUB-2)", async () => {
    const { faults, tokens } = publisher.standIn;
    tokens.expire();
    faults.unavailableRequests = 1;
    faults.rateLimitedPublishes = 1;
    await publisher.publish("Renewed", [await createTestImage("A vase")]);
    assert.equal((await publisher.findConnection()).state, "connected");
  });

  test("a file that LinkedIn can't process, and a duplicate of a post that doesn't exist, fail with a reason (PUB-4)", async () => {
    publisher.standIn.faults.failProcessing = 1;
    await publisher.assertFails("media_rejected", "Not processed", [await createTestVideo()]);
    await publisher.publish("Good morning");
    publisher.standIn.faults.duplicatesOfMissingPosts = 1;
    const id = await publisher.request("Good morning");
    const { problem } = await publisher.waitForState(id, "failed", "published");
    assert.deepEqual([problem?.code, publisher.listPosts("Good morning").length], ["duplicate", 1]);
  });

  test("a revoked token that can't be renewed fails the publication, and the account needs to be connected again (PUB-4)", async () => {
    const { tokens } = publisher.standIn;
    await publisher.storeTokens({ accessToken: tokens.accessToken });
    tokens.expire();
    await publisher.assertFails("connect_expired", "Revoked");
    assert.equal((await publisher.findConnection()).state, "needs_reconnect");
  });
});
