import assert from "node:assert/strict";
import { before, test } from "node:test";
import { turnBudget } from "#db/event-loop-turns.ts";
import { recordActivity } from "#domain/changes/record-activity.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { revokeAllClients } from "#domain/access/clients.ts";
import { createAssetSweeper, sweepUploads } from "#domain/jobs/sweep-files.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { countPosts, listPostSummaries } from "#domain/posts/list-post-summaries.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { listCalendar } from "#domain/publishing/list-calendar.ts";
import { indexExistingRows } from "#domain/jobs/index-existing.ts";
import { emptyTrash, listTrash } from "#domain/trash/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { undoClientChanges, undoUndo } from "#domain/undo/undo-changes.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { addClientPosts, addClientPublications } from "../support/client-content.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { countStudioRows, fillStudio } from "../support/fill-studio.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { fakePlatforms, newConnection } from "../support/platform-fixture.ts";
import { createStatementRecorder, type Recording, type StatementRecorder } from "../support/record-statements.ts";
import { createTestGrant } from "../support/tokens.ts";
import { newStudio } from "../support/users.ts";

/** More than a batch or a page has. */
const itemCount = 220;
const maxRows = 200;
/** Some operations need several statements per item of a batch. */
const maxTransactionSize = 300;

/** On SQLite, because its statements block the event loop, so the recorder also counts those of a turn. */
forEachEngine(
  "operations over many rows",
  (fixture) => {
    let recorder: StatementRecorder;
    let deps: Deps;
    before(() => {
      recorder = createStatementRecorder(fixture.database);
      deps = { ...createDeps(recorder.database, fixture.clock), platforms: fakePlatforms };
    });

    async function assertBatched(work: () => Promise<unknown>, rowLimit = maxRows): Promise<Recording> {
      const recording = await recorder.record(work);
      const { rowCounts, transactionSizes, turnSizes } = recording;
      assert.ok(Math.max(...rowCounts) <= rowLimit, `a statement has ${Math.max(...rowCounts)} rows`);
      const maxSize = Math.max(0, ...transactionSizes);
      assert.ok(maxSize <= maxTransactionSize, `a transaction has ${maxSize} statements`);
      // The turns of the recorder and of the database start at different times, so one of the former can overlap two.
      const maxTurn = Math.max(0, ...turnSizes);
      assert.ok(maxTurn <= 2 * turnBudget.statements, `${maxTurn} statements ran in one turn of the event loop`);
      return recording;
    }

    const countRows = ({ rowCounts }: Recording): number => rowCounts.reduce((sum, count) => sum + count, 0);

    /** A studio with posts that a client created, and their publications. */
    async function createFilledStudio() {
      const owner = await newStudio(deps);
      const client = await actThroughClient(deps, owner);
      const firstPostId = await addClientPosts(fixture, client, itemCount, itemCount);
      const connectionId = await newConnection(deps, owner);
      await addClientPublications(fixture, client, connectionId);
      return { owner, client, firstPostId, connectionId };
    }

    async function createFilledTrash() {
      const studio = await createFilledStudio();
      const { q } = fixture.database;
      const now = fixture.clock();
      await q
        .updateTable("posts")
        .set({ trashedAt: now, trashExpiresAt: now + days(30) })
        .where("studioId", "=", studio.owner.studio.id)
        .execute();
      return studio;
    }

    test("undo, its dry run and the undo of an undo read and change posts in batches (F4, UNDO-1)", async () => {
      const { owner, client } = await createFilledStudio();
      const input = { grantId: client.grantId, since: toIsoTime(fixture.clock() - 1000) };
      const dryRun = { ...input, dryRun: true };
      await assertBatched(async () => {
        const { undone, publications } = await undoClientChanges(deps, owner, dryRun);
        assert.deepEqual([undone.length, publications.length], [itemCount, itemCount]);
      });
      let undoId = "";
      await assertBatched(async () => {
        const result = await undoClientChanges(deps, owner, input);
        assert.deepEqual([result.undone.length, result.subjects.length], [itemCount, itemCount]);
        assert.ok(result.publications.every(({ state }) => state === "canceled"));
        undoId = result.undoId ?? "";
      });
      await assertBatched(async () => {
        assert.equal((await undoUndo(deps, owner, { undoId })).undone.length, itemCount);
      });
    });

    test("emptying the trash and sweeping it delete items in batches; after a failure, a repetition empties the rest (F4, TRASH-4)", async () => {
      const { owner } = await createFilledTrash();
      const studioId = owner.studio.id;
      let transactionCount = 0;
      const failingDeps: Deps = {
        ...deps,
        transact: (...args) => {
          if (++transactionCount === 2) throw new Error("the process was killed");
          return deps.transact(...args);
        },
      };
      const recordings = [await assertBatched(() => assert.rejects(emptyTrash(failingDeps, owner), /killed/), 400)];
      const remainingCount = (await deps.trash.list(studioId, fixture.clock(), undefined, 2 * itemCount)).length;
      assert.ok(remainingCount > 0 && remainingCount < itemCount);
      recordings.push(await assertBatched(() => emptyTrash(deps, owner), 400));
      // The deletion of a post deletes the rows that belong to it, so few may be left by then.
      const rowCount = recordings.map(countRows).reduce((sum, count) => sum + count);
      assert.ok(rowCount >= 3 * itemCount, "deletes revisions and publications with statements of their own");
      await assertBatched(() => sweepTrash(deps, untilDone));
      const { posts, postRevisions: revisions, publications } = await countStudioRows(fixture, studioId);
      assert.deepEqual({ posts, revisions, publications }, { posts: 0, revisions: 0, publications: 0 });
      const entries = await deps.activity.list(studioId, { action: "trash.emptied", limit: 100 });
      assert.deepEqual(
        entries.map(({ detail }) => detail["items"]),
        [remainingCount, itemCount - remainingCount],
        "the activity counts each item once",
      );
    });

    test("emptying the trash keeps what is deleted meanwhile (F4, TRASH-4)", async () => {
      const owner = await newStudio(deps);
      const [{ id: firstId }, { id: laterId }] = [
        await createPost(deps, owner, { title: "A", body: "" }),
        await createPost(deps, owner, { title: "B", body: "" }),
      ];
      await deletePost(deps, owner, { postId: firstId });
      let isDeleted = false;
      const racingDeps: Deps = {
        ...deps,
        trash: {
          ...deps.trash,
          async list(...args) {
            const items = await deps.trash.list(...args);
            fixture.clock.advance(1);
            if (!isDeleted) await deletePost(deps, owner, { postId: laterId });
            isDeleted = true;
            return items;
          },
        },
      };
      await emptyTrash(racingDeps, owner);
      const { items } = await listTrash(deps, owner, { limit: 10 });
      assert.deepEqual(
        items.map(({ id }) => id),
        [laterId],
      );
    });

    test("disconnecting an account cancels its publications in batches (F4)", async () => {
      const { owner, connectionId } = await createFilledStudio();
      await assertBatched(() => disconnectPlatform(deps, owner, { connectionId }));
      assert.deepEqual(await deps.publications.listByConnection(connectionId, ["proposed", "scheduled"], 1), []);
      const connection = await deps.platformStore.find(owner.studio.id, connectionId);
      assert.equal(connection?.state, "disconnected");
    });

    test("revoking all clients revokes grants in batches (F4)", async () => {
      const owner = await newStudio(deps);
      const { grantId } = await createTestGrant(deps, owner);
      const grant = await deps.grants.find(grantId);
      assert.ok(grant);
      await deps.transact({ job: "test" }, async (tx) => {
        for (let i = 1; i < itemCount; i++) await tx.grants.insert({ ...grant, id: deps.newId("grant") });
      });
      await assertBatched(async () => assert.deepEqual(await revokeAllClients(deps, owner), { revoked: itemCount }));
      assert.deepEqual(await revokeAllClients(deps, owner), { revoked: 0 });
    });

    test("background jobs delete expired rows and index existing ones in batches (F4)", async () => {
      const owner = await newStudio(deps);
      await fillStudio(fixture, owner, itemCount);
      const { q } = fixture.database;
      await q.updateTable("posts").set({ searchIndexed: false }).where("studioId", "=", owner.studio.id).execute();
      await assertBatched(() => indexExistingRows(deps, untilDone, silentLog));
      assert.equal(await deps.searchIndex.countUnindexed("posts"), 0);
      const session = { userId: owner.user.id, createdAt: 0, expiresAt: 1 };
      const expiredSessions = Array.from({ length: 1100 }, (_, i) => ({ ...session, tokenHash: `expired ${i}` }));
      await q.insertInto("sessions").values(expiredSessions).execute();
      const recording = await assertBatched(() => createPurgeJob(deps)(untilDone), 500);
      assert.ok(countRows(recording) >= expiredSessions.length);
      await q
        .updateTable("assets")
        .set({
          status: "pending",
          storageKey: null,
          bytes: null,
          version: null,
          chargedBytes: 0,
          uploadExpiresAt: 1,
        })
        .where("studioId", "=", owner.studio.id)
        .execute();
      await assertBatched(async () => {
        const { expired } = await createAssetSweeper(deps)(untilDone);
        assert.equal(expired, itemCount);
      });
      await assertBatched(() => sweepUploads(deps, untilDone));
    });

    test("an idempotency key deletes few expired keys at a time, and all of them eventually (F4)", async () => {
      const owner = await newStudio(deps);
      const { q } = fixture.database;
      const { studio, user } = owner;
      const key = { studioId: studio.id, userId: user.id, verb: "create_post", inputHash: "h", result: "{}" };
      const expiredKeys = Array.from({ length: 50 }, (_, i) => ({ ...key, key: `expired ${i}`, createdAt: 1 }));
      await q.insertInto("idempotencyKeys").values(expiredKeys).execute();
      const create = (idempotencyKey: string) => createPost(deps, owner, { title: "A", body: "", idempotencyKey });
      const { rowCounts } = await assertBatched(() => create("first"));
      assert.ok(Math.max(...rowCounts) <= 20);
      await create("second");
      await create("third");
      const keys = await q.selectFrom("idempotencyKeys").select("key").where("userId", "=", user.id).execute();
      assert.deepEqual(keys.map((row) => row.key).toSorted(), ["first", "second", "third"]);
    });

    test("lists, counts and the calendar read at most a page of rows per statement (F4)", async () => {
      const { owner } = await createFilledStudio();
      const range = { from: "2286-11-01T00:00:00Z", to: "2286-12-01T00:00:00Z" };
      const { rowCounts } = await recorder.record(async () => {
        await listPosts(deps, owner, { limit: 20 });
        await listPostSummaries(deps, owner, { limit: 20, stage: "scheduled", order: "soonest" });
        await countPosts(deps, owner, {});
        assert.equal((await listCalendar(deps, owner, range)).entries.length, itemCount);
      });
      assert.ok(Math.max(...rowCounts) <= 1001);
    });

    test("lists by a stage, or by two filters of the activity, that nothing matches read few rows per statement (F4)", async () => {
      const { owner } = await createFilledStudio();
      await insertPosts(fixture, owner, itemCount, (i) => ({ title: `Post ${i}` }));
      await deps.transact({ job: "test" }, async (tx) => {
        for (let i = 0; i < itemCount; i++) await recordActivity(deps, tx, owner, "post.created", "pst_x", {});
      });
      const published = { limit: 20, stage: "published" } as const;
      const readings = [
        () => listPostSummaries(deps, owner, published),
        () => countPosts(deps, owner, published),
        () => listActivity(deps, owner, { userId: owner.user.id, action: "post.deleted", limit: 20 }),
      ];
      for (const read of readings) assert.ok(countRows(await assertBatched(read)) >= itemCount);
    });
  },
  ["sqlite"],
);
