import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { listPosts } from "#domain/posts/list-posts.ts";
import { forEachEngine } from "../support/engines.ts";
import { startHelper } from "../support/helper-process.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { assertTokensMatch } from "../support/index-tokens.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";

const killCount = isLongRun ? 30 : 2;

forEachEngine("kill -9 while existing posts are indexed", (fixture) => {
  test(`${killCount} kills at random moments: searches stay complete, and the last process finishes the index (RUN-7, D7)`, async () => {
    const { deps, database, location } = fixture;
    const owner = await newStudio(deps);
    const postCount = killCount * 100;
    await insertPosts(fixture, owner, postCount, (i) => ({
      title: `Harbour ${i} ${i === 0 ? "oldest" : ""}`,
      isIndexed: false,
    }));
    const countIndexed = async (): Promise<number> =>
      (await database.q.selectFrom("posts").select("id").where("search_indexed", "=", 1).execute()).length;
    const indexedCounts: number[] = [];
    for (let i = 0; i < killCount; i++) {
      const helper = startHelper("index-existing.ts", { ...location, shouldPauseAfterBatch: true });
      await helper.waitForLine("loaded");
      helper.letRun();
      await helper.waitForLine("batch");
      helper.letRun();
      await sleep(Math.random() * 30);
      await helper.kill();
      indexedCounts.push(await countIndexed());
      await assertTokensMatch(location);
      const { posts } = await listPosts(deps, owner, { limit: 10, query: "oldest harbour" });
      assert.equal(posts.length, 1);
    }
    const isPartial = (count: number): boolean => count > 0 && count < postCount;
    assert.ok(indexedCounts.every(isPartial), indexedCounts.join(" "));
    const helper = startHelper("index-existing.ts", { ...location, shouldPauseAfterBatch: false });
    await helper.waitForLine("loaded");
    helper.letRun();
    await helper.waitForLine("done");
    await helper.exited;
    assert.equal(await countIndexed(), postCount);
    await assertTokensMatch(location);
  });
});
