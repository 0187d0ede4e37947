import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createStores, openDatabase } from "#db/open-database.ts";
import type { Connection, Database } from "#db/database.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { hasUnindexedRows, indexExistingRows } from "#domain/jobs/index-existing.ts";
import { createTokenCondition } from "#domain/model/search/tokens.ts";
import { trashLifetime } from "#domain/model/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, createEmptyDatabase, forEachEngine, silentLog } from "../support/engines.ts";
import { addFile } from "../support/history-fixture.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { assertTokensMatch } from "../support/index-tokens.ts";
import { isLongRun } from "../support/long-run.ts";
import { createMigrationFolder } from "../support/migrations.ts";
import { readPages } from "../support/read-pages.ts";
import { newStudio } from "../support/users.ts";
import { waitTurns } from "../support/wait-turns.ts";

/** Counts the statements that write to the index. */
function countTokenWrites(deps: Deps, database: Database): { deps: Deps; readCount: () => number } {
  let count = 0;
  const countRuns = (tx: Connection): Connection => ({
    ...tx,
    run: (statement, params) => {
      if (/^INSERT.*, tokens\)/.test(statement.sql)) count++;
      return tx.run(statement, params);
    },
  });
  const stores = createStores({ ...database, transact: (work) => database.transact((tx) => work(countRuns(tx))) });
  return { deps: { ...deps, ...stores }, readCount: () => count };
}

forEachEngine("search index", (fixture) => {
  const { deps, database } = fixture;
  test("tokens are written with the text, only if the text or the tags change, and are deleted with the row", async () => {
    const { deps, readCount } = countTokenWrites(fixture.deps, fixture.database);
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Harbour", body: "Text" });
    const assetId = await addFile(deps, owner);
    const countWrites = async (work: () => Promise<unknown>): Promise<number> => {
      const before = readCount();
      await work();
      return readCount() - before;
    };
    const changes: [count: number, change: () => Promise<unknown>][] = [
      [0, () => updatePost(deps, owner, { postId, status: "ready" })],
      [0, () => updatePost(deps, owner, { postId, title: "Harbour", body: "Text" })],
      [1, () => updatePost(deps, owner, { postId, body: "Other" })],
      [1, () => updatePost(deps, owner, { postId, tags: ["sea"] })],
      [0, () => updateAsset(deps, owner, { assetId, filename: "file.pdf" })],
      [1, () => updateAsset(deps, owner, { assetId, altText: "Gulls" })],
      [0, () => deleteAsset(deps, owner, { assetId })],
      [0, () => deletePost(deps, owner, { postId })],
    ];
    for (const [i, [count, change]] of changes.entries()) assert.equal(await countWrites(change), count, `change ${i}`);
    await assertTokensMatch(fixture.location);
    fixture.clock.advance(trashLifetime + 1);
    assert.equal((await sweepTrash(deps, untilDone)).deletedFromTrash, 2);
    await assertTokensMatch(fixture.location);
  });

  test("the tokens match the final text after concurrent updates of one post", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Start", body: "" });
    const assetId = await addFile(deps, owner);
    for (let round = 0; round < (isLongRun ? 50 : 5); round++) {
      const changes = Array.from({ length: 6 }, (_, i) => async () => {
        await waitTurns(Math.random() * 50);
        const text = `text${round}-${i} ${"word ".repeat(i)}`;
        if (i % 3 === 0) return updatePost(deps, owner, { postId, title: text });
        if (i % 3 === 1) return updatePost(deps, owner, { postId, body: text, tags: [text.slice(0, 7)] });
        return updateAsset(deps, owner, { assetId, altText: text });
      });
      await Promise.all(changes.map((change) => change()));
      await assertTokensMatch(fixture.location);
    }
  });

  test("finds a tag whose token ends with white space", async () => {
    const owner = await newStudio(deps);
    const endsWithSpace = (tag: string): boolean => {
      const condition = createTokenCondition(owner.studio.id, { words: [], tag });
      const token = typeof condition === "object" && "all" in condition ? Number(condition.all[0]) : 0;
      return /\s/.test(String.fromCharCode(0x800 + (token & 0x7fff)));
    };
    const tag = Array.from({ length: 100_000 }, (_, i) => `tag ${i}`).find(endsWithSpace);
    assert.ok(tag !== undefined);
    const { id } = await createPost(deps, owner, { title: "Harbour", body: "", tags: [tag] });
    await insertPosts(fixture, owner, 120, () => ({ title: "~" }));
    const { posts } = await listPosts(deps, owner, { limit: 10, tag });
    assert.deepEqual(
      posts.map((post) => post.id),
      [id],
    );
  });

  test("indexes existing rows while they change, over two connections", async () => {
    const owner = await newStudio(deps);
    await insertPosts(fixture, owner, 120, (i) => ({ title: `Harbour ${i}`, isIndexed: false }));
    const { posts } = await listPosts(deps, owner, { limit: 20, query: "harbour" });
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    const otherDeps = createDeps(otherDatabase, fixture.clock);
    const messages: string[] = [];
    const log = { info: (_: unknown, message?: string) => void messages.push(message ?? "") };
    try {
      await Promise.all([
        indexExistingRows(deps, { ...untilDone, pause: () => waitTurns(1) }, log),
        indexExistingRows(otherDeps, { ...untilDone, pause: () => waitTurns(1) }, log),
        ...posts.map(async ({ id: postId }, i) => {
          await waitTurns(i * 10);
          await updatePost(
            otherDeps,
            owner,
            i % 2 === 0 ? { postId, body: `Changed ${i}` } : { postId, status: "ready" },
          );
        }),
      ]);
    } finally {
      await otherDatabase.close();
    }
    assert.equal(await hasUnindexedRows(deps), false);
    assert.ok(messages.includes("indexing existing rows for search"));
    await assertTokensMatch(fixture.location);
    assert.equal((await listPosts(deps, owner, { limit: 100, query: "harbour" })).posts.length, 100);
    assert.equal((await listPosts(deps, owner, { limit: 100, query: "changed harb" })).posts.length, 10);
    const unindexedRows = await database.q
      .selectFrom("posts")
      .select("id")
      .where("searchIndexed", "=", false)
      .execute();
    assert.deepEqual(unindexedRows, []);
  });

  test("a row that an older version of the server changes is found by its new text, before and after it is indexed again", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Harbour", body: "Text" });
    const assetId = await addFile(deps, owner);
    await insertPosts(fixture, owner, 120, () => ({ title: "~" }));
    // The older version knows neither tokens nor the column that marks the row.
    await fixture.database.q.updateTable("posts").set({ title: "Port" }).where("id", "=", postId).execute();
    await fixture.database.q.updateTable("posts").set({ searchText: "port text" }).where("id", "=", postId).execute();
    await fixture.database.q.updateTable("assets").set({ altText: "Gulls" }).where("id", "=", assetId).execute();
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexExistingRows(deps, untilDone, silentLog);
      const count = async (query: string): Promise<number> =>
        (await listPosts(deps, owner, { limit: 5, query })).posts.length +
        (await listAssets(deps, owner, { limit: 5, query })).assets.length;
      assert.deepEqual([await count("port"), await count("harbour"), await count("gulls")], [1, 0, 1]);
    }
    await assertTokensMatch(fixture.location);
    // This version updates the row before the background job does.
    await fixture.database.q.updateTable("posts").set({ title: "Quay" }).where("id", "=", postId).execute();
    await fixture.database.q.updateTable("posts").set({ searchText: "quay text" }).where("id", "=", postId).execute();
    await updatePost(deps, owner, { postId, title: "QUAY" });
    await assertTokensMatch(fixture.location);
    assert.equal(await hasUnindexedRows(deps), false);
  });

  test("ids that were created in the same millisecond but committed in another order are listed by id", async () => {
    const owner = await newStudio(deps);
    const generators = [createIdGenerator(fixture.clock), createIdGenerator(fixture.clock)];
    const ids = Array.from({ length: 60 }, (_, i) => generators[i % 2]?.("post") ?? "");
    const shuffled = ids.toSorted((a, b) => (a.slice(-5) < b.slice(-5) ? -1 : 1)).toReversed();
    for (const id of shuffled)
      await createPost({ ...deps, newId: (kind) => (kind === "post" ? id : deps.newId(kind)) }, owner, {
        title: "Harbour",
        body: "",
      });
    fixture.clock.advance(1000);
    await insertPosts(fixture, owner, 120, () => ({ title: "~" }));
    for (const isReindexed of [false, true]) {
      if (isReindexed) await indexExistingRows(deps, untilDone, silentLog);
      const pages = await readPages((cursor) => listPosts(deps, owner, { limit: 7, query: "harbour", cursor }));
      assert.deepEqual(
        pages.flatMap(({ posts }) => posts.map(({ id }) => id)),
        ids.toSorted().toReversed(),
      );
    }
    assert.equal(await hasUnindexedRows(deps), false);
    await assertTokensMatch(fixture.location);
  });

  test("rows from before the index existed are found before and after they are indexed (RUN-7)", async () => {
    const migrations = join(import.meta.dirname, "../../migrations");
    const olderNames = readdirSync(migrations).filter((name) => name < "0016");
    const folder = createMigrationFolder(
      Object.fromEntries(olderNames.map((name) => [name, readFileSync(join(migrations, name), "utf8")])),
    );
    const location = await createEmptyDatabase(fixture.engine);
    try {
      const olderDatabase = await openDatabase({ ...location, migrations: folder.path, log: silentLog });
      const owner = await newStudio(createDeps(olderDatabase, fixture.clock));
      const [postId, assetId] = [fixture.deps.newId("post"), fixture.deps.newId("asset")];
      const row = { studioId: owner.studio.id, createdBy: owner.user.id, createdAt: 1 };
      // As the version with migration 0014 stored it: its search text has no marks at all.
      const post = {
        ...{ ...row, id: postId, title: "Straße หน้า", body: "Text", searchText: "straße หนา text" },
        ...{ status: "draft" as const, revision: 1, updatedAt: 1 },
      };
      const asset = {
        ...{ ...row, id: assetId, kind: "image" as const, mimeType: "image/png", filename: "Größe.png" },
        ...{ status: "pending" as const, chargedBytes: 0, uploadExpiresAt: 1 },
      };
      const change = { assetId, change: 1, field: "altText", after: "x", studioId: owner.studio.id, at: 1 };
      await olderDatabase.q.insertInto("posts").values(post).execute();
      await olderDatabase.q
        .insertInto("assets")
        .values(asset as never)
        .execute();
      await olderDatabase.q
        .insertInto("assetChanges")
        .values(change as never)
        .execute();
      await olderDatabase.close();

      const database = await openDatabase({ ...location, log: silentLog });
      const deps = createDeps(database, fixture.clock);
      for (const isIndexed of [false, true]) {
        if (isIndexed) await indexExistingRows(deps, untilDone, silentLog);
        assert.equal(await hasUnindexedRows(deps), !isIndexed);
        const search = async (query: string) => [
          ...(await listPosts(deps, owner, { limit: 10, query })).posts.map(({ id }) => id),
          ...(await listAssets(deps, owner, { limit: 10, query })).assets.map(({ id }) => id),
        ];
        assert.deepEqual(await search("strasse text"), [postId]);
        assert.deepEqual(await search("หน้า"), [postId]);
        assert.deepEqual(await search("หนา"), []);
        assert.deepEqual(await search("grosse png"), [assetId]);
      }
      assert.equal((await database.q.selectFrom("assetChanges").selectAll().execute()).length, 1);
      await assertTokensMatch(location);
      await database.close();
    } finally {
      folder.remove();
      await location.remove();
    }
  });
});
