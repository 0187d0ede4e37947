import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "#db/open-database.ts";
import { createTemporaryDatabase, listEngines, silentLog } from "../support/engines.ts";
import { startHelper } from "../support/helper-process.ts";

const rounds = 20;

for (const engine of listEngines()) {
  describe(`kill -9 under write load (${engine})`, () => {
    test(`${rounds} kills on one database: nothing acknowledged is lost, every start is ready (RUN-8)`, async () => {
      const location = await createTemporaryDatabase(engine);
      const promised = new Map<string, number>();
      try {
        let next = startHelper("write-posts.ts", { ...location, parallel: 4 });
        for (let round = 0; round < rounds; round++) {
          const helper = next;
          await helper.waitForLine("started");
          helper.signalStart();
          await helper.waitForLine("ready");
          if (round + 1 < rounds) next = startHelper("write-posts.ts", { ...location, parallel: 4 });
          await helper.waitForLine("saved", 10 + Math.floor(Math.random() * 40));
          await sleep(Math.random() * 5);
          await helper.kill();
          for (const [, , postId = "", revision] of helper.lines
            .map((line) => line.split(" "))
            .filter(([word]) => word === "saved")) {
            promised.set(postId, Number(revision));
          }
          await checkAll(round);
        }
        assert.ok(promised.size > rounds * 5, `only ${promised.size} writes were acknowledged`);
      } finally {
        await location.remove();
      }

      async function checkAll(round: number): Promise<void> {
        const started = performance.now();
        const database = await openDatabase({ ...location, log: silentLog });
        try {
          await database.ping();
          assert.ok(performance.now() - started < 3000, "ready within 3 s");
          const posts = await database.q.selectFrom("posts").select(["id", "revision"]).execute();
          const found = new Map(posts.map(({ id, revision }) => [id, revision]));
          const lost = [...promised].filter(([id, revision]) => (found.get(id) ?? 0) < revision);
          assert.deepEqual(lost, [], `round ${round}`);
          const told = await database.q
            .selectFrom("activity")
            .select(["subject_id", "action"])
            .where("action", "like", "post.%")
            .execute();
          assert.equal(
            told.length,
            posts.reduce((sum, { revision }) => sum + revision, 0),
            "each change has its row, and no row is without a change",
          );
        } finally {
          await database.close();
        }
      }
    });
  });
}
