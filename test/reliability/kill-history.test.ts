import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createStores, openDatabase } from "#db/open-database.ts";
import { createTemporaryDatabase, listEngines, silentLog } from "../support/engines.ts";
import { startHelper } from "../support/helper-process.ts";
import { isLongRun } from "../support/long-run.ts";
import { readConsistentStudio } from "../support/undo-studio.ts";

const killCount = isLongRun ? 200 : 4;

interface SavedRevision {
  postId: string;
  revision: number;
  title: string;
  body: string;
  status: string;
  assets: [id: string, altText: string | null][];
}

for (const engine of listEngines()) {
  describe(`kill -9 during edits, deletes, restores and undos (${engine})`, () => {
    test(`${killCount} kills: every acknowledged revision is stored with its exact content, and every post is consistent (HIST-1, TRASH-1, UNDO-1)`, async (t) => {
      const location = await createTemporaryDatabase(engine);
      const start = () => startHelper("edit-history.ts", { ...location, concurrency: 3 });
      let acknowledgedCount = 0;
      let nextHelper = start();
      try {
        for (let kill = 0; kill < killCount; kill++) {
          const helper = nextHelper;
          await helper.begin();
          if (kill + 1 < killCount) nextHelper = start();
          await helper.waitForLine("saved", 10 + Math.floor(Math.random() * 15));
          await sleep(Math.random() * 15);
          await helper.kill();
          acknowledgedCount += await checkDatabase(helper.lines);
        }
        t.diagnostic(`${acknowledgedCount} acknowledged revisions`);
        assert.ok(acknowledgedCount > killCount * 9, `only ${acknowledgedCount} revisions were acknowledged`);
      } finally {
        await nextHelper.kill();
        await location.remove();
      }

      /** Checks everything that a killed process acknowledged; returns the number of its revisions. */
      async function checkDatabase(lines: readonly string[]): Promise<number> {
        const database = await openDatabase({ ...location, log: silentLog });
        try {
          const { revisions } = createStores(database);
          const savedRevisions = lines
            .filter((line) => line.startsWith("saved "))
            .map((line) => JSON.parse(line.slice("saved ".length)) as SavedRevision);
          for (const { postId, revision, ...expected } of savedRevisions) {
            const storedRevision = await revisions.find(postId, revision);
            assert.ok(storedRevision, `revision ${revision} of ${postId}`);
            const { title, body, status } = storedRevision;
            const assets = storedRevision.assets.map(({ id, altText }) => [id, altText]);
            assert.deepEqual({ title, body, status, assets }, expected, `revision ${revision} of ${postId}`);
          }
          for (const postId of new Set(savedRevisions.map((saved) => saved.postId))) await checkPost(postId);
          return savedRevisions.length;
        } finally {
          await database.close();
        }

        async function checkPost(postId: string): Promise<void> {
          const { q } = database;
          const post = await q
            .selectFrom("posts")
            .select(["studioId", "revision", "trashedAt"])
            .where("id", "=", postId)
            .executeTakeFirstOrThrow();
          await readConsistentStudio(database, post.studioId);
          const rows = await q
            .selectFrom("postRevisions")
            .select("revision")
            .where("postId", "=", postId)
            .orderBy("revision")
            .execute();
          assert.deepEqual(
            rows.map((row) => row.revision),
            Array.from({ length: post.revision }, (_, i) => i + 1),
            "every revision has a snapshot",
          );
          // There can be more rows than lines, because the kill may come between a call and its line.
          const acknowledgedLines = lines.filter(
            (line) => line === `trashed ${postId}` || line === `restored ${postId}`,
          );
          const trashChangeRows = await q
            .selectFrom("postRevisions")
            .select("revision")
            .where("postId", "=", postId)
            .where("trashedChanged", "=", true)
            .execute();
          assert.ok(
            trashChangeRows.length >= acknowledgedLines.length,
            "acknowledged deletes and restores are in the history",
          );
        }
      }
    });
  });
}
