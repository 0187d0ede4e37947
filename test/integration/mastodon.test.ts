import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { mastodon } from "masto";
import { getPost } from "#domain/posts/get-post.ts";
import { forOneEngine } from "../support/engines.ts";
import type { Fault } from "../support/faulty-proxy.ts";
import { connectMastodon, createMastodonReader, createMastodonSetups } from "../support/mastodon-fixture.ts";
import { addImage, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { startSnac, type Snac } from "../support/snac.ts";
import { skipWithout } from "../support/find-program.ts";

// snac ignores idempotency keys: a repeated request would be a second post.
forOneEngine(
  "publishing to a Mastodon server",
  (fixture) => {
    let snac: Snac;
    let publishing: PublishingFixture;
    let connectionId: string;
    /** An independent client that reads the account. */
    let reader: mastodon.rest.Client;

    before(async () => {
      snac = await startSnac();
      publishing = await startPublishing(fixture, [], { platforms: createMastodonSetups(snac) });
      connectionId = await connectMastodon(publishing, snac);
      reader = await createMastodonReader(publishing, snac, connectionId);
    });
    after(async () => {
      await publishing?.close();
      await snac?.stop();
    });

    const publish = async (postId: string) => (await publishing.requestPublication(postId, [connectionId])).id;

    /** Injects the faults, one each, into the next requests with this method and path. */
    const injectFaults = (method: string, path: RegExp, ...faults: Fault[]): void => {
      snac.proxy.chooseFault = (req) =>
        req.method === method && path.test(req.url ?? "") ? faults.shift() : undefined;
    };

    const listStatuses = async (text: string): Promise<mastodon.v1.Status[]> => {
      const { id } = await reader.v1.accounts.verifyCredentials();
      const statuses = await reader.v1.accounts.$select(id).statuses.list({ limit: 40 });
      return statuses.filter((status) => status.text === text);
    };

    test("publishes text, an image and its alt text, and links to the public status (PUB-1)", async () => {
      const text = "Fog over the harbour 🌁 #photo\n\nTwo lines: https://example.com/a?b=c&d=e";
      const postId = await publishing.newPost(text);
      await addImage(publishing, postId, 'A "blue" vase – größer');
      const { url } = await publishing.waitForState(await publish(postId), "published");
      const [status, ...others] = await listStatuses(text);
      assert.deepEqual([status?.url, others.length], [url, 0]);
      assert.deepEqual(
        status?.mediaAttachments.map(({ description, type }) => [description, type]),
        [['A "blue" vase – größer', "image"]],
      );
      assert.equal((await fetch(url ?? "")).status, 200);
    });

    test("publishes a content warning, sensitive media, visibility and language (OPTION-1)", async () => {
      const text = "Behind a warning";
      const postId = await publishing.newPost(text);
      await addImage(publishing, postId, "A vase");
      const options = { contentWarning: "Spoilers", sensitive: true, visibility: "unlisted", language: "de" };
      const { status } = await publishing.api("PATCH", `/posts/${postId}`, { variants: [{ connectionId, options }] });
      assert.equal(status, 200);
      await publishing.waitForState(await publish(postId), "published");
      const [post, ...others] = await listStatuses(text);
      assert.ok(post && others.length === 0);
      assert.deepEqual([post.spoilerText, post.sensitive], ["Spoilers", true]);
      // The API of snac 2.75 names neither the language nor that a status is unlisted; what it federates does.
      const response = await fetch(post.uri, { headers: { accept: "application/activity+json" } });
      const { to, cc, contentMap } = (await response.json()) as { to: unknown; cc: unknown; contentMap: object };
      assert.deepEqual([to, cc], [[], ["https://www.w3.org/ns/activitystreams#Public"]]);
      assert.deepEqual(Object.keys(contentMap), ["de"]);
    });

    test("after a lost response, the status is found and not sent again (PUB-2)", async () => {
      const text = "The response to this was lost";
      const postId = await publishing.newPost(text);
      await addImage(publishing, postId, "A vase");
      injectFaults("POST", /^\/api\/v1\/statuses/, "lost");
      const { url } = await publishing.waitForState(await publish(postId), "published");
      assert.deepEqual(
        (await listStatuses(text)).map((status) => status.url),
        [url],
      );
    });

    test("does not mistake an older status with the same text for one whose response was lost (PUB-2)", async () => {
      const text = "Good morning";
      const olderStatus = await reader.v1.statuses.create({ status: text });
      injectFaults("POST", /^\/api\/v1\/statuses/, "lost");
      const { url } = await publishing.waitForState(await publish(await publishing.newPost(text)), "published");
      assert.notEqual(url, olderStatus.url);
      assert.equal((await listStatuses(text)).length, 2);
    });

    test("rate limits, and failed uploads before the status exists, are retried (PUB-2)", async () => {
      const text = "Limited at first";
      const postId = await publishing.newPost(text);
      await addImage(publishing, postId, "A vase");
      injectFaults("POST", /^\/api\/(v2\/media|v1\/statuses)/, "reset", 429);
      await publishing.waitForState(await publish(postId), "published");
      assert.equal((await listStatuses(text)).length, 1);
    });

    test("validates posts against the limits that the instance states (PLATFORM-12)", async () => {
      const { service, owner } = publishing;
      const connection = await service.deps.platformStore.find(owner.studio.id, connectionId);
      const instance = await reader.v1.instance.fetch();
      assert.equal(connection?.limits?.maxCharacters, instance.configuration.statuses.maxCharacters);
      const { validation } = await getPost(service.deps, owner, { postId: await publishing.newPost("a".repeat(600)) });
      assert.deepEqual(
        validation?.map(({ problems }) => problems),
        [[]],
      );
    });

    test("rejects a post that exceeds the limits of the instance before it sends anything (PUB-5)", async () => {
      const { service, owner } = publishing;
      const { platformStore } = service.deps;
      const connection = await platformStore.find(owner.studio.id, connectionId);
      assert.ok(connection);
      await platformStore.insertOrUpdate({ ...connection, limits: { maxCharacters: 20 } }, 100);
      const postId = await publishing.newPost("More than twenty characters.");
      const { status, body } = await publishing.api("POST", `/posts/${postId}/publications`, {
        connectionIds: [connectionId],
      });
      assert.deepEqual([status, body["code"]], [409, "not_publishable"]);
      await platformStore.insertOrUpdate(connection, 100);
    });

    test("a status that the instance rejects fails with its reason, and nothing is public (PUB-4)", async () => {
      const text = "Not accepted here";
      injectFaults("POST", /^\/api\/v1\/statuses/, 422);
      const { problem } = await publishing.waitForState(await publish(await publishing.newPost(text)), "failed");
      assert.equal(problem?.code, "rejected");
      assert.equal((await listStatuses(text)).length, 0);
    });

    test("a revoked grant fails the publication, and the connection needs to be connected again (PUB-4)", async () => {
      injectFaults("POST", /^\/api\/v1\/statuses/, 401, 401, 401);
      const { problem } = await publishing.waitForState(await publish(await publishing.newPost("Revoked")), "failed");
      const { service, owner } = publishing;
      const connection = await service.deps.platformStore.find(owner.studio.id, connectionId);
      assert.deepEqual([problem?.code, connection?.state], ["connect_expired", "needs_reconnect"]);
      await connectMastodon(publishing, snac);
    });
  },
  skipWithout("snac"),
);
