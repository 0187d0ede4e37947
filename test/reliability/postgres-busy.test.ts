import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { before, describe, test } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import pg from "pg";
import { openPostgres } from "#db/postgres.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { changeRole } from "#domain/studios/members.ts";
import { systemClock } from "#lib/clock.ts";
import { skipWithoutPrograms, usePostgres } from "../support/postgres-fixture.ts";
import { createDeps, silentLog } from "../support/engines.ts";
import { newMember } from "../support/users.ts";
import { measureOutcome, type TimedOutcome } from "../support/measure-outcome.ts";

const maxMs = 5000;

/** Starts its own PostgreSQL server, which allows few connections. */
describe("PostgreSQL with locks or without free connections", { skip: skipWithoutPrograms }, () => {
  const fixture = usePostgres({ max_connections: 20, superuser_reserved_connections: 0, fsync: "off" });
  let { location, database, deps, owner } = fixture;
  let member: Caller;
  let postId: string;
  before(async () => {
    ({ location, database, deps, owner } = fixture);
    member = await newMember(deps, owner, "member");
    postId = (await createPost(deps, owner, { title: "A", body: "" })).id;
  });

  /** Runs a locking statement on another connection; returns a function that releases the lock. */
  async function holdLock(sql: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: location.databaseUrl });
    await client.connect();
    await client.query("BEGIN");
    await client.query(sql);
    return () => client.end();
  }

  test("requests that wait for a locked row fail within 5 s, and others are served meanwhile (ERR-storage_unavailable, D3)", async () => {
    const makeOwner = () => changeRole(deps, owner, { userId: member.user.id, role: "owner" });
    const release = await holdLock(`SELECT * FROM studios WHERE id = '${owner.studio.id}' FOR UPDATE`);
    try {
      const blockedCalls = Array.from({ length: 5 }, () => measureOutcome(makeOwner));
      for (let i = 0; i < 20; i++) {
        const { outcome, ms } = await measureOutcome(() => listPosts(deps, owner, { limit: 1 }));
        assert.deepEqual([outcome, ms < 3000], ["ok", true]);
      }
      for (const { outcome, ms } of await Promise.all(blockedCalls))
        assert.deepEqual([outcome, ms < maxMs], ["storage_unavailable", true], `${ms}`);
    } finally {
      await release();
    }
    assert.equal((await measureOutcome(makeOwner)).outcome, "ok");
  });

  test("more requests than connections wait for a locked table: each fails within 5 s (ERR-storage_unavailable, D3)", async () => {
    const release = await holdLock("LOCK TABLE posts IN ACCESS EXCLUSIVE MODE");
    try {
      const operations = [
        () => getPost(deps, owner, { postId }),
        () => updatePost(deps, owner, { postId, title: "B" }),
        () => listPosts(deps, owner, { limit: 1 }),
      ];
      const results = await Promise.all(
        Array.from({ length: 45 }, (_, i) => measureOutcome(operations[i % 3] ?? (() => database.ping()))),
      );
      for (const { outcome, ms } of results)
        assert.deepEqual([outcome, ms < maxMs], ["storage_unavailable", true], `${ms}`);
    } finally {
      await release();
    }
    const laterResults = await Promise.all(
      Array.from({ length: 30 }, () => measureOutcome(() => getPost(deps, owner, { postId }))),
    );
    assert.ok(
      laterResults.every(({ outcome }) => outcome === "ok"),
      "the connection pool has recovered",
    );
  });

  test("a pause of this process while it connects fails no request (ERR-storage_unavailable, D2)", async () => {
    const newDatabase = openPostgres({ url: location.databaseUrl ?? "", log: silentLog, isBehindPooler: false });
    try {
      const pings = Array.from({ length: 3 }, () => measureOutcome(() => newDatabase.ping()));
      await nextIteration();
      // Longer than the timeout for connecting, which then fires before the server's response is read.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
      assert.deepEqual(
        (await Promise.all(pings)).map(({ outcome }) => outcome),
        ["ok", "ok", "ok"],
      );
    } finally {
      await newDatabase.close();
    }
  });

  /** Four pings through a proxy whose first two connections never forward the message that contains `heldText`. */
  async function pingThroughProxy(heldText: string): Promise<TimedOutcome[]> {
    const { hostname, port, pathname, username, password } = new URL(location.databaseUrl ?? "");
    let connectionCount = 0;
    const proxy = createServer((socket) => {
      const isFaulty = ++connectionCount <= 2;
      const upstream = connect(Number(port), hostname).on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
      socket.on("data", (chunk: Buffer) => (isFaulty && chunk.includes(heldText)) || upstream.write(chunk));
      upstream.pipe(socket);
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const proxyPort = (proxy.address() as AddressInfo).port;
    const url = `postgres://${username}:${password}@127.0.0.1:${proxyPort}${pathname}`;
    const newDatabase = openPostgres({ url, log: silentLog, isBehindPooler: false });
    try {
      return await Promise.all(Array.from({ length: 4 }, () => measureOutcome(() => newDatabase.ping())));
    } finally {
      await newDatabase.close();
      proxy.close();
    }
  }

  for (const [event, heldText] of [
    ["established", "application_name"],
    ["verified", "pg_is_in_recovery"],
  ] as const) {
    test(`a new connection that is not ${event} in time is tried again (ERR-storage_unavailable, D2)`, async () => {
      const results = await pingThroughProxy(heldText);
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ["ok", "ok", "ok", "ok"],
      );
      assert.ok(results.every(({ ms }) => ms < maxMs));
    });
  }

  test("without free connections, requests fail within 5 s and succeed once a connection is free (ERR-storage_unavailable, D2)", async () => {
    // Unlike a database that `openDatabase` returns, this one has no connection yet.
    const newDatabase = openPostgres({ url: location.databaseUrl ?? "", log: silentLog, isBehindPooler: false });
    const clients: pg.Client[] = [];
    try {
      for (;;) {
        const client = new pg.Client({ connectionString: location.databaseUrl });
        client.on("error", () => {});
        try {
          await client.connect();
          clients.push(client);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "53300");
          break;
        }
      }
      const newDeps = createDeps(newDatabase, systemClock);
      const operations = [
        () => newDatabase.ping(),
        () => createPost(newDeps, owner, { title: "A", body: "" }),
        () => listPosts(newDeps, owner, { limit: 1 }),
      ];
      for (const { outcome, ms } of await Promise.all(
        [...operations, ...operations, ...operations].map(measureOutcome),
      )) {
        assert.deepEqual([outcome, ms < maxMs], ["storage_unavailable", true], `${ms}`);
      }
      await Promise.all(clients.splice(0).map((client) => client.end()));
      for (const operation of operations) assert.equal((await measureOutcome(operation)).outcome, "ok");
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await newDatabase.close();
    }
  });
});
