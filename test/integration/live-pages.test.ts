import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { listenForChanges } from "#app/change-notifications.ts";
import { openDatabase } from "#db/open-database.ts";
import { removeMember } from "#domain/studios/members.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/comments.ts";
import { endSession } from "#domain/access/sessions.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { createDeps, forEachEngine, getListenUrl, silentLog, type TestDeps } from "../support/engines.ts";
import { openPageStream, type PageStream } from "../support/page-stream.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

forEachEngine("live pages", (fixture) => {
  /** Another process: it makes the changes. */
  let writer: TestDeps;
  let server: ApiServer;
  const closers: (() => Promise<void>)[] = [];
  before(async () => {
    const database = await openDatabase({ ...fixture.location, log: silentLog });
    writer = createDeps(database, fixture.clock);
    server = await startApiServer(fixture.deps);
    const url = getListenUrl(fixture.location);
    const listener =
      url === undefined
        ? undefined
        : listenForChanges({
            url,
            database: fixture.database,
            feeds: server.changeFeeds,
            wakeWorker: () => {},
            log: silentLog,
            probeIntervalMs: 200,
          });
    closers.push(
      () => database.close(),
      async () => listener?.close(),
      () => server.close(),
    );
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  async function open(caller: Caller, studio = caller.studio): Promise<PageStream & { cookie: string }> {
    const cookie = await server.signIn(caller);
    return { ...(await openPageStream(server.base, studio.id, cookie)), cookie };
  }
  const addPost = (caller: Caller) => createPost(writer, caller, { title: "A post", body: "Some words." });

  test("announces what another process changes in the studio, and nothing of other studios (EVT-1)", async () => {
    const [owner, stranger] = [await newStudio(writer), await newStudio(writer)];
    const [stream, otherStream] = [await open(owner), await open(stranger)];
    assert.deepEqual(stream.events, [{ event: "ready", objects: [] }]);
    const { id } = await addPost(owner);
    await stream.waitFor(`post ${id}`);
    await addComment(writer, owner, { postId: id, body: "A question" });
    await stream.waitFor(`comment ${id}`);
    const other = await addPost(stranger);
    await otherStream.waitFor(`post ${other.id}`);
    assert.ok(!otherStream.listObjects().some((object) => object.includes(id)));
    assert.ok(!stream.listObjects().some((object) => object.includes(other.id)));
    stream.close();
    otherStream.close();
  });

  test("announces nothing that was rolled back (EVT-1)", async () => {
    const owner = await newStudio(writer);
    const stream = await open(owner);
    const failure = new Error("rolled back");
    await assert.rejects(
      writer.transact(owner, async (tx) => {
        await tx.activity.insert({
          id: writer.newId("activity"),
          studioId: owner.studio.id,
          userId: owner.user.id,
          clientId: null,
          clientName: null,
          action: "post.updated",
          subjectId: "pst_rolledback",
          detail: {},
          at: fixture.clock(),
        });
        throw failure;
      }),
      failure,
    );
    const { id } = await addPost(owner);
    await stream.waitFor(`post ${id}`);
    assert.ok(!stream.listObjects().includes("post pst_rolledback"));
    stream.close();
  });

  test("announces many changes at once in their studio only (EVT-1)", async () => {
    const [owner, stranger] = [await newStudio(writer), await newStudio(writer)];
    const [stream, otherStream] = [await open(owner), await open(stranger)];
    await writer.transact(owner, async (tx) => {
      for (let i = 0; i < 2_100; i++)
        await tx.activity.insert({
          id: writer.newId("activity"),
          studioId: owner.studio.id,
          userId: owner.user.id,
          clientId: null,
          clientName: null,
          action: "post.updated",
          subjectId: `pst_${i}`,
          detail: {},
          at: fixture.clock(),
        });
    });
    await waitUntil(() => stream.events.length > 1, { description: "the changes are announced" });
    const { id } = await addPost(stranger);
    await otherStream.waitFor(`post ${id}`);
    assert.equal(otherStream.events.filter(({ event }) => event === "ready").length, 1);
    stream.close();
    otherStream.close();
  });

  test("ends when the membership, the session or the user's access ends (EVT-1)", async () => {
    const owner = await newStudio(writer);
    const removed = await newMember(writer, owner, "member");
    const disabled = await newMember(writer, owner, "member");
    const [own, removedStream, disabledStream] = [await open(owner), await open(removed), await open(disabled)];
    await removeMember(writer, owner, { userId: removed.user.id });
    await removedStream.ended;
    await writer.users.setDisabled(disabled.user.id, fixture.clock());
    await disabledStream.ended;
    await endSession(writer, /=(.*)$/.exec(own.cookie)?.[1]);
    await own.ended;
    const ends = [removedStream, disabledStream, own];
    for (const { cookie } of ends)
      assert.ok([401, 403, 404].includes((await openPageStream(server.base, owner.studio.id, cookie)).status));
  });

  test("only a member with a session may open it, and a limited number of times (EVT-1)", async () => {
    const [owner, stranger] = [await newStudio(writer), await newStudio(writer)];
    const path = `/api/studios/${owner.studio.id}/events`;
    assert.equal((await call(server, "GET", path)).status, 401);
    assert.equal((await open(stranger, owner.studio)).status, 404);
    const cookie = await server.signIn(owner);
    const streams: PageStream[] = [];
    for (let i = 0; i < 20; i++) streams.push(await openPageStream(server.base, owner.studio.id, cookie));
    const rejected = await call(server, "GET", path, { cookie });
    assert.deepEqual(
      [rejected.status, rejected.json.code, rejected.headers.get("retry-after")],
      [429, "rate_limited", "15"],
    );
    for (const stream of streams) stream.close();
  });

  test("a page that leaves while its access is checked keeps no stream (EVT-1)", async () => {
    const owner = await newStudio(writer);
    const gate = Promise.withResolvers<void>();
    let waitingCount = 0;
    const memberships = {
      ...fixture.deps.memberships,
      findWithStudio: async (...key: Parameters<typeof fixture.deps.memberships.findWithStudio>) => {
        waitingCount++;
        await gate.promise;
        return fixture.deps.memberships.findWithStudio(...key);
      },
    };
    const slowServer = await startApiServer({ ...fixture.deps, memberships });
    try {
      const cookie = await slowServer.signIn(owner);
      const { hostname, port, host } = new URL(slowServer.base);
      const path = `/api/studios/${owner.studio.id}/events`;
      const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
      for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
      await waitUntil(() => waitingCount === sockets.length, { description: "all pages wait" });
      for (const socket of sockets) socket.destroy();
      const { nodeServer } = slowServer.httpServer;
      const countConnections = promisify(nodeServer.getConnections.bind(nodeServer));
      await waitUntil(async () => (await countConnections()) === 0, { description: "all pages left" });
      gate.resolve();
      const streams: PageStream[] = [];
      for (let i = 0; i < 20; i++) streams.push(await openPageStream(slowServer.base, owner.studio.id, cookie));
      for (const stream of streams) stream.close();
      assert.ok(streams.every(({ status }) => status === 200));
    } finally {
      await slowServer.close();
    }
  });
});
