import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { linkedin } from "#connectors/catalog/linkedin.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import type { PublicationView } from "#domain/publishing/publication.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { hashBytes } from "../servers/http-stand-in.ts";
import { startLinkedIn, type LinkedInPost, type LinkedInStandIn } from "../servers/linkedin/server.ts";
import { forOneEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import {
  createTestDocument,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  startPlatformPublishing,
  type PlatformPublishing,
} from "../support/platform-publishing.ts";

forOneEngine("publishing to LinkedIn", (fixture) => {
  let standIn: LinkedInStandIn;
  let publisher: PlatformPublishing;

  before(async () => {
    standIn = await startLinkedIn();
    standIn.settings.dailyRequests = 10_000;
    publisher = await startPlatformPublishing(fixture, {
      platform: linkedin,
      origin: standIn.origin,
      endpoints: {
        api: standIn.origin,
        authorization: `${standIn.origin}/oauth/v2/authorization`,
        token: `${standIn.origin}/oauth/v2/accessToken`,
      },
      account: { id: standIn.memberId },
      tokens: standIn.tokens,
    });
  });
  after(async () => {
    await publisher?.close();
    await standIn?.close();
  });

  const listPosts = (text: string): LinkedInPost[] => standIn.posts().filter((post) => post.text === text);

  test("publishes text with every reserved character, and hashtags as links (PUB-1)", async () => {
    const text = "Fog (over the harbour) @ 5 * 2 <now> {a|b} [c] snake_case ~ back\\slash # 1\n#photo #größe";
    const { url } = await publisher.publishAndWait(text);
    const [post, ...others] = listPosts(text);
    assert.deepEqual([others.length, post?.hashtags, post?.mentions], [0, ["photo", "größe"], []]);
    assert.equal(url, `https://www.linkedin.com/feed/update/${post?.id}/`);
    assert.equal(post?.visibility, "PUBLIC");
  });

  test("publishes one image, and several, with alt text (PUB-1)", async () => {
    const images = [await createTestImage("A vase"), await createTestImage("Another (blue) vase", 300, 400)];
    await publisher.publishAndWait("One image", images.slice(0, 1));
    await publisher.publishAndWait("Two images", images);
    const expected = images.map(({ content, altText }) => [hashBytes(content), altText]);
    const describeMedia = (text: string) => listPosts(text)[0]?.media.map(({ sha256, altText }) => [sha256, altText]);
    assert.deepEqual(describeMedia("One image"), expected.slice(0, 1));
    assert.deepEqual(describeMedia("Two images"), expected);
  });

  test("publishes a video in parts, and a document with its name as the title (PUB-1)", async () => {
    const video = await createTestVideo();
    await publisher.publishAndWait("A video", [video]);
    assert.deepEqual(
      listPosts("A video").map(({ media }) => media.map(({ mimeType, sha256 }) => [mimeType, sha256])),
      [[["video/mp4", hashBytes(video.content)]]],
    );
    assert.ok(standIn.requests.filter((request) => /^PUT .*\/video\//.test(request)).length > 1);
    await publisher.publishAndWait("A document", [createTestDocument()]);
    assert.deepEqual(
      listPosts("A document").map(({ media }) => media.map(({ mimeType, title }) => [mimeType, title])),
      [[["application/pdf", "Price list.pdf"]]],
    );
  });

  test("a document renamed by a client that may not publish needs a new approval (PUB-4)", async () => {
    const { service, owner, api } = publisher.publishing;
    const { deps } = service;
    const scopes = ["studio:read", "studio:write"] as const;
    const client = { ...(await actThroughClient(deps, owner)), scopes };
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: "Renamed" });
    const { content, ...file } = createTestDocument();
    const { assetId } = await uploadAssetInline(deps, owner, { ...file, base64: content.toString("base64") });
    await attachAsset(deps, owner, { postId, assetId });
    const request = { connectionIds: [publisher.connectionId], at: toIsoTime(Date.now() + hours(1)) };
    const { body } = await api("POST", `/posts/${postId}/publications`, request);
    const [publication] = body["publications"] as PublicationView[];
    assert.equal(publication?.state, "scheduled");
    await updateAsset(deps, client, { assetId, filename: "Not approved.pdf" });
    const changedPublication = (await api("GET", `/publications/${publication.id}`)).body;
    assert.deepEqual(
      [changedPublication["state"], changedPublication["revision"]],
      ["proposed", publication.revision + 1],
    );
    const restored = await restorePost(deps, owner, { postId, revision: publication.revision });
    assert.equal(restored.assets[0]?.filename, file.filename);
  });

  test("the scopes that Atelier requests are enough to publish (PLATFORM-1, PUB-1)", async () => {
    standIn.tokens.scopes = new Set();
    await publisher.connect(standIn.tokens.authorize);
    assert.deepEqual([...standIn.tokens.scopes], linkedin.scopes);
    await publisher.publishAndWait("Connected with OAuth", [
      await createTestImage("A vase"),
      await createTestImage(""),
    ]);
    assert.equal(listPosts("Connected with OAuth").length, 1);
  });

  test(`after ${lostResponseCount} lost responses, the publications become unconfirmed, and nothing is sent twice (PUB-2)`, async () => {
    const texts = Array.from({ length: lostResponseCount }, (_, i) => `Lost at LinkedIn ${i}`);
    standIn.faults.dropResponses = lostResponseCount;
    const ids = await Promise.all(texts.map((text) => publisher.publish(text)));
    for (const id of ids) await publisher.waitForState(id, "unconfirmed");
    assert.equal(standIn.faults.dropResponses, 0);
    assert.deepEqual(
      texts.map((text) => listPosts(text).length),
      texts.map(() => 1),
    );
  });

  test("renews an expired token, and waits for the rate limit, before the post is public (PUB-2)", async () => {
    standIn.tokens.expire();
    standIn.faults.rateLimited = 1;
    await publisher.publishAndWait("Renewed");
    assert.equal(listPosts("Renewed").length, 1);
    assert.equal((await publisher.findConnection()).state, "connected");
  });

  test("an outage while files are uploaded is retried (PUB-2)", async () => {
    standIn.faults.unavailableUploads = 1;
    await publisher.publishAndWait("After an outage", [await createTestImage("A vase")]);
    assert.equal(listPosts("After an outage").length, 1);
  });

  test("a file that LinkedIn can't process fails the publication, and nothing is public (PUB-4)", async () => {
    standIn.faults.failProcessing = 1;
    const { problem } = await publisher.waitForState(
      await publisher.publish("Not processed", [await createTestVideo()]),
      "failed",
    );
    assert.deepEqual([problem?.code, listPosts("Not processed").length], ["media_rejected", 0]);
  });

  test("a revoked token that can't be renewed fails the publication, and the account needs to be connected again (PUB-4)", async () => {
    await publisher.storeTokens({ accessToken: standIn.tokens.accessToken });
    standIn.tokens.expire();
    const { problem } = await publisher.waitForState(await publisher.publish("Revoked"), "failed");
    const { state } = await publisher.findConnection();
    assert.deepEqual([problem?.code, state, listPosts("Revoked").length], ["connect_expired", "needs_reconnect", 0]);
    const { refreshToken } = standIn.tokens;
    assert.ok(standIn.tokens.grant(new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken })));
    await publisher.storeTokens(standIn.tokens);
  });

  test("a post that LinkedIn rejects as a duplicate of a post that doesn't exist fails with that reason (PUB-4)", async () => {
    await publisher.publishAndWait("Good morning");
    standIn.faults.duplicatesOfMissingPosts = 1;
    const { problem } = await publisher.waitForState(await publisher.publish("Good morning"), "failed");
    assert.deepEqual([problem?.code, listPosts("Good morning").length], ["duplicate", 1]);
  });
});
