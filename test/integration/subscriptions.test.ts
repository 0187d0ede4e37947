import { writes } from "#domain/ports/write-stores.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { deletePost } from "#domain/posts/delete-post.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import type { SubscriptionStore } from "#domain/ports/subscriptions.ts";
import { fromNow } from "../support/clock.ts";
import { listen, openSessionStream } from "../support/event-stream.ts";
import { callLegacy, callModern, initialize } from "../support/mcp.ts";
import {
  forEachEngineWithServers,
  newPost,
  newSubscriber,
  startOtherServer,
  startSession,
} from "../support/subscription-fixture.ts";
import { newStudio } from "../support/users.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { createTestGrant } from "../support/tokens.ts";
import { waitUntil } from "../support/wait-until.ts";

const subscriptionIdKey = "io.modelcontextprotocol/subscriptionId";

forEachEngineWithServers("subscriptions to posts", (fixture) => {
  test("both protocol versions declare subscriptions to resources (CHAT-20)", async () => {
    const client = await newSubscriber(fixture.deps, fixture.server, await newStudio(fixture.deps));
    const discovered = (await callModern(client, "server/discover")).json.result as never as Record<string, unknown>;
    const initialized = (await initialize(client)).response.json.result as never as Record<string, unknown>;
    for (const { capabilities } of [discovered, initialized] as { capabilities?: { resources: object } }[])
      assert.deepEqual(capabilities?.resources, { subscribe: true });
  });

  test("2026-07-28: announces each change that another process makes, and nothing else (CHAT-20)", async () => {
    const owner = await newStudio(fixture.deps);
    const [followed, ignored] = [await newPost(fixture.deps, owner), await newPost(fixture.deps, owner)];
    const client = await newSubscriber(fixture.otherServer.deps, fixture.otherServer, owner);
    const stream = await listen(client, { resourceSubscriptions: [followed.uri] }, 7);
    assert.deepEqual(stream.messages, [
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { resourceSubscriptions: [followed.uri] }, _meta: { [subscriptionIdKey]: 7 } },
      },
    ]);
    await ignored.change();
    await followed.change();
    await stream.waitForUpdates(1);
    assert.deepEqual(stream.messages[1], {
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: followed.uri, _meta: { [subscriptionIdKey]: 7 } },
    });
    await deletePost(fixture.deps, owner, { postId: followed.id });
    await stream.waitForUpdates(2);
    await fixture.deps.transact({ job: "test" }, (tx) =>
      tx[writes].posts.update(owner.studio.id, followed.id, { trash: null }, { isTrashed: true, now: fixture.clock() }),
    );
    await stream.waitForUpdates(3);
    await restorePost(fixture.deps, owner, { postId: followed.id, revision: 1 });
    await stream.waitForUpdates(4);
    assert.deepEqual(stream.listUpdates(), Array(4).fill(followed.uri));
    stream.close();
  });

  test("2025-11-25: subscribe and stream may reach different processes, and unsubscribe takes effect (CHAT-20)", async () => {
    const owner = await newStudio(fixture.deps);
    const posts = [await newPost(fixture.deps, owner), await newPost(fixture.deps, owner)] as const;
    const client = await startSession(await newSubscriber(fixture.deps, fixture.server, owner));
    const stream = await openSessionStream({ ...client, url: fixture.otherServer.url });
    assert.equal(stream.status, 200);
    for (const { uri } of posts) {
      const { json } = await callLegacy(client, "resources/subscribe", { uri });
      assert.deepEqual(json.result, {});
      await callLegacy(client, "resources/subscribe", { uri });
    }
    // The change is announced although the other process may not know of the subscription yet.
    await posts[0].change();
    await stream.waitForUpdates(1);
    assert.deepEqual(stream.messages[0], {
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: posts[0].uri },
    });
    await callLegacy({ ...client, url: fixture.otherServer.url }, "resources/unsubscribe", { uri: posts[0].uri });
    await waitUntil(async () => {
      const before = stream.listUpdates().length;
      await posts[0].change();
      await posts[1].change();
      await stream.waitForUpdates(before + 1);
      return stream.listUpdates().slice(before).join() === posts[1].uri;
    });
    stream.close();
  });

  test("2025-11-25: a new stream of the session announces what changed in between, and replaces the old one (CHAT-20)", async () => {
    const owner = await newStudio(fixture.deps);
    const [changed, unchanged] = [await newPost(fixture.deps, owner), await newPost(fixture.deps, owner)];
    const client = await startSession(await newSubscriber(fixture.deps, fixture.server, owner));
    for (const { uri } of [changed, unchanged]) await callLegacy(client, "resources/subscribe", { uri });
    const firstStream = await openSessionStream(client);
    firstStream.close();
    await changed.change();
    const secondStream = await openSessionStream(client);
    await secondStream.waitForUpdates(1);
    const thirdStream = await openSessionStream({ ...client, url: fixture.otherServer.url });
    await secondStream.ended;
    await unchanged.change();
    await thirdStream.waitForUpdates(2);
    assert.deepEqual(secondStream.listUpdates(), [changed.uri]);
    assert.deepEqual(thirdStream.listUpdates().toSorted(), [changed.uri, unchanged.uri].toSorted());
    thirdStream.close();
  });

  test("announces that a publication of the post was requested and published (CHAT-20)", async () => {
    const publishing = await startPublishing(fixture);
    const { service, owner, connectionIds } = publishing;
    const post = await newPost(service.deps, owner);
    const { token } = await createTestGrant(service.deps, owner);
    const stream = await listen({ url: `${service.base}/mcp`, token }, { resourceSubscriptions: [post.uri] });
    const path = `/posts/${post.id}/publications`;
    const at = fromNow(3_600_000);
    const { body, status } = await publishing.api("POST", path, { connectionIds, at });
    assert.equal(status, 201, JSON.stringify(body));
    await stream.waitForUpdates(1);
    const [{ id } = { id: "" }] = body["publications"] as { id: string }[];
    await publishing.api("POST", `/publications/${id}/cancel`);
    await stream.waitForUpdates(2);
    await publishing.api("POST", path, { connectionIds });
    // Reads only after an announcement, as a client does. If the last announcement were missing, "published" would
    // never be read.
    let readCount = 2;
    await waitUntil(async () => {
      if (stream.listUpdates().length === readCount) return false;
      readCount = stream.listUpdates().length;
      const { json } = await callModern({ url: `${service.base}/mcp`, token }, "resources/read", { uri: post.uri });
      const { contents } = json.result as never as { contents: [{ text: string }] };
      return contents[0].text.includes('"state":"published"');
    });
    stream.close();
    await publishing.close();
  });

  test("an idle server does not query the posts of its streams, and one change costs few queries for many streams", async () => {
    let queries = 0;
    let polls = 0;
    const clock = (): number => {
      polls++; // an idle server reads the clock once per poll
      return fixture.clock();
    };
    const countedServer = await startOtherServer(fixture, { clock });
    const { subscriptions } = countedServer.deps;
    const { findVersions, findAccess } = subscriptions;
    const countedStore: Pick<SubscriptionStore, "findVersions" | "findAccess"> = {
      findVersions(...args) {
        queries++;
        return findVersions(...args);
      },
      findAccess(...args) {
        queries++;
        return findAccess(...args);
      },
    };
    Object.assign(subscriptions, countedStore);
    const owner = await newStudio(fixture.deps);
    const post = await newPost(fixture.deps, owner);
    const streams = [];
    for (let i = 0; i < 40; i++) {
      const client = await newSubscriber(fixture.deps, countedServer, owner);
      streams.push(await listen(client, { resourceSubscriptions: [post.uri] }));
    }
    const hasIdlePolls = async (): Promise<boolean> => {
      const [queriesBefore, pollsBefore] = [queries, polls];
      await waitUntil(() => polls >= pollsBefore + 3);
      return queries === queriesBefore;
    };
    await waitUntil(hasIdlePolls, { description: "no queries in three polls" });
    const before = queries;
    await post.change();
    await Promise.all(streams.map((stream) => stream.waitForUpdates(1)));
    assert.ok(queries - before <= 6, `${queries - before} queries for ${streams.length} streams`);
    for (const stream of streams) stream.close();
    await countedServer.close();
  });

  test("shutdown ends streams: 2026-07-28 with a result, 2025-11-25 without a message (CHAT-20)", async () => {
    const owner = await newStudio(fixture.deps);
    const post = await newPost(fixture.deps, owner);
    const closingServer = await startOtherServer(fixture);
    const client = await newSubscriber(fixture.deps, closingServer, owner);
    const session = await startSession(client);
    const modern = await listen(client, { resourceSubscriptions: [post.uri] }, 3);
    const legacy = await openSessionStream(session);
    closingServer.endpoint.streamSlots.close();
    await Promise.all([modern.ended, legacy.ended]);
    const { id, result } = modern.messages.at(-1) ?? {};
    assert.deepEqual([id, result?.resultType, result?._meta[subscriptionIdKey]], [3, "complete", 3]);
    assert.deepEqual(legacy.messages, []);
    assert.equal((await openSessionStream(session)).status, 503);
    await closingServer.close();
  });
});
