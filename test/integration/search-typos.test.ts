import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { listAssets, listAssetsInput } from "#domain/assets/list-assets.ts";
import { updateAsset, updateAssetInput } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment, deleteComment } from "#domain/comments/comments.ts";
import { hasUnindexedRows, indexExistingRows } from "#domain/jobs/index-existing.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { listPostSummaries, listPostSummariesInput } from "#domain/posts/list-post-summaries.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { undoClientChanges, undoUndo } from "#domain/undo/undo-changes.ts";
import { toIsoTime } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { assertTokensMatch } from "../support/index-tokens.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { texts, typoQueries } from "../support/typo-corpus.ts";
import { newStudio } from "../support/users.ts";
import { waitTurns } from "../support/wait-turns.ts";

forEachEngine("search with typos", (fixture) => {
  const { deps, clock } = fixture;
  const search = async (caller: Caller, input: Record<string, unknown>): Promise<string[]> =>
    (await listPosts(deps, caller, listPostsInput.parse({ limit: 100, ...input }))).posts.map(({ id }) => id);
  const addPost = async (caller: Caller, input: Record<string, unknown>): Promise<string> =>
    (await createPost(deps, caller, createPostInput.parse(input))).id;
  /** Adds newer posts that match no query, so that results come from the index. */
  const addNewerPosts = (caller: Caller) => insertPosts(fixture, caller, 120, () => ({ title: "~" }));

  test("every query of the table finds the same posts and assets on both databases, with and without the index (POST-3, ASSET-14)", async () => {
    const owner = await newStudio(deps);
    const [postIds, assetIds]: [string[], string[]] = [[], []];
    for (const text of texts) {
      clock.advance(1);
      postIds.push(await addPost(owner, { title: "T", body: text }));
      const file = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=", filename: "0.0" } as const;
      const { assetId } = await uploadAssetInline(deps, owner, file);
      await updateAsset(deps, owner, updateAssetInput.parse({ assetId, altText: text }));
      assetIds.push(assetId);
    }
    for (const usesIndex of [false, true]) {
      if (usesIndex) await addNewerPosts(owner);
      for (const [query, ...positions] of typoQueries) {
        const ids = await search(owner, { query, fuzzy: true });
        assert.deepEqual(ids.map((id) => postIds.indexOf(id)).toReversed(), positions, query);
        const { assets } = await listAssets(deps, owner, listAssetsInput.parse({ query, fuzzy: true, limit: 100 }));
        assert.deepEqual(assets.map(({ id }) => assetIds.indexOf(id)).toReversed(), positions, query);
      }
      assert.deepEqual(await search(owner, { query: "harbuor" }), [], "only with fuzzy: true");
    }
    await addPost(owner, { title: "T", body: "harbour", tags: ["sea"] });
    assert.equal((await search(owner, { query: "harbuor", tag: "sea", fuzzy: true })).length, 1);
    assert.equal((await search(owner, { query: "harbuor", status: "archived", fuzzy: true })).length, 0);
  });

  test("a text whose words are too many for the index is found by a word with a typo", async () => {
    const owner = await newStudio(deps);
    const words = Array.from({ length: 4000 }, (_, i) => `w${i.toString(36).padStart(5, "o")}`);
    const id = await addPost(owner, { title: "Long", body: `${words.join(" ")} harbour` });
    await addNewerPosts(owner);
    assert.deepEqual(await search(owner, { query: "harbuor", fuzzy: true }), [id]);
    assert.deepEqual(await search(owner, { query: "harbour" }), [id]);
    assert.deepEqual(await search(owner, { query: "haxbuor", fuzzy: true }), []);
    await assertTokensMatch(fixture.location);
  });

  test("finds texts for accounts and comments until they are removed, and says where (POST-3)", async () => {
    const owner = await newStudio(deps);
    const client = await actThroughClient(deps, owner);
    const connectionId = await newConnection(deps, owner);
    const postId = await addPost(owner, { title: "Sourdough", body: "Flour" });
    await addNewerPosts(owner);
    const setVariants = (variants: object[]) => updatePost(deps, owner, updatePostInput.parse({ postId, variants }));
    await setVariants([{ connectionId, body: "Rye from the Harbour mill" }]);
    assert.deepEqual(await search(owner, { query: "harbour flour" }), [postId]);
    const { id: commentId } = await addComment(deps, owner, { postId, body: "Is the Mill open?" });
    const startedAt = toIsoTime(clock());
    clock.advance(1);
    await addComment(deps, client, { postId, body: "Closed on Thursday" });
    clock.advance(1);

    const findMatch = async (query: string, fuzzy?: boolean) => {
      const input = listPostSummariesInput.parse({ query, fuzzy, limit: 10 });
      const [post] = (await listPostSummaries(deps, owner, input)).posts;
      const { source, text = "", marks = [] } = post?.match ?? {};
      return post && [source, ...marks.map(([start, end]) => text.slice(start, end))];
    };
    assert.deepEqual(await findMatch("flou"), ["text", "Flou"]);
    assert.deepEqual(await findMatch("harbour"), ["account", "Harbour"]);
    assert.deepEqual(await findMatch("closed"), ["comment", "Closed"]);
    assert.deepEqual(await findMatch("thrusday sourdough", true), ["comment", "Thursday"]);
    assert.deepEqual(await findMatch("sourdouhg", true), [undefined]);
    assert.equal(await findMatch("friday", true), undefined);

    const { undoId } = await undoClientChanges(deps, owner, { since: startedAt, grantId: client.grantId });
    assert.deepEqual(await search(owner, { query: "closed" }), []);
    await undoUndo(deps, owner, { undoId: undoId ?? "" });
    assert.deepEqual(await search(owner, { query: "closed" }), [postId]);
    await deleteComment(deps, owner, { postId, commentId });
    assert.deepEqual(await search(owner, { query: "open" }), []);
    await setVariants([]);
    assert.deepEqual(await search(owner, { query: "harbour" }), []);
    await assertTokensMatch(fixture.location);
    assert.equal(await hasUnindexedRows(deps), false);
  });

  test("changes of texts and comments over two connections are all found", async () => {
    const owner = await newStudio(deps);
    const postId = await addPost(owner, { title: "Start", body: "" });
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const callers: Deps[] = [deps, createDeps(otherDatabase, clock)];
      const changes = Array.from({ length: 24 }, (_, i) => async () => {
        await waitTurns(Math.random() * 30);
        const callerDeps = callers[i % 2]!;
        if (i % 3 === 0) await updatePost(callerDeps, owner, { postId, body: `body${i}` });
        else await addComment(callerDeps, owner, { postId, body: `comment${i}` });
      });
      await Promise.all(changes.map((change) => change()));
      await assertTokensMatch(fixture.location);
      assert.equal(await hasUnindexedRows(deps), false);
      assert.deepEqual(await search(owner, { query: "comment1 comment23 comment14" }), [postId]);
    } finally {
      await otherDatabase.close();
    }
  });

  test("finds what an older version of the server changed, before and after it is indexed again", async () => {
    const owner = await newStudio(deps);
    const postId = await addPost(owner, { title: "Harbour", body: "" });
    await addNewerPosts(owner);
    const { id } = await addComment(deps, owner, { postId, body: "An older comment" });
    const { q } = fixture.database;
    // The older version does not know that comments and texts for accounts are searched.
    await q.updateTable("comments").set({ removedAt: 1 }).where("id", "=", id).execute();
    const { isDeleted: _, ...comment } = (await deps.comments.findWithDeleted(owner.studio.id, id))!;
    await q
      .insertInto("comments")
      .values({ ...comment, id: deps.newId("comment"), body: "Gulls", removedAt: null })
      .execute();
    const variants = [{ connectionId: await newConnection(deps, owner), body: "Seaside" }];
    await q.updateTable("posts").set({ variants }).where("id", "=", postId).execute();
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexExistingRows(deps, untilDone, silentLog);
      for (const query of ["gulls", "seaside", "harbour gulls"])
        assert.deepEqual(await search(owner, { query }), [postId], query);
      assert.deepEqual(await search(owner, { query: "guls seasidee", fuzzy: true }), [], "`guls` has four letters");
      assert.deepEqual(await search(owner, { query: "gullls seasidee", fuzzy: true }), [postId]);
      assert.deepEqual(await search(owner, { query: "older" }), []);
    }
    await assertTokensMatch(fixture.location);
  });
});
