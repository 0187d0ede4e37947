import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { revokeClient } from "#domain/access/clients.ts";
import type { Caller } from "#domain/caller.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { disableUser } from "#domain/operator/user-access.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { removeMember } from "#domain/studios/members.ts";
import { createChangeFeed } from "#domain/subscriptions/change-feed.ts";
import { hours } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { openEventStream } from "#mcp/transport/event-stream.ts";
import { silentLog } from "../support/engines.ts";
import { listen, openSessionStream, type TestEventStream } from "../support/event-stream.ts";
import { callLegacy, callModern, type McpCaller } from "../support/mcp.ts";
import {
  forEachEngineWithServers,
  newPost,
  newSubscriber,
  startSession,
  type SubscribingClient,
  type TestPost,
} from "../support/subscription-fixture.ts";
import { createTestGrant } from "../support/tokens.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

forEachEngineWithServers("access checks of subscriptions", (fixture) => {
  interface OpenStreams {
    session: McpCaller;
    modern: TestEventStream;
    legacy: TestEventStream;
  }

  /** Opens a stream of each protocol version that follows the post. */
  async function openStreams(client: SubscribingClient, uri: string): Promise<OpenStreams> {
    const session = await startSession(client);
    await callLegacy(session, "resources/subscribe", { uri });
    const modern = await listen(client, { resourceSubscriptions: [uri] });
    return { session, modern, legacy: await openSessionStream(session) };
  }

  interface Situation {
    owner: Caller;
    member: Caller;
    client: SubscribingClient;
  }

  /** What ends a stream, and the status of a later request that reopens the stream of the session. */
  const endings: Record<string, [act: (situation: Situation) => Promise<unknown>, reopenStatus: number]> = {
    "the grant is revoked": [
      ({ owner, client }) => revokeClient(fixture.deps, owner, { grantId: client.grantId }),
      401,
    ],
    "the user is removed from the studio": [
      ({ owner, member }) => removeMember(fixture.deps, owner, { userId: member.user.id }),
      404,
    ],
    "the user is disabled": [
      ({ member }) => disableUser(fixture.deps, { operator: true }, { user: member.user.id }),
      401,
    ],
    "the studio is deleted": [({ owner }) => deleteStudio(fixture.deps, owner, { name: owner.studio.name }), 401],
    "the token expires": [async () => fixture.clock.advance(hours(1)), 401],
  };
  for (const [ending, [act, reopenStatus]] of Object.entries(endings)) {
    test(`streams end when ${ending}, announce nothing afterwards, and can't be reopened (CHAT-21, A11)`, async () => {
      const owner = await newStudio(fixture.deps);
      const member = await newMember(fixture.deps, owner, "member");
      // A second studio: without one, a removed member could not act on any studio.
      await newStudio(fixture.deps, member);
      const post = await newPost(fixture.deps, owner);
      await fixture.deps.users.setActiveStudio(member.user.id, owner.studio.id);
      const client = await newSubscriber(fixture.deps, fixture.otherServer, member);
      const { session, modern, legacy } = await openStreams(client, post.uri);
      await post.change();
      for (const stream of [modern, legacy]) await stream.waitForUpdates(1);
      await act({ owner, member, client });
      if (ending !== "the studio is deleted") await post.change();
      for (const stream of [modern, legacy]) {
        await stream.ended;
        assert.equal(stream.listUpdates().length, 1);
      }
      const reopened = await openSessionStream(session);
      reopened.close();
      assert.equal(reopened.status, reopenStatus);
    });
  }

  test("a stream announces only posts of its studio, even if its session contains others (CHAT-21, T1)", async () => {
    const [owner, stranger] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    const [foreign, own] = [await newPost(fixture.deps, stranger), await newPost(fixture.deps, owner)];
    const { token } = await createTestGrant(fixture.deps, owner);
    const announcedIds: string[] = [];
    const removeFromFeed = createChangeFeed(fixture.deps, silentLog).add(
      {
        tokenHash: sha256(token),
        userId: owner.user.id,
        studioId: owner.studio.id,
        announce: (postId) => void announcedIds.push(postId),
        end: () => {},
      },
      new Map([foreign, own].map(({ id }) => [id, "an older version"])),
    );
    await waitUntil(() => announcedIds.length > 0, { description: "a change is announced" });
    removeFromFeed();
    assert.deepEqual(announcedIds, [own.id]);
  });

  test("2026-07-28: a stream ends when its grant moves to another studio (CHAT-21)", async () => {
    const owner = await newStudio(fixture.deps);
    const post = await newPost(fixture.deps, owner);
    const client = await newSubscriber(fixture.deps, fixture.otherServer, owner);
    const { modern, legacy } = await openStreams(client, post.uri);
    await newStudio(fixture.deps, owner, "Another studio"); // becomes the active one
    await callModern({ ...client, url: fixture.server.url }, "server/discover");
    await modern.ended;
    await post.change();
    await legacy.waitForUpdates(1); // a session keeps its studio
    assert.deepEqual(modern.listUpdates(), []);
    legacy.close();
  });

  test("posts of other studios, in the trash, or with invalid ids can't be followed (CHAT-21, T1)", async () => {
    const [owner, stranger] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    const [own, foreign] = [await newPost(fixture.deps, owner), await newPost(fixture.deps, stranger)];
    const trashed = await newPost(fixture.deps, owner);
    await deletePost(fixture.deps, owner, { postId: trashed.id });
    const client = await newSubscriber(fixture.deps, fixture.server, owner);
    const session = await startSession(client);
    const uris = [foreign.uri, trashed.uri, "atelier://posts/x", "atelier://posts/\u0000", "https://example.com", ""];
    const stream = await listen(client, { resourceSubscriptions: [...uris, own.uri] });
    assert.deepEqual(stream.messages[0]?.params?.notifications, { resourceSubscriptions: [own.uri] });
    const legacyStream = await openSessionStream(session);
    for (const uri of uris)
      assert.equal((await callLegacy(session, "resources/subscribe", { uri })).json.error.code, -32002, uri);
    await callLegacy(session, "resources/subscribe", { uri: own.uri });
    await foreign.change();
    await own.change();
    for (const each of [stream, legacyStream]) {
      await each.waitForUpdates(1);
      assert.deepEqual(each.listUpdates(), [own.uri]);
      each.close();
    }
    const emptyStream = await listen(client, { resourceSubscriptions: uris });
    await emptyStream.ended;
    assert.equal(emptyStream.messages.at(-1)?.result?.resultType, "complete");
  });

  test("a stream requires its own session, the scope studio:read, and a protocol version with sessions (CHAT-21, M12, M15)", async () => {
    const owner = await newStudio(fixture.deps);
    const client = await startSession(await newSubscriber(fixture.deps, fixture.server, owner));
    const stranger = await newSubscriber(fixture.deps, fixture.server, await newStudio(fixture.deps));
    const { token: writeToken } = await createTestGrant(fixture.deps, owner, { scopes: ["studio:write"] });
    assert.equal((await openSessionStream({ ...client, session: undefined })).status, 405);
    assert.equal((await openSessionStream({ ...client, token: stranger.token })).status, 404);
    assert.equal((await openSessionStream({ ...client, token: "unknown" })).status, 401);
    const writer = await startSession({ ...stranger, token: writeToken });
    assert.equal((await openSessionStream(writer)).status, 403);
    assert.equal((await requestListen(writeToken)).status, 403);
    const { json } = await callLegacy({ ...client, session: undefined }, "resources/subscribe", {
      uri: "atelier://posts/x",
    });
    assert.equal(json.error.code, -32600);
    assert.equal((await callModern(client, "resources/subscribe", { uri: "atelier://posts/x" })).status, 404);
  });

  const requestListen = (token: string) =>
    callModern({ url: fixture.server.url, token }, "subscriptions/listen", { notifications: {} });

  test("a user has at most 100 streams, however many grants they have (X2)", async () => {
    const owner = await newStudio(fixture.deps);
    const post = await newPost(fixture.deps, owner);
    const filter = { resourceSubscriptions: [post.uri] };
    const openStreams = async (count: number, caller = owner) => {
      const client = await newSubscriber(fixture.deps, fixture.server, caller);
      return Promise.all(Array.from({ length: count }, () => listen(client, filter)));
    };
    const streams = await openStreams(10);
    for (let i = 0; i < 5; i++) streams.push(...(await openStreams(20)));
    assert.equal(streams.filter(({ messages }) => messages[0]?.error !== undefined).length, 10);
    const [otherStream] = await openStreams(1, await newMember(fixture.deps, owner, "member"));
    assert.equal(otherStream?.messages[0]?.error, undefined, "other users have their own limit");
    for (const stream of [otherStream, ...streams]) stream?.close();
  });

  test("a grant has at most 20 streams, and a stream or session at most 100 posts (CHAT-21, X2)", async () => {
    const owner = await newStudio(fixture.deps);
    const post = await newPost(fixture.deps, owner);
    const client = await newSubscriber(fixture.deps, fixture.server, owner);
    const session = await startSession(client);
    const filter = { resourceSubscriptions: [post.uri] };
    const streams = await Promise.all(Array.from({ length: 30 }, () => listen(client, filter)));
    const errors = streams.flatMap(({ messages }) => messages[0]?.error ?? []);
    assert.equal(errors.length, 10);
    assert.match(errors[0]?.message ?? "", /Subscription limit reached/);
    const rejectedStream = await openSessionStream(session);
    await rejectedStream.ended;
    assert.equal(rejectedStream.status, 429);
    assert.match(rejectedStream.messages[0]?.error?.message ?? "", /Subscription limit reached/);
    for (const stream of streams) stream.close();

    const posts: TestPost[] = [];
    for (let i = 0; i < 101; i++) posts.push(await newPost(fixture.deps, owner));
    const uris = posts.map(({ uri }) => uri);
    const { json } = await callModern(client, "subscriptions/listen", {
      notifications: { resourceSubscriptions: uris },
    });
    assert.equal(json.error.code, -32602);
    const [first, second, third] = posts as [TestPost, TestPost, TestPost];
    const subscribe = async ({ uri }: TestPost) => (await callLegacy(session, "resources/subscribe", { uri })).json;
    for (const followedPost of posts.slice(1)) await subscribe(followedPost);
    assert.match((await subscribe(first)).error.message, /Subscription limit reached/);
    await callLegacy(session, "resources/unsubscribe", { uri: second.uri });
    assert.deepEqual((await subscribe(first)).result, {});
    assert.match((await subscribe(second)).error.message, /Subscription limit reached/);
    await deletePost(fixture.deps, owner, { postId: third.id });
    assert.deepEqual((await subscribe(second)).result, {}, "a deleted post does not count");
    assert.match((await subscribe(post)).error.message, /Subscription limit reached/);
  });
});

test("a client that does not read its stream is disconnected (CHAT-21, X1)", async () => {
  const server = createServer((_req, res) => {
    const stream = openEventStream(res);
    const timer = setInterval(() => stream.send(JSON.stringify("x".repeat(200_000))), 1);
    res.once("close", () => clearInterval(timer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const [serverSocket] = (await once(server, "connection")) as [Socket];
  await once(serverSocket, "close");
  socket.destroy();
  server.close();
});
