import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { listPosts, listPostsInput } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("lists of posts", (fixture) => {
  const list = (caller: Caller, input: Record<string, unknown> = {}) =>
    listPosts(fixture.deps, caller, listPostsInput.parse(input));
  const titles = async (caller: Caller, input: Record<string, unknown> = {}) =>
    (await list(caller, input)).posts.map(({ title }) => title);
  const add = (caller: Caller, title: string, body = "") => createPost(fixture.deps, caller, { title, body });

  async function studioWith(...all: (string | [string, string])[]): Promise<Caller> {
    const owner = await newStudio(fixture.deps);
    for (const one of all) await (typeof one === "string" ? add(owner, one) : add(owner, ...one));
    return owner;
  }

  test("newest first, twenty unless asked otherwise, a hundred at most (POST-3)", async () => {
    const owner = await studioWith(...Array.from({ length: 105 }, (_, i) => `P${i}`));
    assert.deepEqual(
      await titles(owner),
      Array.from({ length: 20 }, (_, i) => `P${104 - i}`),
    );
    assert.equal((await list(owner, { limit: 100 })).posts.length, 100);
    assert.deepEqual(await titles(owner, { limit: 1 }), ["P104"]);
  });

  test("a page of the longest posts is a short one, and the cursor goes through all of them (X3, T8)", async () => {
    const owner = await newStudio(fixture.deps);
    // A control character is six letters in JSON, and seven in JSON within JSON, which a tool's answer also is.
    for (let i = 0; i < 30; i++) await add(owner, `P${i}`, "\u0001".repeat(i === 10 ? 10 : 100_000));
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list(owner, { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      assert.ok(page.posts.length > 0);
      assert.ok(JSON.stringify(page).length < 4_000_000);
      seen.push(...page.posts.map(({ title }) => title));
      cursor = page.nextCursor;
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 30 }, (_, i) => `P${29 - i}`),
    );
  });

  test("limits beyond what is served are refused (ERR-invalid_input, T8)", () => {
    for (const limit of [0, -1, 101, 1e9, 1.5, NaN, Infinity, "10", null])
      assert.equal(listPostsInput.safeParse({ limit }).success, false, String(limit));
  });

  test("by status (POST-3)", async () => {
    const owner = await studioWith("A", "B", "C");
    const { posts } = await list(owner);
    await updatePost(fixture.deps, owner, { postId: posts[1]?.id ?? "", status: "ready" });
    assert.deepEqual(await titles(owner, { status: "ready" }), ["B"]);
    assert.deepEqual(await titles(owner, { status: "draft" }), ["C", "A"]);
    assert.deepEqual(await titles(owner, { status: "archived" }), []);
  });

  test("by text in title or body, whatever its case and accents (POST-3)", async () => {
    const owner = await studioWith(
      "Crème Brûlée",
      ["Other", "a CREME   brulee\nrecipe"],
      "Nothing",
      "Straße",
      "ΟΔΥΣΣΕΥΣ",
      "İstanbul",
      "日本語",
    );
    const cases: Record<string, string[]> = {
      "creme brulee": ["Other", "Crème Brûlée"],
      "  BRÛLÉE ": ["Other", "Crème Brûlée"],
      "e\u0301e": ["Other", "Crème Brûlée"],
      "brulee recipe": ["Other"],
      STRASSE: [],
      straße: ["Straße"],
      ΟΔΥΣ: ["ΟΔΥΣΣΕΥΣ"],
      οδυσ: ["ΟΔΥΣΣΕΥΣ"],
      οδυσσευς: ["ΟΔΥΣΣΕΥΣ"],
      istan: ["İstanbul"],
      本: ["日本語"],
    };
    for (const [query, found] of Object.entries(cases)) assert.deepEqual(await titles(owner, { query }), found, query);
    assert.equal((await titles(owner, { query: "   " })).length, 7, "an empty search is none");
  });

  test("signs that mean something to a database are only text (POST-3)", async () => {
    const all = ["100%", "a_b", "aXb", "back\\slash", "bang!", "quote'", "[a-z]*?", 'x" OR 1=1 --'];
    const owner = await studioWith(...all);
    const cases: Record<string, string[]> = {
      "%": ["100%"],
      _: ["a_b"],
      a_b: ["a_b"],
      "\\": ["back\\slash"],
      "!": ["bang!"],
      "!%": [],
      "'": ["quote'"],
      "[a-z]": ["[a-z]*?"],
      "*": ["[a-z]*?"],
      "or 1=1": ['x" OR 1=1 --'],
      $1: [],
      "?": ["[a-z]*?"],
    };
    for (const [query, found] of Object.entries(cases)) assert.deepEqual(await titles(owner, { query }), found, query);
  });

  test("a changed post is found by its new text and no longer by its old (POST-3)", async () => {
    const owner = await studioWith(["Old title", "old body"]);
    const postId = (await list(owner)).posts[0]?.id ?? "";
    await updatePost(fixture.deps, owner, { postId, title: "Fresh" });
    assert.deepEqual(await titles(owner, { query: "old title" }), []);
    assert.deepEqual(await titles(owner, { query: "old body" }), ["Fresh"]);
    await updatePost(fixture.deps, owner, { postId, body: "newer" });
    assert.deepEqual(await titles(owner, { query: "fresh newer" }), ["Fresh"]);
  });

  test("walking the pages gives every post once, while others are added and changed (POST-4)", async () => {
    const owner = await studioWith(...Array.from({ length: 25 }, (_, i) => `P${i}`));
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await list(owner, { limit: 7, ...(cursor ? { cursor } : {}) });
      seen.push(...page.posts.map(({ title }) => title));
      cursor = page.nextCursor;
      fixture.clock.advance(10);
      await add(owner, `New ${seen.length}`);
      await updatePost(fixture.deps, owner, { postId: page.posts[0]?.id ?? "", body: "changed" });
    } while (cursor);
    assert.deepEqual(
      seen,
      Array.from({ length: 25 }, (_, i) => `P${24 - i}`),
    );
  });

  test("the last page has no cursor, also when it is full (POST-4)", async () => {
    const owner = await studioWith("A", "B", "C", "D");
    const first = await list(owner, { limit: 2 });
    const second = await list(owner, { limit: 2, cursor: first.nextCursor });
    assert.deepEqual([first.posts.length, second.posts.length, second.nextCursor], [2, 2, null]);
    assert.equal((await list(await studioWith())).nextCursor, null);
  });

  test("a search of any text has a second page (POST-4)", async () => {
    for (const query of ["語".repeat(200), "a b ".repeat(50), "%".repeat(200), "\ufdfa".repeat(200)]) {
      const owner = await studioWith(["A", query], ["B", query]);
      const first = await list(owner, { limit: 1, query });
      assert.deepEqual(await titles(owner, { limit: 1, query, cursor: first.nextCursor }), ["A"], query.slice(0, 3));
    }
  });

  test("a cursor of another studio, another list or another hand is refused (T8)", async () => {
    const [a, b] = [await studioWith("A", "B"), await studioWith("C", "D")];
    const { nextCursor } = await list(a, { limit: 1 });
    const cursor = nextCursor ?? "";
    assert.equal(await getOutcome(list(a, { limit: 1, cursor })), "ok");
    assert.equal(await getOutcome(list(b, { limit: 1, cursor })), "invalid_input");
    assert.equal(await getOutcome(list(a, { limit: 1, cursor, status: "draft" })), "invalid_input");
    assert.equal(await getOutcome(list(a, { limit: 1, cursor, query: "x" })), "invalid_input");
    const plain = Buffer.from(cursor, "base64url").toString();
    const forged = [
      ...["", "x", "\0", `${cursor}=`, `${cursor} `, cursor.slice(0, -1), `${cursor}${cursor}`, plain],
      ...["\0", "\u{fffd}", "' OR 1=1", "%", "\nx", "😀"].map((end) =>
        Buffer.from(plain.replace(/pst_\w+$/, end)).toString("base64url"),
      ),
      Buffer.concat([Buffer.from(plain.replace(/pst_\w+$/, "")), Buffer.from([0xff, 0x00, 0xed, 0xa0, 0x80])]).toString(
        "base64url",
      ),
    ];
    for (const one of forged)
      assert.equal(await getOutcome(list(a, { limit: 1, cursor: one })), "invalid_input", JSON.stringify(one));
    assert.equal(listPostsInput.safeParse({ cursor: "x".repeat(10_240) }).success, false);
  });

  test("texts that almost hold what is searched for, everywhere, cost no more than others (X4)", async () => {
    const owner = await newStudio(fixture.deps);
    // One letter that is eighteen where case and accents do not matter, and one that is itself.
    for (const letter of ["\ufdfa", "a"]) {
      for (let i = 0; i < 10; i++) await add(owner, "P", letter.repeat(100_000));
      for (const query of [
        `${letter.repeat(199)}b`,
        `b${letter.repeat(199)}`,
        `${letter.repeat(99)}b${letter.repeat(99)}`,
      ]) {
        const started = performance.now();
        await list(owner, { query });
        const ms = performance.now() - started;
        assert.ok(ms < 3000, `${query.slice(0, 3)}… took ${ms} ms`);
      }
      assert.equal((await list(owner, { query: letter.repeat(5), limit: 1 })).posts.length, 1);
    }
  });

  test("a hundred thousand letters made to be slow are searched at once (X4)", async () => {
    const owner = await studioWith(["A", "a".repeat(100_000)]);
    const started = performance.now();
    assert.deepEqual(await titles(owner, { query: `${"a".repeat(199)}b` }), []);
    assert.deepEqual(await titles(owner, { query: "%a".repeat(100) }), []);
    assert.ok(performance.now() - started < 5000);
  });
});
