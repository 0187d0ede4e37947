import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { listenForNotifications } from "#db/notifications.ts";
import type { Log } from "#lib/log.ts";
import { forEachEngine, silentLog } from "../support/engines.ts";
import { waitUntil } from "../support/wait-until.ts";

forEachEngine(
  "notifications between processes",
  (fixture) => {
    const getUrl = () => fixture.location.databaseUrl ?? "";

    test("arrive when their transaction commits, and not if it is rolled back (PUB-18)", async () => {
      const { database } = fixture;
      let count = 0;
      const onNotification = () => void count++;
      const listener = listenForNotifications({
        url: getUrl(),
        channel: "publications_due",
        onNotification,
        log: silentLog,
      });
      await waitUntil(() => count === 1, { description: "it listens" });
      const rolledBack = database.transact(async (tx) => {
        await tx.notify("publications_due");
        throw new Error("roll back");
      });
      await assert.rejects(rolledBack, /roll back/);
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

    test("a listener that can't connect warns once, retries, and recovers (PUB-18)", async () => {
      const target = new URL(getUrl());
      let rejections = 0;
      const proxy = createServer((socket) => {
        socket.on("error", () => {});
        if (rejections < 3) {
          rejections++;
          socket.destroy();
          return;
        }
        const upstream = connect(Number(target.port), target.hostname);
        upstream.on("error", () => {});
        socket.pipe(upstream).pipe(socket);
      }).listen(0, "127.0.0.1");
      await once(proxy, "listening");
      const warnings: unknown[] = [];
      const log: Log = Object.assign(Object.create(silentLog) as Log, {
        warn: (...args: unknown[]) => void warnings.push(args),
      });
      const url = new URL(getUrl());
      url.port = String((proxy.address() as AddressInfo).port);
      const isListening = Promise.withResolvers<void>();
      const onNotification = () => isListening.resolve();
      const listener = listenForNotifications({ url: url.href, channel: "publications_due", onNotification, log });
      await isListening.promise;
      await listener.close();
      proxy.close();
      assert.deepEqual([rejections, warnings.length], [3, 1]);
      assert.ok(!JSON.stringify(warnings).includes(target.password), "the warning does not contain the password");
    });

    test("a listener does not keep its process alive", async () => {
      const script = `
        import { listenForNotifications } from "#db/notifications.ts";
        import { createLog } from "#lib/log.ts";
        const keepAlive = setInterval(() => {}, 1000);
        const onNotification = () => { process.stdout.write("listening"); clearInterval(keepAlive); };
        listenForNotifications({
          url: process.argv[1], channel: "publications_due", onNotification, log: createLog("silent") });`;
      const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script, getUrl()], {
        cwd: join(import.meta.dirname, "../.."),
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const [code] = (await once(child, "exit")) as [number | null];
      assert.deepEqual([code, output], [0, "listening"]);
    });
  },
  ["postgres"],
);
