import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { listenForChanges } from "#app/change-notifications.ts";
import type { Database } from "#db/database.ts";
import { listenForNotifications } from "#db/notifications.ts";
import { createChangeFeed } from "#domain/subscriptions/change-feed.ts";
import { sha256 } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";
import { forEachEngine, getListenUrl, silentLog } from "../support/engines.ts";
import { createTestGrant } from "../support/tokens.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

forEachEngine(
  "notifications between processes",
  (fixture) => {
    const { deps, database } = fixture;
    const getUrl = () => getListenUrl(fixture.location) ?? "";

    /** Listens for changes while a stream is open. `reliability` records what the listener reports to the feed. */
    async function listenWithStream(
      url: string,
      database: Pick<Database, "notify">,
    ): Promise<{ reliability: boolean[]; close(): Promise<void> }> {
      const owner = await newStudio(deps);
      const { token } = await createTestGrant(deps, owner);
      const feed = createChangeFeed(deps, silentLog);
      const removeFromFeed = feed.add(
        {
          tokenHash: sha256(token),
          userId: owner.user.id,
          studioId: owner.studio.id,
          announce: () => {},
          end: () => {},
        },
        new Map(),
      );
      const reliability: boolean[] = [];
      const listener = listenForChanges({
        url,
        database,
        feeds: [
          {
            ...feed,
            setNotificationsReliable(areReliable) {
              reliability.push(areReliable);
              feed.setNotificationsReliable(areReliable);
            },
          },
        ],
        wakeWorker: () => {},
        wakeFanOut: () => {},
        log: silentLog,
        probeIntervalMs: 500,
      });
      return {
        reliability,
        close() {
          removeFromFeed();
          return listener.close();
        },
      };
    }

    /** Listens until the first notification, and records warnings of the log. */
    function listenAndRecordWarnings(url: string) {
      const warnings: unknown[] = [];
      const log: Log = Object.assign(Object.create(silentLog) as Log, {
        warn: (...args: unknown[]) => void warnings.push(args),
      });
      const { promise: listening, resolve } = Promise.withResolvers<void>();
      const handlers = { publications_due: () => resolve() };
      return { warnings, listening, listener: listenForNotifications({ url, handlers, log }) };
    }

    /** Starts a proxy in front of PostgreSQL that forwards the connections that are accepted; returns its URL. */
    async function startProxy(t: TestContext, accept: (socket: Socket, upstream: Socket) => boolean): Promise<string> {
      const url = new URL(getUrl());
      const { hostname, port } = url;
      const proxy = createServer((socket) => {
        const upstream = connect(Number(port), hostname);
        for (const side of [socket, upstream]) side.on("error", () => {});
        socket.once("close", () => upstream.destroy());
        if (accept(socket, upstream)) socket.pipe(upstream).pipe(socket);
      }).listen(0, "127.0.0.1");
      t.after(() => proxy.close());
      await once(proxy, "listening");
      url.port = String((proxy.address() as AddressInfo).port);
      return url.href;
    }

    test("notifications arrive when their transaction commits, and do not if it is rolled back (PUB-18)", async () => {
      let count = 0;
      const onNotification = () => void count++;
      const listener = listenForNotifications({
        url: getUrl(),
        handlers: { publications_due: onNotification },
        log: silentLog,
      });
      await waitUntil(() => count === 1, { description: "the listener is connected" });
      const failedTransaction = database.transact(async (tx) => {
        await tx.notify("publications_due");
        throw new Error("roll back");
      });
      await assert.rejects(failedTransaction, /roll back/);
      await database.transact(async (tx) => {
        await tx.notify("publications_due");
        await tx.notify("publications_due");
      });
      await waitUntil(() => count > 1, { description: "a notification arrives" });
      await database.notify("publications_due");
      await waitUntil(() => count > 2, { description: "another one arrives" });
      await listener.close();
      assert.equal(count, 3, "one for each commit");
    });

    test("a listener that can't connect warns once, retries, and recovers (PUB-18)", async (t) => {
      let rejections = 0;
      const url = await startProxy(t, (socket) => {
        if (rejections === 3) return true;
        rejections++;
        socket.destroy();
        return false;
      });
      const { warnings, listening, listener } = listenAndRecordWarnings(url);
      await listening;
      await listener.close();
      assert.deepEqual([rejections, warnings.length], [3, 1]);
      assert.ok(!JSON.stringify(warnings).includes(new URL(url).password), "the warning does not contain the password");
    });

    test("a listener whose server does not respond closes at once", async (t) => {
      const connected = Promise.withResolvers<Socket>();
      const server = createServer((socket) => connected.resolve(socket.resume())).listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `postgres://atelier@127.0.0.1:${(server.address() as AddressInfo).port}/atelier`;
      t.mock.timers.enable({ apis: ["setTimeout"] }); // no timeout ends the connection
      const listener = listenForNotifications({ url, handlers: {}, log: silentLog });
      const socket = await connected.promise;
      const closed = once(socket, "close");
      await listener.close();
      await closed;
      assert.ok(socket.destroyed);
      server.close();
    });

    test("a process that is blocked for seconds while it starts connects without a warning (PUB-18)", async (t) => {
      t.mock.timers.enable({ apis: ["setTimeout"] });
      const { warnings, listening, listener } = listenAndRecordWarnings(getUrl());
      t.mock.timers.tick(5000);
      await listening;
      await listener.close();
      assert.deepEqual(warnings, []);
    });

    test("a connection that silently stops delivering is replaced while streams are open (CHAT-20)", async (t) => {
      const connections: Socket[] = [];
      const url = await startProxy(t, (_, upstream) => connections.push(upstream) > 0);
      const { reliability, close } = await listenWithStream(url, fixture.database);
      await waitUntil(() => reliability.length > 0, { description: "notifications arrive" });
      connections[0]?.unpipe().pause(); // still open, and the server's data goes nowhere
      await waitUntil(() => reliability.length >= 3, { description: "notifications arrive again" });
      assert.deepEqual(reliability.slice(0, 3), [true, false, true]);
      assert.ok(connections.length > 1);
      await close();
    });

    test("a connection whose first probe could not be sent is probed again while streams are open (CHAT-20)", async () => {
      let attempts = 0;
      const { reliability, close } = await listenWithStream(getUrl(), {
        notify: (...args) => (++attempts === 1 ? Promise.reject(new Error("unavailable")) : database.notify(...args)),
      });
      await waitUntil(() => reliability.length > 0, { description: "notifications arrive" });
      assert.deepEqual([reliability, attempts > 1], [[true], true]);
      await close();
    });

    test("a listener does not keep its process alive", async () => {
      const script = `
        import { listenForNotifications } from "#db/notifications.ts";
        import { createLog } from "#lib/log.ts";
        const keepAlive = setInterval(() => {}, 1000);
        const onNotification = () => { process.stdout.write("listening"); clearInterval(keepAlive); };
        listenForNotifications({
          url: process.argv[1], handlers: { publications_due: onNotification }, log: createLog("silent") });`;
      const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script, getUrl()], {
        cwd: join(import.meta.dirname, "../.."),
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const [code] = (await once(child, "close")) as [number | null];
      assert.deepEqual([code, output], [0, "listening"]);
    });
  },
  ["postgres"],
);
