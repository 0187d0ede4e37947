import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, test } from "node:test";
import { createPlatforms } from "#connectors/connectors.ts";
import { createPlatformSetups } from "#connectors/catalog.ts";
import type { Caller } from "#domain/caller.ts";
import type { Publication } from "#domain/model/publication.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { type PublishingWorker, startPublishingWorker } from "#domain/jobs/publishing/worker.ts";
import { hours, minutes, systemClock } from "#lib/clock.ts";
import { createDeps, forEachEngine, type TestDeps } from "../support/engines.ts";
import { newMastodonConnection, noIdentities } from "../support/platform-fixture.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

const concurrency = 8;
const hangingHost = "https://hanging.example";
const otherHost = "https://other.example";

forEachEngine("slots of the publishing worker", (fixture) => {
  let worker: PublishingWorker | undefined;
  let endRuns = () => {};
  afterEach(async () => {
    endRuns();
    await worker?.stop();
    worker = undefined;
    await fixture.database.q.deleteFrom("publications").execute();
  });

  function getDeps(): TestDeps {
    const noFetch = () => Promise.reject(new Error("this test has no network access"));
    const platforms = createPlatforms("http://localhost:3000", createPlatformSetups({}, noFetch, noIdentities));
    return { ...createDeps(fixture.database, systemClock), platforms };
  }

  /** Makes a post due on `count` new accounts at this host. Returns the ids of the accounts. */
  async function publishNow(owner: Caller, instance: string, count: number): Promise<string[]> {
    const connectionIds: string[] = [];
    for (let i = 0; i < count; i++) connectionIds.push(await newMastodonConnection(getDeps(), owner, instance));
    const { id: postId } = await createPost(getDeps(), owner, { title: "", body: "Text" });
    await publishPost(getDeps(), owner, { postId, connectionIds });
    return connectionIds;
  }

  /** Starts a worker whose runs never finish. */
  function startHangingWorker() {
    const deps = getDeps();
    const startedIds: string[] = [];
    const ended = Promise.withResolvers<undefined>();
    let searches = 0;
    // The worker claims all that it starts before it searches again.
    const claim = async (work: Promise<Publication | undefined>): Promise<Publication | undefined> => {
      const publication = await work;
      if (publication) startedIds.push(publication.connectionId);
      return publication;
    };
    const publicationRuns: TestDeps["publicationRuns"] = {
      ...deps.publicationRuns,
      claimDue: (options) => claim(deps.publicationRuns.claimDue(options)),
      claimAbandoned: (options) => claim(deps.publicationRuns.claimAbandoned(options)),
    };
    const platformStore = { ...deps.platformStore, find: () => ended.promise };
    const publications: TestDeps["publications"] = {
      ...deps.publications,
      findWork(overdueAfterMs) {
        searches++;
        return deps.publications.findWork(overdueAfterMs);
      },
    };
    const failures: unknown[] = [];
    const onError = (error: unknown) => void failures.push(error);
    const options = { concurrency, leaseMs: hours(1), onError };
    const startedWorker = startPublishingWorker({ ...deps, platformStore, publications, publicationRuns }, options);
    endRuns = () => ended.resolve(undefined);
    worker = startedWorker;
    return {
      countStarted: (ids: readonly string[]) => ids.filter((id) => startedIds.includes(id)).length,
      /** Waits for a search that succeeds and starts nothing. On a busy machine, the database may be unavailable. */
      async waitUntilIdle() {
        for (let counts = ""; counts !== `${startedIds.length} ${failures.length}`;) {
          counts = `${startedIds.length} ${failures.length}`;
          const searchCount = searches + 2;
          const hasSearched = () => {
            startedWorker.wake();
            return searches >= searchCount;
          };
          await waitUntil(hasSearched, { timeoutMs: 120_000, description: "the worker has completed a search" });
        }
      },
    };
  }

  test("24 hanging accounts of one studio use half of the slots, and other studios start at once (PUB-18, F5)", async () => {
    const hanging = await publishNow(await newStudio(getDeps()), hangingHost, 24);
    const others = await publishNow(await newStudio(getDeps()), otherHost, 1);
    const { countStarted, waitUntilIdle } = startHangingWorker();
    await waitUntilIdle();
    assert.deepEqual([countStarted(hanging), countStarted(others)], [concurrency / 2, 1]);
    const late = await publishNow(await newStudio(getDeps()), otherHost, 1);
    await waitUntilIdle();
    assert.deepEqual([countStarted(hanging), countStarted(late)], [concurrency / 2, 1]);
  });

  test("one host uses three quarters of the slots, whichever studios its accounts belong to (F5)", async () => {
    const hanging: string[] = [];
    for (let i = 0; i < 4; i++) hanging.push(...(await publishNow(await newStudio(getDeps()), hangingHost, 4)));
    const others = await publishNow(await newStudio(getDeps()), otherHost, 1);
    const { countStarted, waitUntilIdle } = startHangingWorker();
    await waitUntilIdle();
    assert.deepEqual([countStarted(hanging), countStarted(others)], [(concurrency * 3) / 4, 1]);
  });

  test("accounts of the same studio on another host do not wait for a hanging host (F5)", async () => {
    const owner = await newStudio(getDeps());
    const hanging = await publishNow(owner, hangingHost, 24);
    const others = await publishNow(owner, otherHost, 1);
    const { countStarted, waitUntilIdle } = startHangingWorker();
    await waitUntilIdle();
    assert.deepEqual([countStarted(hanging), countStarted(others)], [concurrency / 2 - 1, 1]);
  });

  test("commits without a response, which workers look up later, use no more slots than new runs (F5)", async () => {
    const hanging = await publishNow(await newStudio(getDeps()), hangingHost, 24);
    const now = await getDeps().publications.getTime();
    await fixture.database.q
      .updateTable("publications")
      .set({
        ...{ state: "committing", leaseExpiresAt: now, nextRunAt: now, startedAt: now, committedAt: now },
        ...{ content: { title: null, text: "Text", assets: [] }, commitKey: "key" },
      })
      .execute();
    const others = await publishNow(await newStudio(getDeps()), otherHost, 1);
    const { countStarted, waitUntilIdle } = startHangingWorker();
    await waitUntilIdle();
    assert.deepEqual([countStarted(hanging), countStarted(others)], [concurrency / 2, 1]);
  });

  test("a run that takes too long ends and is retried later (F5)", async () => {
    const deps = getDeps();
    await publishNow(await newStudio(deps), hangingHost, 1);
    const prepare: TestDeps["publisher"]["prepare"] = async (_request, _saveProgress, signal) => {
      if (!signal.aborted) await once(signal, "abort");
      return { kind: "unknown", message: "canceled" };
    };
    worker = startPublishingWorker(
      { ...deps, publisher: { ...deps.publisher, prepare } },
      { concurrency, maxRunMs: 1, onError: () => {} },
    );
    const query = fixture.database.q.selectFrom("activity").select("id").where("action", "=", "publication.delayed");
    const delayed = query.where("detail", "like", "%the transfer took too long%");
    const isDelayed = async () => (await delayed.execute()).length > 0;
    await waitUntil(isDelayed, { timeoutMs: 120_000, description: "the run ends" });
  });

  test("a claim takes the publication of the studio with the fewest slots, then the oldest (F5)", async () => {
    const [busy, idle] = [await newStudio(getDeps()), await newStudio(getDeps())];
    await publishNow(busy, hangingHost, 3);
    await publishNow(idle, otherHost, 2);
    const { publications, publicationRuns } = getDeps();
    const publicationIds: string[] = [];
    const studioIds: string[] = [];
    for (;;) {
      const now = await publications.getTime();
      const slots = { publicationIds, maxPerStudio: 3, maxPerHost: 3 };
      const claimedPublication = await publicationRuns.claimDue({ now, leaseExpiresAt: now + minutes(1), slots });
      if (!claimedPublication) break;
      publicationIds.push(claimedPublication.id);
      studioIds.push(claimedPublication.studioId);
    }
    const [first, second] = [busy.studio.id, idle.studio.id];
    assert.deepEqual(studioIds, [first, second, first, second, first]);
  });
});
