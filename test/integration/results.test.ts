import assert from "node:assert/strict";
import { test } from "node:test";
import { createResultStore } from "#db/results.ts";
import { readDueResults } from "#domain/jobs/read-results.ts";
import { resultAges } from "#domain/model/results.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPublications } from "#domain/publishing/list-publications.ts";
import { listResults, refreshResults } from "#domain/publishing/results.ts";
import { days, hours, minutes } from "#lib/clock.ts";
import { forEachEngine, type TestDeps } from "../support/engines.ts";
import { countOutcomes, getOutcome } from "../support/outcome.ts";
import { newPublication, startPublishing, type SandboxPostView } from "../support/publishing-fixture.ts";
import { recordPlans } from "../support/query-plans.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember, newStudio } from "../support/users.ts";

type ReadResults = TestDeps["publisher"]["readResults"];

forEachEngine("results", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "quay"], { clock: fixture.clock }));
  const getDeps = () => publishing.service.deps;
  const noPause = { pause: async () => {}, shouldStop: () => false };
  const read = (deps = getDeps()) => readDueResults(deps, noPause);

  /** Forgets what earlier tests planned. */
  const forget = () => fixture.database.q.deleteFrom("resultReadings").execute();

  async function publish(text: string, account = 0): Promise<{ id: string; post: SandboxPostView }> {
    const postId = await publishing.newPost(text);
    const { id } = await publishing.requestPublication(postId, publishing.connectionIds.slice(account, account + 1));
    await publishing.waitForState(id, "published");
    const post = (await publishing.listSandboxPosts()).find((candidate) => candidate.text === text);
    return { id, post: post ?? assert.fail(text) };
  }
  const putMetrics = async (postId: string, metrics: object) => {
    const url = `${publishing.service.base}/sandbox/posts/${postId}/metrics`;
    return (await fetch(url, { method: "PUT", body: JSON.stringify(metrics) })).status;
  };
  const list = async (publicationId: string) =>
    (await listResults(getDeps(), publishing.owner, { publicationId })).snapshots;
  const listMetrics = async (publicationId: string) => (await list(publicationId)).map(({ metrics }) => metrics);
  const listDueAges = async (publicationId: string) =>
    (await getDeps().results.list(publicationId, 100)).map(({ dueAge }) => dueAge).toReversed();
  /** Reads with a platform that responds like this instead. Returns the number of requests. */
  const readWith = (readResults: ReadResults): Promise<number> =>
    read({ ...getDeps(), publisher: { ...getDeps().publisher, readResults } });

  test("the sandbox keeps metrics that were given earlier, and rejects others (RES-1)", async () => {
    const { post } = await publish("Metrics");
    assert.deepEqual(
      [
        await putMetrics(post.id, { likes: 1, reposts: 2 }),
        await putMetrics(post.id, { likes: 5 }),
        await putMetrics(post.id, {}),
        await putMetrics(post.id, { likes: -1 }),
        await putMetrics(post.id, { views: 1 }),
        await putMetrics("unknown", { likes: 1 }),
      ],
      [204, 204, 204, 400, 400, 404],
    );
    assert.ok(!("likes" in post));
  });

  test("any member reads results now, once a minute, with parallel calls too, and only of published posts (RES-3)", async () => {
    const { owner } = publishing;
    const member = await newMember(getDeps(), owner, "member");
    const { id, post } = await publish("Refreshed");
    await putMetrics(post.id, { likes: 3 });
    const refresh = () => refreshResults(getDeps(), member, { publicationId: id });
    assert.deepEqual(await countOutcomes(Array.from({ length: 8 }, refresh)), { ok: 1, rate_limited: 7 });
    fixture.clock.advance(minutes(1) - 1);
    assert.equal(await getOutcome(refresh), "rate_limited");
    fixture.clock.advance(1);
    await putMetrics(post.id, { likes: 4 });
    assert.deepEqual((await refresh()).metrics, { likes: 4, comments: null, reposts: null });
    assert.deepEqual(
      (await listMetrics(id)).map(({ likes }) => likes),
      [4, 3],
    );
    const proposed = await newPublication(getDeps(), owner, "proposed", "sandbox");
    assert.deepEqual(await list(proposed), []);
    assert.equal(await getOutcome(refreshResults(getDeps(), member, { publicationId: proposed })), "not_found");
    const other = await newStudio(getDeps());
    assert.equal(await getOutcome(listResults(getDeps(), other, { publicationId: id })), "not_found");
    assert.equal(await getOutcome(refreshResults(getDeps(), other, { publicationId: id })), "not_found");
  });

  test("lists have the newest results on request, or null (RES-3)", async () => {
    const { owner } = publishing;
    const { id } = await publish("Listed");
    const find = async (input: object) => {
      const { publications } = await listPublications(getDeps(), owner, { limit: 100, ...input });
      return publications.find((publication) => publication.id === id);
    };
    assert.equal(Object.hasOwn((await find({})) ?? {}, "results"), false);
    assert.equal((await find({ includeResults: true }))?.results, null);
    fixture.clock.advance(minutes(2));
    const { readAt, metrics } = await refreshResults(getDeps(), owner, { publicationId: id });
    assert.deepEqual((await find({ includeResults: true }))?.results, { readAt, metrics });
    const { body } = await publishing.api("GET", "/publications?includeResults=true&limit=1");
    assert.ok(Object.hasOwn((body["publications"] as object[])[0] ?? {}, "results"));
  });

  test("due posts of an account are one request; a deleted post is null with that reason (RES-1, RES-2)", async () => {
    await forget();
    const published = [];
    for (let i = 0; i < 5; i++) published.push(await publish(`Batch ${i}`, i === 4 ? 1 : 0));
    await fixture.database.q
      .deleteFrom("sandboxPosts")
      .where("id", "=", published[0]?.post.id ?? "")
      .execute();
    fixture.clock.advance(hours(2));
    assert.equal(await read(), 2);
    const [deleted] = await list(published[0]?.id ?? "");
    assert.deepEqual(deleted?.reasons, { likes: "deleted", comments: "deleted", reposts: "deleted" });
    assert.equal((await list(published[4]?.id ?? "")).length, 1);
  });

  test("after an outage or a rate limit of a day, the age that has passed last is read, without extra requests (RES-2)", async () => {
    await forget();
    const { id } = await publish("Limited");
    fixture.clock.advance(hours(1));
    const retryAfterMs = hours(5);
    const limited: ReadResults = async () => ({ kind: "retry_later", retryAfterMs, message: "limited" });
    assert.deepEqual([await readWith(limited), await readWith(limited)], [1, 0]);
    fixture.clock.advance(retryAfterMs - 1);
    assert.equal(await readWith(limited), 0);
    fixture.clock.advance(1);
    assert.equal(await readWith(async () => ({ kind: "unknown", message: "no response" })), 1);
    fixture.clock.advance(hours(20));
    assert.equal(await read(), 1);
    assert.deepEqual(await listDueAges(id), [24]);
  });

  test("a kill between the response and the commit loses no reading and repeats none (RES-2)", async () => {
    await forget();
    const { id } = await publish("Killed", 1);
    fixture.clock.advance(hours(1));
    const transact: TestDeps["transact"] = async (authority, work, options) =>
      getDeps().transact(
        authority,
        async (tx) => {
          await work(tx);
          throw new Error("killed");
        },
        options,
      );
    await assert.rejects(read({ ...getDeps(), transact }), /killed/);
    assert.deepEqual(await listDueAges(id), []);
    // Two processes may read at the same time if a lease has expired.
    await Promise.all([read(), read(), read()]);
    assert.deepEqual(await listDueAges(id), [1]);
    assert.equal(await read(), 0);
  });

  test("studios take turns, so that many slow accounts of one delay another little (RES-1, F5)", async () => {
    await forget();
    const { owner } = publishing;
    await publish("By the first studio", 0);
    await publish("By the first studio, again", 1);
    const other = await newStudio(getDeps());
    const { q } = fixture.database;
    const otherId = await newPublication(getDeps(), other, "failed", "sandbox");
    const row = await getDeps().publications.find(other.studio.id, otherId);
    const published = { state: "published" as const, publishedAt: fixture.clock(), remoteId: "1" };
    await q.updateTable("publications").set(published).where("id", "=", otherId).execute();
    const reading = { publicationId: otherId, connectionId: row?.connectionId ?? "", publishedAt: fixture.clock() };
    await getDeps().results.plan({ ...reading, dueAt: fixture.clock() + hours(1) });
    await q
      .updateTable("platformConnections")
      .set({ state: "connected" })
      .where("id", "=", reading.connectionId)
      .execute();
    fixture.clock.advance(hours(2));
    const turns = { lastStudioId: "" };
    const studioIds: string[] = [];
    for (let i = 0; i < 3; i++) {
      let isFirst = true;
      await readDueResults(
        getDeps(),
        { pause: async () => {}, shouldStop: () => !isFirst || (isFirst = false) },
        turns,
      );
      studioIds.push(turns.lastStudioId);
    }
    assert.deepEqual(studioIds, [owner.studio.id, other.studio.id, owner.studio.id]);
  });

  test("a reading ends with its time limit, however many requests it takes (RES-1, F5)", async () => {
    const { id } = await publish("Slow");
    fixture.clock.advance(hours(1));
    const signals: AbortSignal[] = [];
    await readWith(async ({ signal }) => {
      signals.push(signal);
      return { kind: "unknown", message: "no response" };
    });
    assert.ok(signals.length > 0 && signals.every((signal) => signal instanceof AbortSignal), id);
  });

  test("nothing is read while the account publishes or is disconnected (RES-2)", async () => {
    await forget();
    const { id } = await publish("Waits");
    fixture.clock.advance(hours(1));
    const due = await publishing.newPost("Due first");
    await publishing.requestPublication(due, publishing.connectionIds.slice(0, 1));
    assert.equal(await read(), 0);
    const { publications } = await listPublications(getDeps(), publishing.owner, { limit: 1 });
    await publishing.waitForState(publications[0]?.id ?? "", "published");
    const { credential } = (await getDeps().platformStore.find(
      publishing.owner.studio.id,
      publishing.connectionIds[0] ?? "",
    ))!;
    await disconnectPlatform(getDeps(), publishing.owner, { connectionId: publishing.connectionIds[0] ?? "" });
    let requests = 0;
    const count: ReadResults = async (request) => {
      requests++;
      return getDeps().publisher.readResults(request);
    };
    await readWith(count);
    fixture.clock.advance(hours(6));
    await readWith(count);
    assert.equal(requests, 0);
    const connected = { state: "connected" as const, credential };
    await fixture.database.q
      .updateTable("platformConnections")
      .set(connected)
      .where("id", "=", publishing.connectionIds[0] ?? "")
      .execute();
    fixture.clock.advance(hours(6));
    await readWith(async () => ({ kind: "unknown", message: "no response" }));
    assert.equal((await list(id)).length, 0);
  });

  test("posts are read at each age until 90 days, and no snapshot changes (RES-1, RES-2)", async () => {
    await forget();
    const { id, post } = await publish("Read at every age", 1);
    const publishedAt = fixture.clock();
    for (const [i, age] of resultAges.entries()) {
      fixture.clock.advance(publishedAt + hours(age) - 1 - fixture.clock());
      assert.equal(await read(), 0, `${age} h`);
      fixture.clock.advance(1);
      assert.equal(await putMetrics(post.id, { likes: i * 10, ...(i === 3 ? { comments: 2 } : {}) }), 204);
      assert.deepEqual([await read(), await read()], [1, 0]);
    }
    assert.deepEqual(await listDueAges(id), resultAges);
    const snapshots = await list(id);
    assert.deepEqual(snapshots[0]?.metrics, { likes: 70, comments: 2, reposts: null });
    assert.deepEqual(snapshots[0].reasons, { reposts: "not_offered" });
    assert.deepEqual(snapshots.at(-1)?.metrics, { likes: 0, comments: null, reposts: null });
    assert.equal(Date.parse(snapshots.at(-1)?.readAt ?? ""), publishedAt + hours(1));
    const { q } = fixture.database;
    const old = { dueAt: fixture.clock(), publishedAt: fixture.clock() - days(101) };
    await q.updateTable("resultReadings").set(old).where("publicationId", "=", id).execute();
    assert.equal(await readWith(async () => ({ kind: "unknown", message: "no response" })), 1);
    const plans = await q.selectFrom("resultReadings").select("dueAt").where("publicationId", "=", id).execute();
    assert.deepEqual(plans, [{ dueAt: null }], "what is too old is given up");
  });

  test("looking for due results and listing snapshots use indexes (RES-1)", async () => {
    if (fixture.engine === "postgres") return;
    const { connection, listPlans } = recordPlans(fixture);
    const store = createResultStore(connection);
    await store.hasDue(fixture.clock());
    await store.findDueAccount(fixture.clock(), "std_1");
    await store.listDue("plc_1", fixture.clock(), 20);
    await store.list("pub_1", 10);
    await store.listLatest(["pub_1", "pub_2"]);
    for (const { sql, plan } of await listPlans())
      assert.ok(!plan.some((step) => step.startsWith("SCAN ")), `${sql}: ${plan.join("; ")}`);
  });
});
