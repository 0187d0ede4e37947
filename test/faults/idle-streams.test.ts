import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { openIdleStream } from "../support/idle-stream.ts";
import { isLongRun } from "../support/long-run.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { callModern } from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { createTestGrant } from "../support/tokens.ts";

const streams = isLongRun ? 10_000 : 500;
const perApproval = 20;
const mostBytesEach = 25 * 1024; // 250 MB for ten thousand

/** The product announces nothing that a client could wait for; the conformance fixtures do. */
describe("streams that are open and say nothing", () => {
  let location: TemporaryDatabase;
  let base: string;
  let service: MainProcess;
  const tokens: string[] = [];
  const sockets: Socket[] = [];

  before(async () => {
    location = await createTemporaryDatabase("sqlite");
    base = await findFreeBaseUrl();
    const env = { PORT: new URL(base).port, BASE_URL: base, RATE_LIMITS: "off", CONFORMANCE_FIXTURES: "1" };
    service = await startMain({ ...env, DATA_DIR: location.dataDir, LOG_LEVEL: "info" });
    const database = await openDatabase({ ...location, log: silentLog });
    const deps = { ...createDeps(database, systemClock), base };
    const owner = await newStudio(deps);
    for (let i = 0; i < streams / perApproval; i++) tokens.push((await createTestGrant(deps, owner)).token);
    await database.close();
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await service?.kill();
    await location?.remove();
  });

  async function listen(token: string): Promise<string> {
    const { socket, received: said } = await openIdleStream(base, token);
    sockets.push(socket);
    return said;
  }

  async function p95(): Promise<number> {
    const times: number[] = [];
    for (let i = 0; i < 200; i++) {
      const began = performance.now();
      const { json } = await callModern({ url: `${base}/mcp`, token: tokens[0] }, "tools/call", { name: "whoami" });
      assert.ok(!json.result.isError);
      times.push(performance.now() - began);
    }
    return times.toSorted((a, b) => a - b)[190] ?? 0;
  }

  test(`${streams} of them: little memory each, and calls go on as before; one approval has no more than its share (X2)`, async (t) => {
    await p95();
    const alone = Math.min(await p95(), await p95());
    const before = service.getMemoryBytes();
    for (const token of tokens) {
      const answers = await Promise.all(Array.from({ length: perApproval }, () => listen(token)));
      for (const said of answers) assert.match(said, /^HTTP\/1\.1 200 [\s\S]*subscriptions\/acknowledged/);
    }
    const beside = Math.min(await p95(), await p95());
    const each = (service.getMemoryBytes() - before) / streams;
    t.diagnostic(
      `${(each / 1024).toFixed(1)} KB for each stream; p95 ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside ${streams}`,
    );
    assert.match(await listen(tokens[0] ?? ""), /Subscription limit reached/);
    // The memory of a few is lost in what a process takes and gives back by itself.
    assert.ok(each * streams < Math.max(mostBytesEach * streams, 60 * 1024 ** 2), `${each} bytes each`);
    assert.ok(beside < alone * 1.5 + 5, `${alone} ms alone, ${beside} ms beside them`);

    for (const socket of sockets.splice(0)) socket.destroy();
    assert.match(await listen(tokens[0] ?? ""), /subscriptions\/acknowledged/, "who left has made room");
    service.terminate();
    const last = sockets.at(-1);
    await once(last ?? assert.fail(), "close");
    assert.equal(await service.exited, 0, "and open streams do not hold up the leave");
  });
});
