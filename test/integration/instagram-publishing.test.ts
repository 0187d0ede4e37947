import assert from "node:assert/strict";
import { before, test } from "node:test";
import { instagram } from "#connectors/catalog/instagram.ts";
import type { PublicPost } from "../servers/graph-media.ts";
import { startInstagram } from "../servers/instagram.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  assertEditedPostAppearsOnce,
  assertNeedsReconnect,
  assertPostsAreFoundAfterLostResponses,
  assertWaitsForQuota,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  publishContainer,
  usePlatform,
  type TestFile,
} from "../support/platform-publishing.ts";
import { sha256 } from "../support/stores.ts";

forOneEngine("publishing to Instagram", (fixture) => {
  let image: TestFile;
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startInstagram(clock);
    const { origin, account, accessToken } = standIn;
    const { id, username: handle } = account;
    return {
      platform: instagram,
      standIn,
      endpoints: { api: origin },
      account: { id, handle },
      tokens: { accessToken },
    };
  });
  before(async () => void (image = await createTestImage("A vase")));

  const describeMedia = ({ media }: PublicPost) => media.map((item) => [item.sha256, item.altText]);

  test("publishes an image with alt text, which Instagram fetches, and links to the post (PUB-1)", async () => {
    const { view, post } = await publisher.publish('Fog over the harbour 🌁 "größer" #photo @someone & more', [image]);
    assert.deepEqual([post.url, describeMedia(post)], [view.url, [[sha256(image.content), "A vase"]]]);
  });

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

  test("publishes images and a video in one post, in their order, and a video as a reel (PUB-1)", async () => {
    const files = [image, await createTestVideo(), await createTestImage("Another vase", 700, 700)];
    const expected = files.map(({ content, altText }) => [sha256(content), altText ?? null]);
    const { post: carousel } = await publisher.publish("A carousel", files);
    const { post: reel } = await publisher.publish("A reel", files.slice(1, 2));
    assert.deepEqual([describeMedia(carousel), describeMedia(reel)], [expected, expected.slice(1, 2)]);
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the container's status shows that the post is public (PUB-2)`, () =>
    assertPostsAreFoundAfterLostResponses(publisher, ({ url }) => url, [image]));

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

  test("a post that was edited while its publication was unconfirmed appears once (PUB-2, PUB-15)", () =>
    assertEditedPostAppearsOnce(publisher, "media_publish", [image]));

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
    assert.deepEqual(
      timeline.slice(-4).map((entry) => [entry.action, entry.revision]),
      [
        ["publication.resolved", revision],
        ["publication.started", revision],
        ["publication.committed", revision],
        ["publication.published", revision],
      ],
    );
  });

  test("waits while the account's quota is used up (PUB-2)", () => assertWaitsForQuota(publisher, [image]));

  test("an outage and a rate limit before the post is public are retried (PUB-2)", async () => {
    Object.assign(publisher.standIn.rateLimit, { minutes: 0 });
    publisher.standIn.faults.unavailableRequests = 1;
    publisher.standIn.faults.rateLimitedPublishes = 1;
    await publisher.publish("After an outage", [image]);
  });

  test("media that Instagram can't process fail the publication, and nothing is public (PUB-4)", async () => {
    for (const files of [[image], [image, image]]) {
      publisher.standIn.faults.failProcessing = 1;
      await publisher.assertFails("media_rejected", `Not processed: ${files.length}`, files);
    }
  });

  test("an expired token fails the publication, and the account needs to be connected again (PUB-4)", () =>
    assertNeedsReconnect(publisher, [image]));
});
