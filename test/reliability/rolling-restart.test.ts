import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Database } from "#db/database.ts";
import { openDatabase } from "#db/open-database.ts";
import { silentLog, skipWithoutPostgres } from "../support/engines.ts";
import { startSandboxFleet, type Fleet } from "../support/fleet.ts";
import { startEditedPage } from "../support/live-page.ts";
import { isLongRun } from "../support/long-run.ts";
import { startRestartLoad, type RestartLoad } from "../support/restart-load.ts";
import { skipWithoutS3 } from "../support/stores.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";
import { assertStored } from "../support/studio-files.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipWithout } from "../support/find-program.ts";

const skip = skipWithoutPostgres || skipWithoutS3 || skipWithout("haproxy");
const rounds = isLongRun ? 5 : 1;
const accounts = ["harbour", "market", "museum"];
const maxUpdateMs = 5000;

describe("four processes behind HAProxy, restarted one after another under load", { skip }, () => {
  let fleet: Fleet;
  let studio: StudioClient;
  let database: Database;
  let load: RestartLoad;
  /** Fails with the warnings and errors in the logs of the processes, which say why a request failed. */
  const assertNoErrors = (): void => {
    const logLines = fleet.processes.flatMap((instance) => instance.getOutput().split("\n"));
    const warnings = logLines.filter((line) => /"level":"(warn|error|fatal)"/.test(line));
    assert.equal(load.errors.length, 0, [...warnings, ...load.errors].join("\n"));
  };

  before(async () => {
    ({ fleet, prepared: studio } = await startSandboxFleet(async (base) => {
      const client = await newStudioClient(base);
      for (const account of accounts) await client.connectSandbox(account);
      return client;
    }));
    database = await openDatabase({ ...fleet.location, log: silentLog });
    const connections = await database.q.selectFrom("platformConnections").select("id").execute();
    assert.equal(connections.length, accounts.length);
    load = await startRestartLoad(
      studio,
      fleet.base,
      connections.map(({ id }) => id),
    );
  });
  after(async () => {
    await load?.stop();
    await database?.close();
    await fleet?.close();
  });

  test("no request fails, every process exits with 0, and an open page shows each edit within 2 s after its stream came back (C4, C5, EVT-1)", async (t) => {
    const checkPage = await startEditedPage(t, studio);
    for (let round = 0; round < rounds; round++) {
      for (const [index, instance] of [...fleet.processes.entries()]) {
        await load.waitForRounds(1);
        assertNoErrors();
        const signaledAt = performance.now();
        instance.terminate();
        assert.equal(await instance.exited, 0, instance.getOutput());
        const exitMs = performance.now() - signaledAt;
        await fleet.restart(index);
        t.diagnostic(
          `process ${index + 1} exited after ${Math.round(exitMs)} ms; ${load.requestCount} requests so far`,
        );
        assertNoErrors();
      }
    }
    await load.waitForRounds(1);
    await load.stop();
    assertNoErrors();
    await checkPage();
  });

  test("subscribers reconnect, and read every change within 5 s (CHAT-20, C5)", (t) => {
    const slowestMs = load.measureSlowestUpdate();
    t.diagnostic(`slowest update after ${Math.round(slowestMs)} ms; streams opened: ${load.streamCounts.join(", ")}`);
    assert.ok(slowestMs < maxUpdateMs, `${slowestMs} ms`);
    assert.ok(
      load.streamCounts.some((count) => count > 1),
      "restarts ended streams",
    );
  });

  test("every upload of the in-chat app has the right digest (CHAT-14, C5)", async (t) => {
    await Promise.all(
      load.uploads.map(({ assetId, digest }) => assertStored(studio, assetId, { digest, postId: null })),
    );
    t.diagnostic(`${load.uploads.length} uploads`);
    assert.ok(load.uploads.length > 0);
  });

  test("every publication was published once (PUB-7, C5)", async (t) => {
    await load.stop();
    const listRows = () => database.q.selectFrom("publications").select(["id", "state"]).execute();
    await waitUntil(
      async () => (await listRows()).every(({ state }) => !["scheduled", "preparing", "committing"].includes(state)),
      { timeoutMs: 60_000, intervalMs: 200, description: "every publication is final" },
    );
    const states = new Map((await listRows()).map(({ id, state }) => [id, state]));
    const texts = (await database.q.selectFrom("sandboxPosts").select("text").execute()).map(({ text }) => text);
    assert.equal(new Set(texts).size, texts.length, "no text was published twice");
    assert.deepEqual(
      [...load.publications].filter(([id, text]) => states.get(id) !== "published" || !texts.includes(text)),
      [],
    );
    t.diagnostic(`${load.publications.size} publications`);
    assert.ok(load.publications.size > 0);
  });

  test("without a process, HAProxy responds with 503 and Retry-After (C4)", async () => {
    await Promise.all(fleet.processes.map((instance) => instance.kill()));
    const send = () => fetch(`${fleet.base}/api/me`);
    await waitUntil(async () => (await send()).status === 503);
    const response = await send();
    assert.equal(response.headers.get("retry-after"), "5");
    assert.equal(((await response.json()) as { code: string }).code, "storage_unavailable");
  });
});
