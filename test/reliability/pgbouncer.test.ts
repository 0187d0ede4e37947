import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { statement } from "#db/database.ts";
import { openDatabase } from "#db/open-database.ts";
import {
  createTemporaryDatabase,
  getDatabaseSettings,
  getListenUrl,
  silentLog,
  skipWithoutPostgres,
  type TemporaryDatabase,
} from "../support/engines.ts";
import { listen } from "../support/event-stream.ts";
import { startChildProgram } from "../support/child-program.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { getOutcome } from "../support/outcome.ts";
import { poolSize, startPgBouncer, type PgBouncer } from "../support/pgbouncer.ts";
import { createPostgresCluster, findPostgres } from "../support/postgres-cluster.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { callToolOk } from "../support/service-access.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";
import { waitUntil } from "../support/wait-until.ts";
import { findProgram, skipWithout } from "../support/find-program.ts";

const serverUrl = process.env["TEST_DATABASE_URL"];
const program = findProgram("pgbouncer");
const skip = skipWithoutPostgres || skipWithout("pgbouncer");

describe("two processes behind PgBouncer in transaction mode", { skip }, () => {
  let pooler: PgBouncer;
  let location: TemporaryDatabase;
  let base: string;
  let otherUrl: string;
  let studio: StudioClient;
  const processes: MainProcess[] = [];

  before(async () => {
    pooler = await startPgBouncer(program ?? "", serverUrl ?? "");
    location = await createTemporaryDatabase("postgres", serverUrl, pooler.url);
    base = await findFreeBaseUrl();
    otherUrl = await findFreeBaseUrl();
    const start = (url: string) =>
      startMain({
        PORT: new URL(url).port,
        BASE_URL: base,
        DATA_DIR: location.dataDir,
        RATE_LIMITS: "off",
        SECRETS: "a test secret that is long enough for this",
        ...getDatabaseSettings(location),
      });
    // Starts both at once on an empty database; one of them applies each migration.
    processes.push(...(await Promise.all([base, otherUrl].map(start))));
    studio = await newStudioClient(base);
  });
  after(async () => {
    for (const instance of processes) await instance.kill();
    await pooler?.stop();
    await location?.remove();
  });

  /** Calls a tool of the second process. */
  const callOther = <T = unknown>(name: string, input: object) =>
    callToolOk<T>(`http://127.0.0.1:${new URL(otherUrl).port}`, studio.tokens.access_token, name, input);

  test("a user signs in, connects an AI client, and both processes serve its calls (VAR-DATABASE_LISTEN_URL)", async () => {
    const { id } = await studio.call<{ id: string }>("create_post", { title: "Pooled", body: "Through PgBouncer" });
    const { posts } = await studio.call<{ posts: { id: string }[] }>("list_posts", { query: "PgBouncer" });
    assert.deepEqual([posts.length, posts[0]?.id], [1, id]);
    const file = { kind: "document", mimeType: "text/plain", base64: btoa("a text file") };
    const { assetId } = await studio.call<{ assetId: string }>("upload_asset_inline", file);
    await studio.call("attach_asset", { postId: id, assetId });
    const { assets } = await callOther<{ assets: { id: string }[] }>("get_post", { postId: id });
    assert.deepEqual([assets.length, assets[0]?.id], [1, assetId]);
  });

  test("parallel edits by both processes are serialized, and share the pool's sessions", async () => {
    const { id: postId } = await studio.call<{ id: string }>("create_post", { title: "Edited" });
    // Per process, no more clients than it has connections; in total, more clients than the pool has sessions.
    const [clientCount, editsPerClient] = [8, 3];
    const edit = async (client: number): Promise<void> => {
      for (let i = 0; i < editsPerClient; i++) {
        const input = { postId, tags: [`client ${client}`, `edit ${i}`] };
        if (client % 2 === 0) await studio.call("update_post", input);
        else await callOther("update_post", input);
      }
    };
    await Promise.all(Array.from({ length: clientCount }, (_, client) => edit(client)));
    const { revision } = await studio.call<{ revision: number }>("get_post", { postId });
    assert.equal(revision, clientCount * editsPerClient + 1);

    const client = new pg.Client({ connectionString: getListenUrl(location) });
    await client.connect();
    const { rows } = await client.query<{ name: string; count: number }>(
      "SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() GROUP BY 1",
    );
    await client.end();
    const countByName = new Map(rows.map(({ name, count }) => [name, count]));
    const pooledCount = countByName.get("atelier") ?? 0;
    assert.ok(pooledCount > 1 && pooledCount <= poolSize, `${pooledCount} sessions`);
    assert.equal(countByName.get("atelier listener"), 2, "each process listens in a session of its own");
  });

  test("a change by one process is announced by the other (CHAT-20)", async () => {
    const { id: postId } = await studio.call<{ id: string }>("create_post", { title: "Followed" });
    const stream = await listen(
      { url: `${base}/mcp`, token: studio.tokens.access_token },
      { resourceSubscriptions: [`atelier://posts/${postId}`] },
    );
    await callOther("update_post", { postId, tags: ["changed"] });
    await stream.waitForUpdates(1);
    stream.close();
    assert.doesNotMatch(processes.map((instance) => instance.getOutput()).join("\n"), /notifications no longer arrive/);
  });

  test("each publication is sent once (PUB-8)", async () => {
    await studio.connectSandbox("harbour");
    const { connections } = await studio.call<{ connections: { id: string }[] }>("list_platforms");
    const connectionIds = connections.map(({ id }) => id);
    assert.equal(connectionIds.length, 1);
    const texts = Array.from({ length: 8 }, (_, i) => `Pooled publication ${i}`);
    const posts = await Promise.all(
      texts.map((body) => studio.call<{ id: string }>("create_post", { title: "Pooled", body })),
    );
    const publish = ({ id }: { id: string }) =>
      studio.callApi("POST", `/studios/${studio.studioId}/posts/${id}/publications`, { connectionIds });
    await Promise.all(posts.map(publish));
    const listSentTexts = async (): Promise<string[]> => {
      const body = (await (await fetch(`${base}/sandbox/posts`)).json()) as { posts: { text: string }[] };
      return body.posts.map(({ text }) => text).toSorted();
    };
    await waitUntil(async () => (await listSentTexts()).length >= texts.length, {
      timeoutMs: 60_000,
      intervalMs: 200,
      description: "all publications are sent",
    });
    assert.deepEqual(await listSentTexts(), texts);
  });

  test("a client refreshes its tokens", async () => {
    await studio.refreshTokens();
    await studio.call("whoami");
  });

  test("neither process logs an error", () => {
    const lines = processes.flatMap((instance) => instance.getOutput().split("\n"));
    assert.deepEqual(
      lines.filter((line) => line.includes('"level":"error"') || !line.startsWith("{")),
      [],
    );
  });

  test("transactions have the timeouts that a direct connection has", async () => {
    const database = await openDatabase({ ...location, log: silentLog });
    try {
      const readTimeouts = (connection: Pick<typeof database, "run">) =>
        connection.run<{ statement: string; idle: string }>(
          statement(
            "SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle",
          ),
          [],
        );
      const expected = [{ statement: "2500ms", idle: "10s" }];
      assert.deepEqual(await database.transact(readTimeouts), expected);
      assert.deepEqual(await readTimeouts(database), expected, "deploy/pgbouncer.ini sets them for other statements");
    } finally {
      await database.close();
    }
  });

  test("without DATABASE_LISTEN_URL, the service does not start and names the setting", async () => {
    const service = startChildProgram([new URL("../../src/main.ts", import.meta.url).pathname], {
      DATABASE_URL: location.databaseUrl ?? "",
      DATA_DIR: location.dataDir,
      PORT: "0",
    });
    assert.equal(await service.exited, 1);
    assert.match(service.getOutput(), /DATABASE_URL leads to a pooler .*Set DATABASE_LISTEN_URL/);
  });
});

test(
  "while PostgreSQL is down behind PgBouncer, calls fail with storage_unavailable, and recover without a restart (RUN-4, D1)",
  { skip },
  async () => {
    const cluster = await createPostgresCluster(findPostgres() ?? "", { fsync: "off" });
    const pooler = await startPgBouncer(program ?? "", cluster.url());
    const location = await createTemporaryDatabase("postgres", cluster.url(), pooler.url);
    const database = await openDatabase({ ...location, log: silentLog });
    const query = statement("SELECT 1");
    const runCalls = async (): Promise<Set<string>> => {
      const transact = () => database.transact((tx) => tx.run(query, []));
      return new Set(
        await Promise.all(Array.from({ length: 10 }, (_, i) => getOutcome(i % 2 === 0 ? database.ping() : transact()))),
      );
    };
    try {
      assert.deepEqual(await runCalls(), new Set(["ok"]));
      const [transactionStarted, clusterStopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const interruptedCall = getOutcome(
        database.transact(async (tx) => {
          await tx.run(query, []);
          transactionStarted.resolve();
          await clusterStopped.promise;
          await tx.run(query, []);
        }),
      );
      await transactionStarted.promise;
      await cluster.stop("immediate");
      clusterStopped.resolve();
      assert.equal(await interruptedCall, "storage_unavailable");
      assert.deepEqual(await runCalls(), new Set(["storage_unavailable"]));
      await cluster.start();
      await waitUntil(async () => (await getOutcome(database.ping())) === "ok");
      assert.deepEqual(await runCalls(), new Set(["ok"]));
    } finally {
      await database.close();
      await pooler.stop();
      await location.remove();
      await cluster.remove();
    }
  },
);
