import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listOneEngine } from "../support/engines.ts";
import { measurePercentile } from "../support/latency.ts";
import { isLongRun } from "../support/long-run.ts";
import { callModern } from "../support/mcp.ts";
import { useServiceProcess } from "../support/service-process.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";

const postCount = isLongRun ? 1000 : 60;
const measuredCalls = isLongRun ? 1000 : 100;

/** More searches than a process has PostgreSQL connections. */
const concurrentSearches = 16;

/** A body of the maximum length that also expands to the maximum length when it is folded for search. */
const body = "\u2057".repeat(100_000);

/** The tokens of `queries` that the body lacks; they are in the titles. */
const queryTokens = "\u2032\u2032b b\u2032\u2032";

/** Queries that almost match at each character, and whose tokens are in all posts: the index does not exclude any. */
const queries = [`${"\u2032".repeat(199)}b`, `b${"\u2032".repeat(199)}`];

for (const engine of listOneEngine()) {
  describe(`searches of hostile posts (${engine})`, () => {
    const service = useServiceProcess(undefined, engine);
    let otherUser: StudioClient;

    before(async () => {
      const { base, studio: member } = service;
      otherUser = await newStudioClient(base, "other@example.com");
      for (let i = 0; i < 10; i++) await otherUser.call("create_post", { title: `P${i}`, body: "A short text." });
      await member.call("create_post", { title: "needle", body });
      for (let i = 1; i < postCount; i++) await member.call("create_post", { title: queryTokens, body });
    });

    /** Returns the p99 of another user's calls; throws if one of them fails. */
    const measureOtherCalls = (): Promise<number> =>
      measurePercentile(
        99,
        measuredCalls,
        (i) => (i % 2 === 0 ? otherUser.call("list_posts", { limit: 5 }) : otherUser.call("whoami")),
        2,
      );

    async function searchOnce(
      query: string,
      cursor: string | null,
    ): Promise<{ code: string; cursor: string | null; ms: number }> {
      const startedAt = performance.now();
      const input = { query, ...(cursor === null ? {} : { cursor }) };
      const { status, text, json } = await callModern(service.studio.caller, "tools/call", {
        name: "list_posts",
        arguments: input,
      });
      assert.equal(status, 200, text);
      const { code = "ok", nextCursor = null } = json.result.structuredContent as {
        code?: string;
        nextCursor?: string | null;
      };
      return { code, cursor: nextCursor, ms: performance.now() - startedAt };
    }

    test(`${postCount} posts, ${concurrentSearches} concurrent searches by one member: other users' calls stay fast, and none fails (X4)`, async (t) => {
      await measureOtherCalls();
      const baselineBeforeMs = await measureOtherCalls();
      const codes = new Map<string, number>();
      let slowestMs = 0;
      const stop = new AbortController();
      const searchUntilStopped = async (query: string) => {
        for (let cursor: string | null = null; !stop.signal.aborted;) {
          const result = await searchOnce(query, cursor);
          codes.set(result.code, (codes.get(result.code) ?? 0) + 1);
          slowestMs = Math.max(slowestMs, result.ms);
          cursor = result.cursor;
          if (result.code === "rate_limited") await sleep(500);
        }
      };
      const searches = Array.from({ length: concurrentSearches }, (_, i) => searchUntilStopped(queries[i % 2] ?? ""));
      await sleep(500);
      const measureUnderLoad = async () =>
        Math.min(await measureOtherCalls(), await measureOtherCalls(), await measureOtherCalls());
      const underLoadMs = await measureUnderLoad().finally(() => stop.abort());
      await Promise.all(searches);
      // Measures again afterwards, so that other load on this machine does not count against the searches.
      const baselineMs = Math.max(baselineBeforeMs, await measureOtherCalls());
      const outcomes = [...codes].map(([code, count]) => `${count} ${code}`).join(", ");
      t.diagnostic(
        `other calls: p99 ${baselineMs.toFixed(1)} ms without searches, ${underLoadMs.toFixed(1)} ms during the searches; ` +
          `searches: ${outcomes}; slowest ${(slowestMs / 1000).toFixed(1)} s`,
      );
      // A call may have to wait for one chunk of a search each time it returns to the event loop.
      assert.ok(
        underLoadMs < Math.max(2 * baselineMs, baselineMs + 40),
        `${baselineMs} ms without searches, ${underLoadMs} ms during the searches`,
      );
      assert.ok((codes.get("ok") ?? 0) > 0);
      assert.deepEqual(
        [...codes.keys()].filter((code) => code !== "ok" && code !== "rate_limited"),
        [],
      );
      assert.ok(slowestMs < 15_000, `a search took ${slowestMs} ms`);
    });

    test("the index finds the oldest match in one call (X4, POST-4)", async () => {
      const { posts, nextCursor } = await service.studio.call<{
        posts: { title: string }[];
        nextCursor: string | null;
      }>("list_posts", { query: "needle" });
      assert.deepEqual([posts.map(({ title }) => title), nextCursor], [["needle"], null]);
    });
  });
}
