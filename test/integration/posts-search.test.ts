import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import type { PostStatus } from "#domain/posts/post.ts";
import { searchBudget } from "#domain/posts/search-posts.ts";
import { maxWaitingSearches } from "#domain/posts/search-queue.ts";
import { AppError } from "#lib/errors.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";

/** U+2057, which `normalizeForSearch` expands to four U+2032; all are three bytes in UTF-8. */
const hostileBody = "\u2057".repeat(99_000);
/** The normalized form of `hostileBody`, at its maximum length. */
const hostileSearchText = "\u2032".repeat(200_000);

forEachEngine("bounded search", (fixture) => {
  const search = (caller: Caller, input: Record<string, unknown>, deps: Deps = fixture.deps) =>
    listPosts(deps, caller, listPostsInput.parse(input));

  /** Returns the titles on every page of a search. */
  async function searchAll(
    caller: Caller,
    input: Record<string, unknown>,
    deps: Deps = fixture.deps,
  ): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await search(caller, { ...input, ...(cursor === undefined ? {} : { cursor }) }, deps);
      pages.push(page.posts.map(({ title }) => title));
      cursor = page.nextCursor;
    }
    return pages;
  }

  /** Inserts rows directly: creating a thousand posts with the verb would take minutes. */
  async function insertPosts(
    { studio, user }: Caller,
    count: number,
    createContent: (i: number) => { title: string; body?: string; searchText?: string; status?: PostStatus },
  ): Promise<void> {
    const now = fixture.clock();
    await fixture.database.transact(async ({ q }) => {
      for (let i = 0; i < count; i++) {
        const { title, body = "", searchText = title.toLowerCase(), status = "draft" } = createContent(i);
        const times = { created_at: now, updated_at: now };
        const row = {
          id: fixture.deps.newId("post"),
          studio_id: studio.id,
          created_by: user.id,
          revision: 1,
          ...times,
        };
        await q
          .insertInto("posts")
          .values({ ...row, title, body, status, search_text: searchText })
          .execute();
      }
    });
  }

  test("a search that reads several chunks finds every match once, in order, in each status (POST-3, POST-4)", async () => {
    const owner = await newStudio(fixture.deps);
    const getStatus = (i: number) => (i % 2 === 0 ? "draft" : "archived");
    await insertPosts(owner, 450, (i) => ({ title: `P${i} ${i % 3 === 0 ? "needle" : ""}`, status: getStatus(i) }));
    const listExpectedTitles = (isIncluded: (i: number) => boolean) =>
      Array.from({ length: 450 }, (_, i) => 449 - i)
        .filter((i) => i % 3 === 0 && isIncluded(i))
        .map((i) => `P${i} needle`);
    for (const limit of [1, 7, 100]) {
      assert.deepEqual(
        (await searchAll(owner, { query: "needle", limit })).flat(),
        listExpectedTitles(() => true),
      );
      for (const status of ["draft", "archived", "ready"])
        assert.deepEqual(
          (await searchAll(owner, { query: "needle", limit, status })).flat(),
          listExpectedTitles((i) => getStatus(i) === status),
        );
    }
    assert.deepEqual(await searchAll(owner, { query: "nowhere" }), [[]], "a search in a small studio needs one call");
  });

  test("a search call reads a bounded amount of hostile text and yields to other work; its cursor continues the search (X4)", async () => {
    const owner = await newStudio(fixture.deps);
    const isMatch = (i: number) => i === 0 || i === 40;
    await insertPosts(owner, 120, (i) => ({
      title: `P${i}`,
      body: hostileBody,
      searchText: isMatch(i) ? `needle ${hostileSearchText.slice(10)}` : hostileSearchText,
    }));
    let longestBlockMs = 0;
    const stop = new AbortController();
    const eventLoopWatch = (async () => {
      for (let last = performance.now(); !stop.signal.aborted; last = performance.now()) {
        await sleep(1);
        longestBlockMs = Math.max(longestBlockMs, performance.now() - last);
      }
    })();
    const pages = await searchAll(owner, { query: "needle" });
    stop.abort();
    await eventLoopWatch;
    assert.deepEqual(pages.flat(), ["P40", "P0"]);
    const hostileBytes = 120 * (3 * 99_000 + 3 * 200_000);
    assert.ok(pages.length > hostileBytes / searchBudget.bytes, `${pages.length} calls`);
    assert.ok(pages[0]?.length === 0, "the first call finds nothing and returns a cursor");
    assert.ok(longestBlockMs < 500, `the event loop was blocked for ${longestBlockMs} ms`);
  });

  test("a search call ends when its time budget is used up; its cursor continues the search (X4)", async () => {
    const owner = await newStudio(fixture.deps);
    await insertPosts(owner, 1100, (i) => ({ title: i === 0 ? "needle" : `P${i}` }));
    let now = fixture.clock();
    const pages = await searchAll(
      owner,
      { query: "needle" },
      { ...fixture.deps, clock: () => (now += searchBudget.ms / 2) },
    );
    assert.deepEqual(pages, [[], [], ["needle"]], "each call reads two chunks of 200 posts");
  });

  test("one user's searches run one after another; too many waiting searches are rejected (X4, ERR-rate_limited)", async () => {
    const owner = await newStudio(fixture.deps);
    const otherMember = await newMember(fixture.deps, owner, "member");
    await insertPosts(owner, 50, () => ({ title: "P", body: hostileBody, searchText: hostileSearchText }));
    const searches = Array.from({ length: 12 }, () => search(owner, { query: "needle" }));
    const outcomes = countOutcomes(searches);
    const rejection: unknown = await searches[11]?.catch((error: unknown) => error);
    assert.ok(rejection instanceof AppError && rejection.retryAfter !== undefined && rejection.retryAfter > 0);
    assert.equal(await getOutcome(search(otherMember, { query: "needle" })), "ok", "other users have their own queue");
    const acceptedCount = maxWaitingSearches + 1;
    assert.deepEqual(await outcomes, { ok: acceptedCount, rate_limited: searches.length - acceptedCount });
    assert.equal(await getOutcome(search(owner, { query: "needle" })), "ok", "a finished search frees its slot");
    assert.equal(await getOutcome(search(owner, {})), "ok");
  });
});
