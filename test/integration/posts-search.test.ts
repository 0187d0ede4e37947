import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { searchBudget } from "#domain/steps/search.ts";
import { maxWaitingSearches } from "#domain/model/search/search-queue.ts";
import { AppError } from "#lib/errors.ts";
import { forOneEngine } from "../support/engines.ts";
import { almostMatchingQuery, insertPosts } from "../support/hostile-posts.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { readPages } from "../support/read-pages.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitTurns } from "../support/wait-turns.ts";

forOneEngine("bounded search", (fixture) => {
  const search = (caller: Caller, input: Record<string, unknown>, deps: Deps = fixture.deps) =>
    listPosts(deps, caller, listPostsInput.parse(input));

  /** Returns the titles on every page of a search. */
  async function searchAll(caller: Caller, input: Record<string, unknown>, deps?: Deps): Promise<string[][]> {
    const pages = await readPages((cursor) => search(caller, { ...input, cursor }, deps));
    return pages.map(({ posts }) => posts.map(({ title }) => title));
  }

  for (const isIndexed of [true, false]) {
    const name = isIndexed ? "indexed posts" : "posts that are not indexed yet";
    test(`a search of ${name} finds every match once, in order, in each status (POST-3, POST-4)`, async () => {
      const owner = await newStudio(fixture.deps);
      const getStatus = (i: number) => (i % 2 === 0 ? "draft" : "archived");
      const createTitle = (i: number) => `P${i} ${i % 3 === 0 ? "needle" : ""}${i % 100 === 0 ? " rare" : ""}`.trim();
      await insertPosts(fixture, owner, 450, (i) => ({ title: createTitle(i), status: getStatus(i), isIndexed }));
      const indexes = Array.from({ length: 450 }, (_, i) => 449 - i);
      for (const query of ["needle", "are", "nee rar"]) {
        const matches = indexes.filter((i) => query.split(" ").every((word) => createTitle(i).includes(word)));
        for (const limit of [1, 7, 100]) {
          if (limit === 1 && query === "needle") continue;
          assert.deepEqual((await searchAll(owner, { query, limit })).flat(), matches.map(createTitle));
          for (const status of ["draft", "archived", "ready"])
            assert.deepEqual(
              (await searchAll(owner, { query, limit, status })).flat(),
              matches.filter((i) => getStatus(i) === status).map(createTitle),
            );
        }
      }
      assert.deepEqual((await searchAll(owner, { query: "nowhere" })).flat(), []);
    });
  }

  test("a search call reads a bounded amount of hostile text and yields to other work; its cursor continues the search (X4)", async () => {
    const owner = await newStudio(fixture.deps);
    const isMatch = (i: number) => i === 0 || i === 40;
    await insertPosts(fixture, owner, 120, (i) => ({
      title: isMatch(i) ? `P${i} ${almostMatchingQuery}` : `P${i}`,
      isHostile: true,
    }));
    // CPU time, because a busy machine also delays an event loop that is not blocked.
    let longestBlockMs = 0;
    const stop = new AbortController();
    const eventLoopWatch = (async () => {
      while (!stop.signal.aborted) {
        const before = process.cpuUsage();
        await waitTurns(1);
        const { user, system } = process.cpuUsage(before);
        longestBlockMs = Math.max(longestBlockMs, (user + system) / 1000);
      }
    })();
    const pages = await searchAll(owner, { query: almostMatchingQuery });
    stop.abort();
    await eventLoopWatch;
    assert.deepEqual(
      pages.flat().map((title) => title.split(" ")[0]),
      ["P40", "P0"],
    );
    const hostileBytes = 120 * (3 * 99_000 + 3 * 199_000);
    assert.ok(pages.length > hostileBytes / searchBudget.bytes, `${pages.length} calls`);
    assert.ok(pages[0]?.length === 0, "the first call finds nothing and returns a cursor");
    assert.ok(longestBlockMs < 500, `the event loop was blocked for ${longestBlockMs} ms`);
  });

  test("a search call ends when its time budget is used up; its cursor continues the search (X4)", async () => {
    const owner = await newStudio(fixture.deps);
    await insertPosts(fixture, owner, 550, (i) => ({ title: i === 0 ? "needle" : `P${i}`, isIndexed: false }));
    let now = fixture.clock();
    const pages = await searchAll(
      owner,
      { query: "needle" },
      { ...fixture.deps, clock: () => (now += searchBudget.ms / 2) },
    );
    assert.deepEqual(pages, [[], [], ["needle"]], "each call reads two chunks of 100 posts");
  });

  test("one user's searches run one after another; too many waiting searches are rejected (X4, ERR-rate_limited)", async () => {
    const owner = await newStudio(fixture.deps);
    const otherMember = await newMember(fixture.deps, owner, "member");
    await insertPosts(fixture, owner, 50, () => ({ title: "P", isHostile: true }));
    const query = almostMatchingQuery;
    const searches = Array.from({ length: 12 }, () => search(owner, { query }));
    const outcomes = countOutcomes(searches);
    const rejection: unknown = await searches[11]?.catch((error: unknown) => error);
    assert.ok(rejection instanceof AppError && rejection.retryAfter !== undefined && rejection.retryAfter > 0);
    assert.equal(await getOutcome(search(otherMember, { query })), "ok", "other users have their own queue");
    const acceptedCount = maxWaitingSearches + 1;
    assert.deepEqual(await outcomes, { ok: acceptedCount, rate_limited: searches.length - acceptedCount });
    assert.equal(await getOutcome(search(owner, { query })), "ok", "a finished search frees its slot");
    assert.equal(await getOutcome(search(owner, {})), "ok");
  });
});
