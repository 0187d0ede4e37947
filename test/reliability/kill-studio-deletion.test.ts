import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { describeMe } from "#domain/access/me.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { seconds } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { countStudioRows, fillStudio, sumRows } from "../support/fill-studio.ts";
import { startHelper } from "../support/helper-process.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";

const killCount = isLongRun ? 20 : 3;

forEachEngine("kill -9 while a deleted studio is purged", (fixture) => {
  test(`${killCount} kills at random moments: the last process deletes the rest, and nothing of another studio (T10, RUN-7)`, async () => {
    const { deps, database, location, clock } = fixture;
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    await fillStudio(fixture, owner, killCount * 200);
    await fillStudio(fixture, otherOwner, 50);
    const otherRows = await countStudioRows(fixture, otherOwner.studio.id);
    const stoppingDeps = { ...deps, sleep: async () => clock.advance(seconds(4)) };
    await deleteStudio(stoppingDeps, owner, { name: owner.studio.name });

    const rowCounts = [sumRows(await countStudioRows(fixture, owner.studio.id))];
    for (let i = 0; i < killCount; i++) {
      const helper = startHelper("purge-studios.ts", { ...location, shouldPauseAfterBatch: true });
      await helper.waitForLine("loaded");
      helper.letRun();
      await helper.waitForLine("batch");
      helper.letRun();
      await sleep(Math.random() * 30);
      await helper.kill();
      rowCounts.push(sumRows(await countStudioRows(fixture, owner.studio.id)));
      assert.deepEqual((await describeMe(deps, owner)).memberships, []);
    }
    const isDescending = rowCounts.every((count, i) => i === 0 || (count > 0 && count < (rowCounts[i - 1] ?? 0)));
    assert.ok(isDescending, rowCounts.join(" "));

    const helper = startHelper("purge-studios.ts", { ...location, shouldPauseAfterBatch: false });
    await helper.waitForLine("loaded");
    helper.letRun();
    await helper.waitForLine("done");
    await helper.exited;
    assert.equal(sumRows(await countStudioRows(fixture, owner.studio.id)), 0);
    assert.deepEqual(await countStudioRows(fixture, otherOwner.studio.id), otherRows);
    const posts = await database.q.selectFrom("posts").select("studio_id").distinct().execute();
    assert.deepEqual(posts, [{ studio_id: otherOwner.studio.id }]);
    const indexedPosts = await sql`SELECT post_id FROM post_search`.execute(database.q);
    assert.equal(indexedPosts.rows.length, otherRows.posts);
  });
});
