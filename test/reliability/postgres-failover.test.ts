import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database } from "#db/database.ts";
import { createStores, openDatabase } from "#db/open-database.ts";
import { openPostgres } from "#db/postgres.ts";
import { createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { startFailoverLoad, type FailoverLoad } from "../support/failover-load.ts";
import { startEditedPage } from "../support/live-page.ts";
import { isLongRun } from "../support/long-run.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { createPatroniCluster, hasPatroni, type PatroniCluster, type PatroniNode } from "../support/patroni-cluster.ts";
import { getOutcome } from "../support/outcome.ts";
import { startRecordingProxy, type RecordingProxy } from "../support/recording-proxy.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const rounds = isLongRun ? 5 : 1;
/** The longest time between the promotion of a standby and the first write that succeeds. */
const maxRecoveryMs = 5000;
const accounts = ["harbour", "market", "museum"];

describe(
  "failover of PostgreSQL under load",
  { skip: hasPatroni() ? false : "not installed: PostgreSQL, Patroni, etcd or HAProxy" },
  () => {
    let cluster: PatroniCluster;
    let location: TemporaryDatabase;
    let services: MainProcess[] = [];
    let proxy: RecordingProxy;
    let studio: StudioClient;
    let database: Database;
    let load: FailoverLoad;
    let exitedServices = 0;

    before(async () => {
      cluster = await createPatroniCluster();
      location = await createTemporaryDatabase("postgres", cluster.url);
      const base = await findFreeBaseUrl();
      const ports = [await findFreeBaseUrl(), await findFreeBaseUrl()].map((url) => Number(new URL(url).port));
      const start = (port: number): Promise<MainProcess> =>
        startMain({
          PORT: String(port),
          BASE_URL: base,
          DATA_DIR: location.dataDir,
          DATABASE_URL: location.databaseUrl ?? "",
          SECRETS: "a test secret that is long enough",
          RATE_LIMITS: "off",
        });
      services = [await start(ports[0] ?? 0), await start(ports[1] ?? 0)];
      for (const service of services) void service.exited.then(() => exitedServices++);
      // The dev issuer keeps its state in one process, so sign-in uses only the first instance.
      proxy = await startRecordingProxy(base, ports.slice(0, 1));
      studio = await newStudioClient(base);
      for (const account of accounts) await studio.connectSandbox(account);
      database = await openDatabase({ ...location, log: silentLog });
      const connections = await database.q.selectFrom("platformConnections").select("id").execute();
      assert.equal(connections.length, accounts.length);
      proxy.targetPorts = ports;
      load = startFailoverLoad(
        studio,
        base,
        connections.map(({ id }) => id),
      );
    });
    after(async () => {
      await load?.stop();
      await database?.close();
      await Promise.all(services.map((service) => service.kill()));
      await proxy?.close();
      await cluster?.remove();
    });

    /** Resolves with the time when a node other than the primary accepts writes. */
    async function watchPromotion(primary: PatroniNode): Promise<number> {
      const standbys = cluster.nodes.filter((node) => node !== primary);
      const promotions = standbys.map(async ({ url }) => {
        const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
        client.on("error", () => {});
        await client.connect();
        for (const deadline = performance.now() + 90_000; performance.now() < deadline; await sleep(50)) {
          const { rows } = await client.query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
          if (rows[0]?.standby === false) return [client, performance.now()] as const;
        }
        throw new Error("no standby was promoted within 90 s");
      });
      const [client, promotedAt] = await Promise.any(promotions);
      await client.end();
      return promotedAt;
    }

    /** Resolves with the time between `since` and the next acknowledged write. */
    async function measureRecovery(since: number): Promise<number> {
      const findNextWrite = (): number | undefined => load.acknowledgedAt.find((at) => at > since);
      await waitUntil(() => findNextWrite() !== undefined, {
        timeoutMs: 60_000,
        description: "a write is acknowledged",
      });
      return (findNextWrite() ?? Infinity) - since;
    }

    function checkResponses(): void {
      assert.deepEqual(
        proxy.serverErrors.filter(({ status, hasRetryAfter }) => status !== 503 || !hasRetryAfter).slice(0, 5),
        [],
        "no response has a server error other than 503 with Retry-After",
      );
      assert.deepEqual(proxy.droppedRequests, []);
      assert.deepEqual(load.unexpectedErrors, []);
      assert.equal(exitedServices, 0, "no service was restarted");
    }

    async function runFailovers(t: TestContext, inject: (primary: PatroniNode) => Promise<unknown>): Promise<void> {
      const checkPage = await startEditedPage(t, studio);
      for (let round = 0; round < rounds; round++) {
        const primary = await cluster.waitUntilHealthy();
        await load.waitForWrites(20);
        const startedAt = performance.now();
        const [unavailableBefore, promotion] = [load.unavailableCount, watchPromotion(primary)];
        await sleep(Math.random() * 300);
        const recover = await inject(primary);
        const promotedAt = await promotion;
        const recoveryMs = await measureRecovery(promotedAt);
        if (typeof recover === "function") await recover();
        await cluster.waitUntilHealthy();
        await load.waitForWrites(20);
        t.diagnostic(
          `promoted after ${Math.round(promotedAt - startedAt)} ms, first write ${Math.round(recoveryMs)} ms later, ` +
            `${load.unavailableCount - unavailableBefore} calls failed, ${load.acknowledgedAt.length} writes so far`,
        );
        assert.ok(recoveryMs < maxRecoveryMs, `the first write succeeded ${recoveryMs} ms after the promotion`);
        checkResponses();
        await load.checkAcknowledged(createStores(database));
      }
      await checkPage();
    }

    test("a connection to a standby is rejected, because it returns old data (RUN-4, D1)", async () => {
      const primary = await cluster.waitUntilHealthy();
      for (const node of cluster.nodes) {
        const nodeDatabase = openPostgres({ url: node.url, log: silentLog, isBehindPooler: false });
        try {
          assert.equal(await getOutcome(() => nodeDatabase.ping()), node === primary ? "ok" : "storage_unavailable");
        } finally {
          await nodeDatabase.close();
        }
      }
    });

    test("kill -9 of the primary: no acknowledged write is lost, and writes succeed within 5 s of the promotion (RUN-4, RUN-8, D1)", (t) =>
      runFailovers(t, async (primary) => {
        await primary.kill();
        return () => primary.start();
      }));

    test("a planned switchover: no acknowledged write is lost, and writes succeed within 5 s of the promotion (RUN-4, D1)", (t) =>
      runFailovers(t, (primary) => cluster.switchOver(primary)));

    test("a primary that is paused and resumes after a promotion: it accepts no writes, and no acknowledged write is lost (RUN-4, D1)", (t) =>
      runFailovers(t, async (primary) => {
        primary.pause();
        return () => primary.resume();
      }));

    test("a restart of etcd: the primary stays, and writes continue (RUN-4, D1)", async (t) => {
      for (let round = 0; round < rounds; round++) {
        const primary = await cluster.waitUntilHealthy();
        const startedAt = performance.now();
        await load.waitForWrites(10);
        await cluster.restartEtcd(11_000);
        await load.waitForWrites(10);
        assert.equal(await cluster.waitUntilHealthy(), primary);
        await load.waitForWrites(10);
        const times = [startedAt, ...load.acknowledgedAt.filter((at) => at > startedAt)];
        const longestGapMs = Math.max(...times.map((at, i) => at - (times[i - 1] ?? at)));
        t.diagnostic(`longest time without a write ${Math.round(longestGapMs)} ms`);
        assert.ok(longestGapMs < maxRecoveryMs, `no write was acknowledged for ${longestGapMs} ms`);
        checkResponses();
        await load.checkAcknowledged(createStores(database));
      }
    });

    test("after all failovers, every acknowledged write is stored, and every publication was published once (RUN-8, PUB-7, B3)", async (t) => {
      await load.stop();
      await load.checkAcknowledged(createStores(database), { all: true });
      const listOpen = () =>
        database.q
          .selectFrom("publications")
          .select(["id", "state"])
          .where("state", "in", ["scheduled", "preparing", "committing"])
          .execute();
      await waitUntil(async () => (await listOpen()).length === 0, {
        timeoutMs: 120_000,
        intervalMs: 200,
        description: "every publication is final",
      });
      const rows = await database.q.selectFrom("publications").select(["id", "state", "problemCode"]).execute();
      assert.deepEqual(
        rows.filter(({ state }) => state !== "published"),
        [],
      );
      const storedIds = new Set(rows.map(({ id }) => id));
      const publications = [...load.publications];
      assert.deepEqual(
        publications.filter(([id]) => !storedIds.has(id)),
        [],
        "no acknowledged publication is lost",
      );
      const sandboxRows = await database.q.selectFrom("sandboxPosts").select("text").execute();
      const texts = sandboxRows.map(({ text }) => text);
      assert.equal(new Set(texts).size, texts.length, "no text was published twice");
      assert.deepEqual(
        publications.filter(([, { text }]) => !texts.includes(text)),
        [],
        "every publication is on the platform",
      );
      // The sandbox stores its posts in the same database. A real platform would create a second post for a second key.
      const commitsByText = Map.groupBy(proxy.commits, ({ text }) => text);
      const commitsWithSeveralKeys = [...commitsByText.values()].filter(
        (commits) => new Set(commits.map(({ key }) => key)).size > 1,
      );
      assert.deepEqual(commitsWithSeveralKeys, [], "each text was sent with one key");
      checkResponses();
      const repeatedCommits = proxy.commits.length - commitsByText.size;
      t.diagnostic(
        `${load.acknowledgedAt.length} acknowledged writes, ${publications.length} publications, ${repeatedCommits} commits repeated, ` +
          `${proxy.responseCount} responses, ${proxy.serverErrors.length} of them 503`,
      );
    });
  },
);
