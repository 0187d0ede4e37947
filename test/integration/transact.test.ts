import { writes } from "#domain/ports/write-stores.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import type { Connection } from "#db/database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { runForOwner } from "#lib/work-owner.ts";
import { forEachEngine } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("transactions", (fixture) => {
  const addUser = ({ q }: Connection, id: string) =>
    q
      .insertInto("users")
      .values({ id, issuer: "i", subject: id, name: "", emailVerified: false, createdAt: 1 })
      .execute();

  test("a failed transaction leaves nothing behind, and the next one works (ACT-2)", async () => {
    const failure = new Error("no");
    const failing = fixture.database.transact(async (tx) => {
      await addUser(tx, "rolled-back");
      throw failure;
    });
    await assert.rejects(failing, failure);
    const conflicting = fixture.database.transact(async (tx) => {
      await addUser(tx, "twice");
      await addUser(tx, "twice");
    });
    await assert.rejects(conflicting);
    await fixture.database.transact((tx) => addUser(tx, "committed"));
    const users = await fixture.database.q.selectFrom("users").select("id").where("issuer", "=", "i").execute();
    assert.deepEqual(users, [{ id: "committed" }]);
  });

  test("an open transaction sees its own writes, and other connections do not (ACT-2)", async () => {
    const owner = await newStudio(fixture.deps);
    await fixture.deps.transact({ job: "test" }, async (tx) => {
      const now = fixture.clock();
      const id = fixture.deps.newId("post");
      await tx[writes].posts.insert({
        ...{ id, studioId: owner.studio.id, createdBy: owner.user.id, createdByClientName: null },
        ...{ title: "A", body: "", variants: [], crops: [], tags: [], status: "draft", isTrashed: false },
        ...{ revision: 1, readyRevision: null, assetCount: 0, createdAt: now, updatedAt: now },
      });
      assert.equal((await tx.posts.find(owner.studio.id, id))?.title, "A");
      assert.equal(await fixture.deps.posts.find(owner.studio.id, id), undefined);
    });
  });
});

forEachEngine("transactions of several users", (fixture) => {
  test("a user's transaction does not wait for the hundreds of another user that wait (F4)", async () => {
    const [busy, other] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    let createdCount = 0;
    const create = (caller: typeof busy, title: string) =>
      runForOwner({ key: caller.user.id, group: caller.user.id }, async () => {
        await createPost(fixture.deps, caller, { title, body: "" });
        return ++createdCount;
      });
    const posts = Array.from({ length: 300 }, (_, i) => create(busy, `Post ${i}`));
    const position = await create(other, "Another");
    // On PostgreSQL, several transactions run at once.
    assert.ok(position <= 60, `created as number ${position}`);
    await Promise.all(posts);
  });
});

forEachEngine(
  "transactions that PostgreSQL asks to retry",
  (fixture) => {
    const addUser = (tx: Connection, id: string) =>
      sql`INSERT INTO users VALUES (${id}, 'i', ${id}, '', NULL, 0, NULL, 1)`.execute(tx.q);
    const count = async (id: string) =>
      (await sql`SELECT 1 FROM users WHERE id = ${id}`.execute(fixture.database.q)).rows.length;

    async function readCreationTime(id: string, { q }: Connection = fixture.database): Promise<number> {
      return (await q.selectFrom("users").select("createdAt").where("id", "=", id).executeTakeFirstOrThrow()).createdAt;
    }

    for (const state of ["40001", "40P01"]) {
      test(`a transaction that fails with ${state} is retried without repeating earlier writes (D4)`, async () => {
        let attempts = 0;
        const id = `retried-${state}`;
        await fixture.database.transact(async (tx) => {
          await addUser(tx, id);
          if (++attempts < 4)
            await sql.raw(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${state}'; END $$`).execute(tx.q);
        });
        assert.equal(attempts, 4);
        assert.equal(await count(id), 1);
      });
    }

    test("stops retrying after a limited number of attempts and leaves nothing behind (D4)", async () => {
      let attempts = 0;
      const transaction = fixture.database.transact(async (tx) => {
        attempts++;
        await addUser(tx, "never-committed");
        await sql.raw("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$").execute(tx.q);
      });
      await assert.rejects(transaction);
      assert.ok(attempts > 1 && attempts < 20);
      assert.equal(await count("never-committed"), 0);
    });

    test("other errors are not retried (D4)", async () => {
      let attempts = 0;
      const transaction = fixture.database.transact(async (tx) => {
        attempts++;
        await sql.raw("SELECT 1 / 0").execute(tx.q);
      });
      await assert.rejects(transaction);
      assert.equal(attempts, 1);
    });

    test("statements work after a migration adds a column to their table (D4)", async () => {
      const { deps, database } = fixture;
      const owner = await newStudio(deps);
      const { id: postId } = await createPost(deps, owner, { title: "A post", body: "" });
      const assetId = deps.newId("asset");
      // In parallel, so that several connections prepare the statements.
      const runStatements = (body: string) =>
        Promise.all(
          Array.from({ length: 5 }, () =>
            Promise.all([updatePost(deps, owner, { postId, body }), deps.assets.find(owner.studio.id, assetId)]),
          ),
        );
      await runStatements("Before");
      for (const table of ["posts", "assets"])
        await sql.raw(`ALTER TABLE ${table} ADD COLUMN added_later TEXT`).execute(database.q);
      await runStatements("After");
      assert.equal((await deps.posts.find(owner.studio.id, postId))?.body, "After");
    });

    test("two deadlocked transactions both commit (D4)", async () => {
      for (const id of ["left", "right"]) await addUser(fixture.database, id);
      const lock = (tx: Connection, id: string) =>
        sql`UPDATE users SET created_at = created_at + 1 WHERE id = ${id}`.execute(tx.q);
      let attempts = 0;
      let release = (): void => {};
      const bothHoldOneLock = new Promise<void>((resolve) => (release = resolve));
      const cross = (first: string, second: string) =>
        fixture.database.transact(async (tx) => {
          await lock(tx, first);
          if (++attempts === 2) release();
          await bothHoldOneLock; // already resolved on the second attempt
          await lock(tx, second);
        });
      await Promise.all([cross("left", "right"), cross("right", "left")]);
      assert.ok(attempts > 2, "one of the transactions ran twice");
      assert.deepEqual([await readCreationTime("left"), await readCreationTime("right")], [3, 3]);
    });

    test("retries real serialization failures: no increment is lost (D4)", async () => {
      await addUser(fixture.database, "counter");
      const increment = () =>
        fixture.database.transact(async (tx) => {
          await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`.execute(tx.q);
          const value = await readCreationTime("counter", tx);
          await sql`UPDATE users SET created_at = ${value + 1} WHERE id = 'counter'`.execute(tx.q);
        });
      // Three at a time: each can lose to the other two, and eight attempts are enough.
      for (let i = 0; i < 17; i++) await Promise.all([increment(), increment(), increment()]);
      assert.equal(await readCreationTime("counter"), 1 + 51);
    });
  },
  ["postgres"],
);
