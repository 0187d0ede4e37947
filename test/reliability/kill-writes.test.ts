import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { createTemporaryDatabase, listEngines, silentLog } from "../support/engines.ts";
import { startHelper } from "../support/helper-process.ts";
import { isLongRun } from "../support/long-run.ts";

const rounds = isLongRun ? 20 : 5;

for (const engine of listEngines()) {
  describe(`kill -9 under write load (${engine})`, () => {
    test(`${rounds} kills on one database: no acknowledged write is lost, and every start succeeds (RUN-8)`, async () => {
      const location = await createTemporaryDatabase(engine);
      const acknowledgedRevisions = new Map<string, number>();
      try {
        let nextHelper = startHelper("write-posts.ts", { ...location, concurrency: 4 });
        for (let round = 0; round < rounds; round++) {
          const helper = nextHelper;
          await helper.waitForLine("loaded");
          helper.letRun();
          await helper.waitForLine("ready");
          if (round + 1 < rounds) nextHelper = startHelper("write-posts.ts", { ...location, concurrency: 4 });
          await helper.waitForLine("saved", 10 + Math.floor(Math.random() * 40));
          await sleep(Math.random() * 5);
          await helper.kill();
          for (const [, , postId = "", revision] of helper.lines
            .map((line) => line.split(" "))
            .filter(([step]) => step === "saved")) {
            acknowledgedRevisions.set(postId, Number(revision));
          }
          await checkDatabase(round);
        }
        assert.ok(
          acknowledgedRevisions.size > rounds * 5,
          `only ${acknowledgedRevisions.size} writes were acknowledged`,
        );
      } finally {
        await location.remove();
      }

      async function checkDatabase(round: number): Promise<void> {
        const startedAt = performance.now();
        const database = await openDatabase({ ...location, log: silentLog });
        try {
          await database.ping();
          assert.ok(performance.now() - startedAt < 10_000, "ready within 10 s");
          const posts = await database.q.selectFrom("posts").select(["id", "revision"]).execute();
          const storedRevisions = new Map(posts.map(({ id, revision }) => [id, revision]));
          const lostPosts = [...acknowledgedRevisions].filter(
            ([id, revision]) => (storedRevisions.get(id) ?? 0) < revision,
          );
          assert.deepEqual(lostPosts, [], `round ${round}`);
          const activity = await database.q
            .selectFrom("activity")
            .select(["subject_id", "action"])
            .where("action", "like", "post.%")
            .execute();
          assert.equal(
            activity.length,
            posts.reduce((sum, { revision }) => sum + revision, 0),
            "each change has exactly one activity row",
          );
        } finally {
          await database.close();
        }
      }
    });
  });
}
