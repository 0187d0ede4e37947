import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { measureCpu } from "../support/cpu-time.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { readPages } from "../support/read-pages.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("listing posts", ({ deps, clock }) => {
  const list = (caller: Caller, input: Record<string, unknown> = {}) =>
    listPosts(deps, caller, listPostsInput.parse(input));
  const listTitles = async (caller: Caller, input: Record<string, unknown> = {}) =>
    (await list(caller, input)).posts.map(({ title }) => title);
  const addPost = (caller: Caller, title: string, body = "") => createPost(deps, caller, { title, body });

  async function newStudioWithPosts(...posts: (string | [title: string, body: string])[]): Promise<Caller> {
    const owner = await newStudio(deps);
    for (const post of posts) await (typeof post === "string" ? addPost(owner, post) : addPost(owner, ...post));
    return owner;
  }

  test("lists the newest posts first, twenty by default and at most a hundred; the last page has no cursor (POST-3, POST-4)", async () => {
    const owner = await newStudioWithPosts(...Array.from({ length: 105 }, (_, i) => `P${i}`));
    assert.deepEqual(
      await listTitles(owner),
      Array.from({ length: 20 }, (_, i) => `P${104 - i}`),
    );
    const page = await list(owner, { limit: 100 });
    const lastPage = await list(owner, { limit: 5, cursor: page.nextCursor });
    assert.deepEqual([page.posts.length, lastPage.posts.length, lastPage.nextCursor], [100, 5, null]);
    assert.deepEqual(await listTitles(owner, { limit: 1 }), ["P104"]);
  });

  test("returns fewer very long posts per page, and the cursor reaches every post (X3, T8)", async () => {
    const owner = await newStudio(deps);
    // A control character takes six characters in JSON, and seven in JSON inside JSON, as in a tool result.
    for (let i = 0; i < 30; i++) await addPost(owner, `P${i}`, "\u0001".repeat(i === 10 ? 10 : 100_000));
    const pages = await readPages((cursor) => list(owner, { limit: 100, cursor }));
    assert.ok(pages.every((page) => page.posts.length > 0 && JSON.stringify(page).length < 4_000_000));
    assert.deepEqual(
      pages.flatMap(({ posts }) => posts.map(({ title }) => title)),
      Array.from({ length: 30 }, (_, i) => `P${29 - i}`),
    );
  });

  test("rejects limits out of range (ERR-invalid_input, T8)", () => {
    for (const limit of [0, -1, 101, 1e9, 1.5, NaN, Infinity, "10", null])
      assert.equal(listPostsInput.safeParse({ limit }).success, false, String(limit));
  });

  test("treats SQL and pattern characters in a query as plain text (POST-3)", async () => {
    const titles = ["100%", "a_b", "aXb", "back\\slash", "bang!", "quote'", "[a-z]*?"];
    const owner = await newStudioWithPosts(...titles);
    const cases = {
      "%": "100%",
      _: "a_b",
      "\\": "back\\slash",
      "!": "bang!",
      "'": "quote'",
      "[a-z]": "[a-z]*?",
      "*": "[a-z]*?",
    };
    for (const [query, title] of Object.entries(cases)) assert.deepEqual(await listTitles(owner, { query }), [title]);
    for (const query of ["!%", "$1"]) assert.deepEqual(await listTitles(owner, { query }), []);
    assert.equal((await listTitles(owner, { query: "   " })).length, titles.length, "a blank query does not filter");
  });

  test("paging lists every post once while others are added and changed (POST-4)", async () => {
    const owner = await newStudioWithPosts(...Array.from({ length: 25 }, (_, i) => `P${i}`));
    const listedTitles: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list(owner, { limit: 7, ...(cursor ? { cursor } : {}) });
      listedTitles.push(...page.posts.map(({ title }) => title));
      cursor = page.nextCursor;
      clock.advance(10);
      await addPost(owner, `New ${listedTitles.length}`);
      await updatePost(deps, owner, { postId: page.posts[0]?.id ?? "", body: "changed" });
    } while (cursor);
    assert.deepEqual(
      listedTitles,
      Array.from({ length: 25 }, (_, i) => `P${24 - i}`),
    );
  });

  test("a search for any text can be paged (POST-4)", async () => {
    for (const query of ["語".repeat(200), "a b ".repeat(50), "%".repeat(200), "\ufdfa".repeat(200)]) {
      const owner = await newStudioWithPosts(["A", query], ["B", query]);
      const firstPage = await list(owner, { limit: 1, query });
      assert.deepEqual(
        await listTitles(owner, { limit: 1, query, cursor: firstPage.nextCursor }),
        ["A"],
        query.slice(0, 3),
      );
    }
  });

  test("rejects a forged cursor, and a cursor of another studio or of another filter (T8)", async () => {
    const [owner, otherOwner] = [await newStudioWithPosts("A", "B"), await newStudioWithPosts("C", "D")];
    const { nextCursor } = await list(owner, { limit: 1 });
    const cursor = nextCursor ?? "";
    assert.equal(await getOutcome(list(owner, { limit: 1, cursor })), "ok");
    assert.equal(await getOutcome(list(otherOwner, { limit: 1, cursor })), "invalid_input");
    assert.equal(await getOutcome(list(owner, { limit: 1, cursor, status: "draft" })), "invalid_input");
    assert.equal(await getOutcome(list(owner, { limit: 1, cursor, query: "x" })), "invalid_input");
    const decoded = Buffer.from(cursor, "base64url").toString();
    const forgedCursors = [
      ...["", "x", "\0", `${cursor}=`, `${cursor} `, cursor.slice(0, -1), `${cursor}${cursor}`, decoded],
      ...["\0", "\u{fffd}", "' OR 1=1", "%", "\nx", "😀"].map((lastId) =>
        Buffer.from(decoded.replace(/pst_\w+$/, lastId)).toString("base64url"),
      ),
      Buffer.concat([
        Buffer.from(decoded.replace(/pst_\w+$/, "")),
        Buffer.from([0xff, 0x00, 0xed, 0xa0, 0x80]),
      ]).toString("base64url"),
    ];
    for (const forgedCursor of forgedCursors)
      assert.equal(
        await getOutcome(list(owner, { limit: 1, cursor: forgedCursor })),
        "invalid_input",
        JSON.stringify(forgedCursor),
      );
    assert.equal(listPostsInput.safeParse({ cursor: "x".repeat(10_240) }).success, false);
  });

  test("takes less than three seconds of CPU time to search text that almost matches everywhere (X4)", async () => {
    const owner = await newStudio(deps);
    // The first letter folds to eighteen characters; the second letter does not change.
    for (const letter of ["\ufdfa", "a"]) {
      for (let i = 0; i < 10; i++) await addPost(owner, "P", letter.repeat(100_000));
      const half = letter.repeat(99);
      for (const query of [`${half}${letter}b`, `b${half}${letter}`, `${half}b${half}`, `%${letter}`.repeat(100)]) {
        const { cpuMs } = await measureCpu(3000, () => list(owner, { query }));
        assert.ok(cpuMs < 3000, `${query.slice(0, 3)}… took ${cpuMs} ms`);
      }
      assert.equal((await list(owner, { query: letter.repeat(5), limit: 1 })).posts.length, 1);
    }
  });
});
