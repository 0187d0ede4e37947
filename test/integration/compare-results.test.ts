import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import type { PlatformSetup } from "#connectors/connectors.ts";
import { mastodon } from "#connectors/mastodon/connect.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { createResultStore } from "#db/results.ts";
import { readDueResults } from "#domain/jobs/read-results.ts";
import { type Metrics, resultAges } from "#domain/model/results.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { compareResults } from "#domain/publishing/compare-results.ts";
import { listPublications } from "#domain/publishing/list-publications.ts";
import { listResults } from "#domain/publishing/results.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { days, hours, toIsoTime } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { forEachEngine } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection, newMastodonConnection } from "../support/platform-fixture.ts";
import { insertPublishedPosts } from "../support/published-posts.ts";
import { recordPlans } from "../support/query-plans.ts";
import { newMember, newStudio } from "../support/users.ts";

const likes = (value: number): Metrics => ({
  likes: { source: "favourites_count", value },
  reposts: { source: null, value: null, reason: "not_offered" },
});

/** All numbers in a value, with their paths. */
function listNumbers(value: unknown, path = ""): [path: string, number: number][] {
  if (typeof value === "number") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    listNumbers(member, Array.isArray(value) ? path : `${path}.${key}`),
  );
}

forEachEngine("comparing results", (fixture) => {
  const { deps, clock } = fixture;
  const age = 24;

  async function newAccount(platform = "somewhere") {
    const owner = await newStudio(deps);
    return { owner, connectionId: await newConnection(deps, owner, "harbour", platform) };
  }
  const read = (publicationId: string, publishedAt: number, dueAge: number, metrics: Metrics, change: object = {}) =>
    deps.results.insert({
      ...{ publicationId, readAt: publishedAt + hours(dueAge), dueAge, definition: 1, metrics },
      ...change,
    });

  test("posts of an account are compared only at the same age and under the same definition; others say why (RES-4)", async () => {
    const { owner, connectionId } = await newAccount();
    const now = clock();
    const inserted = await insertPublishedPosts(fixture, owner, connectionId, [
      { publishedAt: now - hours(2), title: "Pending" },
      { publishedAt: now - hours(40), title: "Newest", tags: ["sea"] },
      { publishedAt: now - days(3), title: "Late" },
      { publishedAt: now - days(4), title: "Not read" },
      { publishedAt: now - days(5), title: "Other definition" },
      { publishedAt: now - days(6), title: "Oldest" },
      { publishedAt: now - days(7), title: "In the trash" },
      { publishedAt: now - days(31), title: "Too old" },
    ]);
    const [pending, newest, late, notRead, other, oldest, trashed, tooOld] = inserted.map((post) => post);
    assert.ok(pending && newest && late && notRead && other && oldest && trashed && tooOld);
    await read(pending.publicationId, pending.publishedAt, 1, likes(900));
    await read(newest.publicationId, newest.publishedAt, 24, likes(7));
    await read(late.publicationId, late.publishedAt, 24, likes(901), { readAt: late.publishedAt + hours(31) });
    await read(notRead.publicationId, notRead.publishedAt, 72, likes(902));
    await read(other.publicationId, other.publishedAt, 24, likes(903), { definition: 0 });
    await read(oldest.publicationId, oldest.publishedAt, 24, likes(5));
    await read(oldest.publicationId, oldest.publishedAt, 72, likes(904));
    await read(trashed.publicationId, trashed.publishedAt, 24, likes(905));
    await read(tooOld.publicationId, tooOld.publishedAt, 24, likes(906));
    await deletePost(deps, owner, { postId: trashed.postId });

    const member = await newMember(deps, owner, "member");
    const comparison = await compareResults(deps, member, { connectionId, age, days: 30 });
    assert.deepEqual(
      comparison.posts.map(({ title, reason, metrics }) => [title, reason ?? metrics["likes"]]),
      [
        ["Pending", "pending"],
        ["Newest", 7],
        ["Late", "late"],
        ["Not read", "not_read"],
        ["Other definition", "other_definition"],
        ["Oldest", 5],
      ],
    );
    const { reasons, readAt, tags } = comparison.posts[1] ?? assert.fail();
    assert.deepEqual(
      [reasons, readAt, tags],
      [{ reposts: "not_offered" }, toIsoTime(newest.publishedAt + hours(24)), ["sea"]],
    );
    assert.deepEqual(comparison.sources, { likes: "favourites_count", reposts: null });
    assert.deepEqual([comparison.isTruncated, comparison.isRead], [false, false]);
    const listed = await listPublications(deps, owner, { includeResults: true, resultsAge: age, limit: 100 });
    const withResults = listed.publications.filter(({ results }) => results);
    assert.deepEqual(
      new Map(withResults.map(({ id, results }) => [id, results?.metrics["likes"]])),
      new Map([
        [newest.publicationId, 7],
        [other.publicationId, 903],
        [oldest.publicationId, 5],
        [trashed.publicationId, 905],
        [tooOld.publicationId, 906],
      ]),
    );
    const stranger = await newStudio(deps);
    assert.equal(await getOutcome(compareResults(deps, stranger, { connectionId, age, days: 30 })), "not_found");
  });

  test("every figure is a number that the platform gave, under its name: no totals, rates or rankings (RES-5)", async () => {
    const { owner, connectionId } = await newAccount();
    const [publishedAt, metricNames] = [clock() - days(2), ["likes", "comments", "reposts", "views"]];
    const inserted = await insertPublishedPosts(
      fixture,
      owner,
      connectionId,
      [0, 1, 2].map((i) => ({ publishedAt: publishedAt - i })),
    );
    // Powers of two: no sum, difference or mean of them is another one.
    const given = new Map<string, Set<number>>(metricNames.map((name) => [name, new Set()]));
    let next = 1;
    for (const { publicationId, publishedAt: at } of inserted) {
      for (const dueAge of [1, age]) {
        const metrics = metricNames.map((name) => {
          given.get(name)?.add((next *= 2));
          return [name, { source: name, value: next }];
        });
        await read(publicationId, at, dueAge, Object.fromEntries(metrics) as Metrics);
      }
    }
    const listed = await listPublications(deps, owner, { includeResults: true, limit: 100 });
    // The ages are choices of the page, and no figures.
    const { ages: _, ...comparison } = await compareResults(deps, owner, { connectionId, age, days: 30 });
    const figures = [
      ...listNumbers(comparison),
      ...listNumbers(listed.publications.map(({ results }) => ({ results }))),
      ...listNumbers(await listResults(deps, owner, { publicationId: inserted[0]?.publicationId ?? "" })),
    ];
    const shown = metricNames.flatMap((name) => [
      `.posts.metrics.${name}`,
      `.results.metrics.${name}`,
      `.snapshots.metrics.${name}`,
    ]);
    assert.deepEqual([...new Set(figures.map(([path]) => path))].toSorted(), shown.toSorted());
    assert.equal(figures.length, (3 + 3 + 2) * metricNames.length);
    for (const [path, figure] of figures)
      assert.ok(given.get(path.split(".").at(-1) ?? "")?.has(figure), `${path}: ${figure}`);
  });

  test("posts cost as few requests as planned, 400 to Mastodon for 1,000 posts, and no reading is lost or repeated (RES-2)", async () => {
    const owner = await newStudio(deps);
    const connectionId = await newMastodonConnection(deps, owner, "https://social.example");
    await fixture.database.q.deleteFrom("resultReadings").execute();
    const count = isLongRun ? 1000 : 100;
    const publishedAt = clock();
    const sameTime = Array.from({ length: count }, () => ({ publishedAt }));
    const ids = (await insertPublishedPosts(fixture, owner, connectionId, sameTime)).map((post) => post.publicationId);
    let requests = 0;
    const publicFetch: PublicFetch = async (url) => {
      requests++;
      const statuses = new URL(url).searchParams.getAll("id[]").map((id) => ({ id, favourites_count: requests }));
      return Response.json(statuses);
    };
    const publisher = createPublisher({
      setups: [{ platform: mastodon, publicFetch } as PlatformSetup],
      createMediaUrl: () => "",
      openFile: async () => Readable.from([]),
      sleep: async () => {},
    });
    const collect = () => readDueResults({ ...deps, publisher }, { pause: async () => {}, shouldStop: () => false });
    for (const dueAge of resultAges) {
      clock.advance(publishedAt + hours(dueAge) - clock());
      await collect();
      assert.equal(await collect(), 0, "all are read");
    }
    assert.equal(requests, (count / 20) * resultAges.length);
    const { total } = await fixture.database.q
      .selectFrom("resultSnapshots")
      .select((eb) => eb.fn.countAll<number>().as("total"))
      .where("publicationId", "in", ids)
      .executeTakeFirstOrThrow();
    assert.equal(total, count * resultAges.length);
  });

  test("the results of an account whose platform allows no longer use are deleted when it is disconnected (RES-6)", async () => {
    for (const [platform, kept] of [
      ["youtube", 0],
      ["somewhere", 30],
    ] as const) {
      const { owner, connectionId } = await newAccount(platform);
      const publishedAt = clock() - days(2);
      const inserted = await insertPublishedPosts(
        fixture,
        owner,
        connectionId,
        Array.from({ length: 30 }, () => ({ publishedAt })),
      );
      for (const { publicationId } of inserted) await read(publicationId, publishedAt, age, likes(1));
      await disconnectPlatform(deps, owner, { connectionId });
      const { posts } = await compareResults(deps, owner, { connectionId, age, days: 30 });
      assert.equal(posts.filter(({ readAt }) => readAt !== null).length, kept, platform);
      assert.equal(posts.length, 30);
    }
  });

  test("comparing posts uses indexes (RES-4)", async () => {
    const { connection, listPlans } = recordPlans(fixture);
    await createResultStore(connection).listAtAge("plc_1", age, 0, 500);
    for (const { sql, plan } of await listPlans()) {
      assert.ok(!plan.some((step) => /^SCAN|Seq Scan|TEMP B-TREE|Sort/.test(step)), `${sql}: ${plan.join("; ")}`);
      assert.match(plan.join(), /publications_published_by_account/);
    }
  });
});
