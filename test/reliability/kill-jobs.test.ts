import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { describeMe } from "#domain/access/me.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { seconds } from "#lib/clock.ts";
import { forEachEngine, type DatabaseLocation } from "../support/engines.ts";
import { countStudioRows, fillStudio, sumRows } from "../support/fill-studio.ts";
import { startHelper } from "../support/helper-process.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { assertTokensMatch } from "../support/index-tokens.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";

/** Kills the job at a random moment after its first batch, this many times. Then lets it run to its end. */
async function killJob(
  job: string,
  location: DatabaseLocation,
  killCount: number,
  checkAfterKill: () => Promise<void>,
): Promise<void> {
  for (let i = 0; i < killCount; i++) {
    const helper = startHelper("run-job.ts", { ...location, job, shouldPauseAfterBatch: true });
    await helper.begin("batch");
    helper.letRun();
    await sleep(Math.random() * 30);
    await helper.kill();
    await checkAfterKill();
  }
  const helper = startHelper("run-job.ts", { ...location, job, shouldPauseAfterBatch: false });
  await helper.begin("done");
  await helper.exited;
}

const indexKills = isLongRun ? 30 : 2;

forEachEngine("kill -9 while existing posts are indexed", (fixture) => {
  test(`${indexKills} kills at random moments: searches stay complete, and the last process finishes the index (RUN-7, D7)`, async () => {
    const { deps, database, location } = fixture;
    const owner = await newStudio(deps);
    const postCount = indexKills * 100;
    await insertPosts(fixture, owner, postCount, (i) => ({
      title: `Harbour ${i} ${i === 0 ? "oldest" : ""}`,
      isIndexed: false,
    }));
    const countIndexed = async (): Promise<number> =>
      (await database.q.selectFrom("posts").select("id").where("searchIndexed", "=", true).execute()).length;
    await killJob("index existing rows", location, indexKills, async () => {
      const indexedCount = await countIndexed();
      assert.ok(indexedCount > 0 && indexedCount < postCount, `${indexedCount}`);
      await assertTokensMatch(location);
      const { posts } = await listPosts(deps, owner, { limit: 10, query: "oldest harbour" });
      assert.equal(posts.length, 1);
    });
    assert.equal(await countIndexed(), postCount);
    await assertTokensMatch(location);
  });
});

const purgeKills = isLongRun ? 20 : 3;

forEachEngine("kill -9 while a deleted studio is purged", (fixture) => {
  test(`${purgeKills} kills at random moments: the last process deletes the rest, and nothing of another studio (T10, RUN-7)`, async () => {
    const { deps, database, location, clock } = fixture;
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    await fillStudio(fixture, owner, purgeKills * 200);
    await fillStudio(fixture, otherOwner, 50);
    const otherRows = await countStudioRows(fixture, otherOwner.studio.id);
    const stoppingDeps = { ...deps, sleep: async () => clock.advance(seconds(4)) };
    await deleteStudio(stoppingDeps, owner, { name: owner.studio.name });

    const countRows = async (): Promise<number> => sumRows(await countStudioRows(fixture, owner.studio.id));
    let previousCount = await countRows();
    await killJob("purge studios", location, purgeKills, async () => {
      const rowCount = await countRows();
      assert.ok(rowCount > 0 && rowCount < previousCount, `${rowCount} of ${previousCount}`);
      previousCount = rowCount;
      assert.deepEqual((await describeMe(deps, owner)).memberships, []);
    });
    assert.equal(await countRows(), 0);
    assert.deepEqual(await countStudioRows(fixture, otherOwner.studio.id), otherRows);
    const posts = await database.q.selectFrom("posts").select("studioId").distinct().execute();
    assert.deepEqual(posts, [{ studioId: otherOwner.studio.id }]);
    const indexedPosts = await sql`SELECT post_id FROM post_search`.execute(database.q);
    assert.equal(indexedPosts.rows.length, otherRows.posts);
  });
});
