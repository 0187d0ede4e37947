import assert from "node:assert/strict";
import { test } from "node:test";
import { listAssets, listAssetsInput } from "#domain/assets/list-assets.ts";
import { updateAsset, updateAssetInput } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { containsWords, foldForSearch, splitQuery } from "#domain/model/search/fold.ts";
import { fc } from "../support/fuzz.ts";
import { forEachEngine } from "../support/engines.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { isLongRun } from "../support/long-run.ts";
import { corpus, queries } from "../support/search-corpus.ts";
import { newStudio } from "../support/users.ts";

/** The reference: folds every text when it is searched. */
const scan = <T extends { texts: readonly string[] }>(items: readonly T[], query: string): T[] =>
  items.filter(({ texts }) => containsWords(foldForSearch(texts.join("\n"), "text"), splitQuery(query)));

/** The results of each query by position in the corpus, to compare the engines with each other. */
const indexedCorpus = corpus.map((text, index) => ({ index, texts: [text] }));
const expectedIndexes = new Map(
  queries
    .filter((query) => query.trim() !== "")
    .map((query) => [query, scan(indexedCorpus, query).map(({ index }) => index)]),
);

forEachEngine("search", (fixture) => {
  const { deps, clock } = fixture;
  const list = (caller: Caller, input: Record<string, unknown>) =>
    listPosts(deps, caller, listPostsInput.parse({ limit: 100, ...input }));
  const addPost = (caller: Caller, input: Record<string, unknown>) =>
    createPost(deps, caller, createPostInput.parse(input));
  const uploadFile = async (caller: Caller, filename: string): Promise<string> => {
    const file = { kind: "document", mimeType: "text/plain", base64: "aGVsbG8=", filename } as const;
    return (await uploadAssetInline(deps, caller, file)).assetId;
  };
  const listFiles = (caller: Caller, input: Record<string, unknown>) =>
    listAssets(deps, caller, listAssetsInput.parse({ limit: 100, ...input }));

  /** Adds newer posts that match no query, so that results come from the index. */
  const addNewerPosts = (caller: Caller) => insertPosts(fixture, caller, 120, () => ({ title: "~" }));

  for (const usesIndex of [false, true]) {
    test(`every query of the table returns the posts that a scan finds, ${usesIndex ? "through" : "without"} the index (POST-3)`, async () => {
      const owner = await newStudio(deps);
      const ids: string[] = [];
      for (const text of corpus) {
        clock.advance(1);
        ids.push((await addPost(owner, { title: "T", body: text })).id);
      }
      if (usesIndex) await addNewerPosts(owner);
      for (const [query, indexes] of expectedIndexes) {
        const foundIndexes = (await list(owner, { query })).posts.map(({ id }) => ids.indexOf(id));
        assert.deepEqual(foundIndexes.toReversed(), indexes, JSON.stringify(query));
      }
    });
  }

  test("every query of the table returns the assets that a scan of alt texts finds (ASSET-14)", async () => {
    const owner = await newStudio(deps);
    const ids: string[] = [];
    for (const altText of corpus) {
      const assetId = await uploadFile(owner, "0.0");
      await updateAsset(deps, owner, updateAssetInput.parse({ assetId, altText }));
      ids.push(assetId);
    }
    for (const [query, indexes] of expectedIndexes) {
      const foundIndexes = (await listFiles(owner, { query })).assets.map(({ id }) => ids.indexOf(id));
      assert.deepEqual(foundIndexes.toReversed(), indexes, JSON.stringify(query));
    }
  });

  test("words can match in different fields, and in the tags", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await addPost(owner, { title: "Opening", body: "at the harbour", tags: ["Launch Week"] });
    for (const query of ["harbour opening", "week", "launch open", "h o l"])
      assert.equal((await list(owner, { query })).posts[0]?.id, postId, query);
    assert.deepEqual((await list(owner, { query: "openingat" })).posts, []);
    const assetId = await uploadFile(owner, "harbour.txt");
    await updateAsset(deps, owner, updateAssetInput.parse({ assetId, altText: "Gulls", tags: ["Sea"] }));
    for (const query of ["gull", "sea harbour", ".txt", "G"])
      assert.equal((await listFiles(owner, { query })).assets[0]?.id, assetId, query);
    await updateAsset(deps, owner, updateAssetInput.parse({ assetId, filename: "port.txt", altText: "" }));
    assert.deepEqual((await listFiles(owner, { query: "gulls" })).assets, []);
    assert.equal((await listFiles(owner, { query: "port" })).assets.length, 1);
  });

  test("filters by tag exactly, together with other filters", async () => {
    const owner = await newStudio(deps);
    const tagLists = [["a"], ["a", "b"], ['"a'], ["a,b"], ['x","a'], ["ab"], [], ["b", "a"], ["\\"]];
    const ids: string[] = [];
    for (const [i, tags] of tagLists.entries()) ids.push((await addPost(owner, { title: `P${i}`, tags })).id);
    const search = async (input: Record<string, unknown>) =>
      (await list(owner, input)).posts.map(({ id }) => ids.indexOf(id));
    for (const usesIndex of [false, true]) {
      if (usesIndex) await addNewerPosts(owner);
      for (const tag of ["a", "b", '"a', "a,b", 'x","a', "ab", "\\", "nowhere"]) {
        const expected = tagLists.flatMap((tags, i) => (tags.includes(tag) ? [i] : []));
        assert.deepEqual((await search({ tag })).toReversed(), expected, tag);
      }
      assert.deepEqual(await search({ tag: " A " }), [7, 1, 0], "normalized like tags");
      assert.deepEqual(await search({ tag: "a", query: "p7" }), [7]);
      assert.deepEqual(await search({ tag: "b", query: "p0" }), []);
    }
    await updatePost(deps, owner, { postId: ids[7] ?? "", status: "archived" });
    assert.deepEqual(await search({ tag: "a", status: "archived" }), [7]);
    await deletePost(deps, owner, { postId: ids[0] ?? "" });
    assert.deepEqual(await search({ tag: "a" }), [7, 1]);
  });

  test("a studio's searches never return another studio's posts", async () => {
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    const { id } = await addPost(owner, { title: "Harbour", tags: ["sea"] });
    await addPost(otherOwner, { title: "Harbour", tags: ["sea"] });
    for (const input of [{ query: "harbour" }, { tag: "sea" }])
      assert.deepEqual(
        (await list(owner, input)).posts.map((post) => post.id),
        [id],
      );
  });

  test("finds texts that have too many tokens for the index", async () => {
    const owner = await newStudio(deps);
    const body = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000))).join("");
    const { id: postId } = await addPost(owner, { title: "Long", body: `${body} ends here`, tags: ["long"] });
    await addNewerPosts(owner);
    for (const input of [{ query: "ends here" }, { query: body.slice(9000, 9050) }, { tag: "long", query: "LONG" }])
      assert.deepEqual(
        (await list(owner, input)).posts.map(({ id }) => id),
        [postId],
      );
    assert.deepEqual((await list(owner, { query: "ends nowhere" })).posts, []);
  });

  test("a search finds what a scan finds, after any sequence of changes (POST-3)", async () => {
    const alphabet = [...Array.from("abäßiıİσς本日😀 \u0301%'"), "ss", "Ab"];
    const textOf = (maxLength: number) =>
      fc.array(fc.constantFrom(...alphabet), { maxLength }).map((parts) => parts.join(""));
    const change = fc.record({
      index: fc.nat(9),
      title: textOf(6),
      body: textOf(12),
      tag: textOf(3),
      isDeleted: fc.nat(5).map((value) => value === 0),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 5, maxLength: 25 }),
        fc.array(textOf(5), { minLength: 4, maxLength: 8 }),
        async (changes, propertyQueries) => {
          const owner = await newStudio(deps);
          const posts = new Map<number, { id: string; texts: string[] }>();
          for (const { index, title, body, tag, isDeleted } of changes) {
            const tags = tag.trim() === "" || /^[\s\u0301]*$/.test(tag) ? [] : [tag.trim().toLowerCase()];
            const fields = { title: `t${title}`, body, tags };
            const post = posts.get(index);
            if (post && isDeleted) {
              await deletePost(deps, owner, { postId: post.id });
              posts.delete(index);
            } else {
              const id = post
                ? (await updatePost(deps, owner, { postId: post.id, ...fields })).id
                : (await addPost(owner, fields)).id;
              posts.set(index, { id, texts: [fields.title, ...tags, body] });
            }
          }
          const expected = propertyQueries.map((query) => scan([...posts.values()], query).map(({ id }) => id));
          for (const usesIndex of [false, true]) {
            if (usesIndex) await addNewerPosts(owner);
            for (const [i, query] of propertyQueries.entries()) {
              if (splitQuery(query).length === 0) continue;
              const ids = (await list(owner, { query })).posts.map(({ id }) => id);
              assert.deepEqual(ids, expected[i]?.toSorted().toReversed(), JSON.stringify(query));
            }
          }
        },
      ),
      { numRuns: isLongRun ? 300 : 8 },
    );
  });
});
