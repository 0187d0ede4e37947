import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { listenForChanges } from "#app/change-notifications.ts";
import { createSessions } from "#auth/sign-in.ts";
import { openDatabase } from "#db/open-database.ts";
import { removeMember } from "#domain/studios/members.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/comments.ts";
import { getOwner } from "#lib/work-owner.ts";
import { endSession } from "#domain/access/sessions.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { NotifiedFeed } from "#domain/subscriptions/check-loop.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { createDeps, forEachEngine, getListenUrl, silentLog, type TestDeps } from "../support/engines.ts";
import { findFreePorts } from "../support/free-ports.ts";
import { fc } from "../support/fuzz.ts";
import { openLivePage } from "../support/live-page.ts";
import { isLongRun } from "../support/long-run.ts";
import { openPageStream, type PageStream } from "../support/page-stream.ts";
import { startService } from "../support/service.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitTurns } from "../support/wait-turns.ts";
import { waitUntil } from "../support/wait-until.ts";

const faults = ["cut", "sleep", "network change", "restart"] as const;
const changesPerRound = 20;
/** When the fault occurs and when it ends, as numbers of changes, and how long to wait before each change. */
const anyRound = fc.record({
  start: fc.nat(changesPerRound / 2),
  duration: fc.nat(changesPerRound / 2 - 1),
  turns: fc.array(fc.nat(200), { minLength: changesPerRound, maxLength: changesPerRound }),
});
const queries = (postId: string) =>
  [
    ["posts", "posts", {}],
    [`posts/${postId}`, "post", postId],
    [`posts/${postId}/comments`, "comments", postId],
    ["activity", "activity", {}],
  ] as const;

forEachEngine("live pages", (fixture) => {
  /** Another process: it makes the changes. */
  let writer: TestDeps;
  let server: ApiServer;
  const closers: (() => Promise<void>)[] = [];
  before(async () => {
    const database = await openDatabase({ ...fixture.location, log: silentLog });
    writer = createDeps(database, fixture.clock);
    server = await startApiServer(fixture.deps);
    const listener = listen(server.changeFeeds);
    closers.push(
      () => database.close(),
      async () => listener?.close(),
      () => server.close(),
    );
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  function listen(feeds: readonly NotifiedFeed[]) {
    const url = getListenUrl(fixture.location);
    if (url === undefined) return undefined;
    const { database } = fixture;
    return listenForChanges({
      url,
      database,
      feeds,
      wakeWorker: () => {},
      wakeFanOut: () => {},
      log: silentLog,
      probeIntervalMs: 200,
    });
  }
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

  test("checks access for no particular user (EVT-1)", async () => {
    const owners = new Set<string>();
    const { sessions } = fixture.deps;
    const findAccess = (...args: Parameters<typeof sessions.findAccess>) => {
      owners.add(getOwner().key);
      return sessions.findAccess(...args);
    };
    const otherServer = await startApiServer({ ...fixture.deps, sessions: { ...sessions, findAccess } });
    const owner = await newStudio(writer);
    const stream = await openPageStream(otherServer.base, owner.studio.id, await otherServer.signIn(owner));
    await waitUntil(() => owners.size > 0, { description: "access is checked" });
    stream.close();
    await otherServer.close();
    assert.deepEqual([...owners], [""]);
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

  test("an open page whose connections are lost shows everything that was changed meanwhile, once its stream is open again (EVT-1)", async (t) => {
    const [proxyPort = 0, port = 0] = await findFreePorts(2);
    const base = `http://localhost:${proxyPort}`;
    const owner = await newStudio(writer);
    const { id: postId } = await createPost(writer, owner, { title: "A post", body: "" });
    const [cookie = ""] = (await createSessions({ deps: writer, base }).start(owner.user.id, undefined)).split(";");
    // A browser whose network changed does not reuse connections either.
    const headers = { cookie, host: `localhost:${proxyPort}`, connection: "close" };
    const send = (path: string, signal?: AbortSignal, origin = base) =>
      fetch(`${origin}${path}`, { headers, signal: signal ?? null });
    /** What the database contains, read through the server without the proxy. */
    const readAll = () =>
      Promise.all(
        queries(postId).map(async ([path]) =>
          (await send(`/api/studios/${owner.studio.id}/${path}`, undefined, `http://localhost:${port}`)).text(),
        ),
      );
    t.mock.timers.enable({ apis: ["Date"] });
    const proxy = await startTcpProxy(proxyPort, port);
    async function startProcess() {
      const service = await startService(fixture.deps, { base, env: { PORT: String(port), RATE_LIMITS: "off" } });
      const listener = listen(service.changeFeeds);
      return async () => {
        await listener?.close();
        await service.close();
      };
    }
    let stopProcess = await startProcess();
    const page = openLivePage(owner.studio.id, queries(postId), send);

    const start = { cut: proxy.cut, sleep: proxy.stall, "network change": proxy.stall, restart: () => stopProcess() };
    async function end(fault: (typeof faults)[number]): Promise<void> {
      if (fault === "restart") stopProcess = await startProcess();
      if (fault !== "sleep") return page.stream.handleOnline();
      t.mock.timers.tick(minutes(5));
      page.stream.handleReturn();
    }
    async function change(index: number): Promise<void> {
      fixture.clock.advance(seconds(1));
      if (index % 3 === 0) await createPost(writer, owner, { title: `Post ${index}`, body: "" });
      else if (index % 3 === 1) await updatePost(writer, owner, { postId, title: `Change ${index}` });
      else await addComment(writer, owner, { postId, body: `Comment ${index}` });
    }

    try {
      await fc.assert(
        fc.asyncProperty(fc.array(anyRound, { minLength: 10, maxLength: 10 }), async (plan) => {
          for (const [round, { start: startAt, duration, turns }] of plan.entries()) {
            const fault = faults[round % faults.length] ?? "cut";
            await waitUntil(() => page.isOpen);
            const readyCount = page.readyTimes.length;
            for (const [index, count] of turns.entries()) {
              if (index === startAt) await start[fault]();
              if (index === startAt + duration) await end(fault);
              await change(index);
              await waitTurns(count);
            }
            await waitUntil(() => page.readyTimes.length > readyCount, { description: `open after ${fault}` });
            const expected = await readAll();
            const isCurrent = () => page.list().every((text, i) => text === expected[i]);
            await waitUntil(isCurrent).catch(() => assert.deepEqual(page.list(), expected, fault));
          }
        }),
        { numRuns: isLongRun ? 20 : 1, endOnFailure: true },
      );
    } finally {
      page.close();
      await proxy.close();
      await stopProcess();
    }
  });
});
