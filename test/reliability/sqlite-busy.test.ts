import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { databaseFileName } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { forEachEngine } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { startHelper, type HelperProcess } from "../support/helper-process.ts";
import { measureOutcome } from "../support/measure-outcome.ts";

const maxMs = 5000;

forEachEngine(
  "a SQLite file that another process writes to",
  (fixture) => {
    async function holdLock(ms: number): Promise<HelperProcess> {
      const helper = startHelper("hold-lock.ts", { file: join(fixture.location.dataDir, databaseFileName), ms });
      await helper.begin("locked");
      return helper;
    }

    test("a write waits for the lock of another process, and succeeds (RUN-5, D4)", async () => {
      const owner = await newStudio(fixture.deps);
      const helper = await holdLock(3000);
      const { outcome, ms } = await measureOutcome(() => createPost(fixture.deps, owner, { title: "A", body: "" }));
      assert.equal(outcome, "ok");
      assert.ok(ms > 100, "it had to wait");
      await helper.exited;
    });

    test("reads continue, and writes that wait too long fail with storage_unavailable within 5 s (RUN-5, D3)", async () => {
      const owner = await newStudio(fixture.deps);
      const { id: postId } = await createPost(fixture.deps, owner, { title: "A", body: "" });
      const helper = await holdLock(60_000);
      try {
        const read = await measureOutcome(() => getPost(fixture.deps, owner, { postId }));
        assert.deepEqual([read.outcome, read.ms < 3000], ["ok", true]);
        const write = await measureOutcome(() => createPost(fixture.deps, owner, { title: "B", body: "" }));
        assert.deepEqual([write.outcome, write.ms < maxMs], ["storage_unavailable", true], `${write.ms}`);
        const pendingWrites = [1, 2, 3].map((n) =>
          measureOutcome(() => createPost(fixture.deps, owner, { title: `C${n}`, body: "" })),
        );
        for (const { outcome, ms } of await Promise.all(pendingWrites))
          assert.deepEqual([outcome, ms < maxMs], ["storage_unavailable", true], `${ms}`);
      } finally {
        await helper.kill();
      }
      await sleep(1100);
      const nextHelper = await holdLock(300);
      const laterWrite = await measureOutcome(() => createPost(fixture.deps, owner, { title: "D", body: "" }));
      assert.equal(laterWrite.outcome, "ok", "later writes get the full timeout again");
      await nextHelper.exited;
    });

    test("the event loop is not blocked while a write waits (RUN-5, D3)", async () => {
      const owner = await newStudio(fixture.deps);
      const helper = await holdLock(2000);
      let tickCount = 0;
      const timer = setInterval(() => tickCount++, 10);
      await createPost(fixture.deps, owner, { title: "A", body: "" });
      clearInterval(timer);
      await helper.exited;
      assert.ok(tickCount > 50, `only ${tickCount} timers fired meanwhile`);
    });

    test("two processes write to one data folder concurrently, and no acknowledged write is lost (RUN-5)", async () => {
      const helpers = [1, 2].map(() => startHelper("write-posts.ts", { ...fixture.location, concurrency: 2 }));
      await Promise.all(helpers.map((helper) => helper.waitForLine("loaded")));
      for (const helper of helpers) helper.letRun();
      await Promise.all(helpers.map((helper) => helper.waitForLine("saved", 21))); // both make progress
      await Promise.all(helpers.map((helper) => helper.kill()));
      const rows = await fixture.database.q.selectFrom("posts").select(["id", "revision"]).execute();
      const storedRevisions = new Map(rows.map(({ id, revision }) => [id, revision]));
      for (const { lines } of helpers) {
        const acknowledgedWrites = lines.map((line) => line.split(" ")).filter(([step]) => step === "saved");
        assert.deepEqual(
          acknowledgedWrites.filter(([, , id = "", revision]) => (storedRevisions.get(id) ?? 0) < Number(revision)),
          [],
        );
      }
    });
  },
  ["sqlite"],
);
