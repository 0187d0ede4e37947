import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Database } from "#db/database.ts";
import type { TestClock } from "../support/clock.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { getPost, getPostInput } from "#domain/posts/get-post.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { isId } from "#lib/ids.ts";
import { forEachEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("posts", (fixture) => {
  let deps: Deps;
  let clock: TestClock;
  let database: Database;
  before(() => void ({ deps, clock, database } = fixture));

  test("a new post is a draft at revision 1 and reads back unchanged (POST-1, WORD-4, WORD-8)", async () => {
    const owner = await newStudio(deps);
    const post = await createPost(deps, owner, createPostInput.parse({ title: " Été 😀 ", body: "línea\n\tuno\r\n" }));
    const now = new Date(clock()).toISOString();
    assert.ok(isId("post", post.id));
    assert.deepEqual(post, {
      id: post.id,
      title: "Été 😀",
      body: "línea\n\tuno\r\n",
      status: "draft",
      revision: 1,
      assets: [],
      variants: [],
      tags: [],
      createdBy: owner.user.id,
      createdByClient: null,
      readyRevision: null,
      createdAt: now,
      updatedAt: now,
      url: `http://localhost:3000/studios/${owner.studio.id}/posts/${post.id}`,
      validation: [],
      publications: [],
    });
    assert.deepEqual(await getPost(deps, owner, { postId: post.id }), post);
  });

  test("each update increments the revision and changes only the given fields (POST-1, WORD-6)", async () => {
    const owner = await newStudio(deps);
    const post = await createPost(deps, owner, { title: "A", body: "b" });
    clock.advance(5000);
    const renamedPost = await updatePost(deps, owner, { postId: post.id, title: "B" });
    assert.deepEqual(renamedPost, {
      ...post,
      title: "B",
      revision: 2,
      updatedAt: new Date(clock()).toISOString(),
    });
    const emptiedPost = await updatePost(deps, owner, { postId: post.id, body: "" });
    assert.deepEqual(emptiedPost, { ...renamedPost, body: "", revision: 3 });
    assert.deepEqual(await getPost(deps, owner, { postId: post.id }), emptiedPost);
  });

  test("accepts only the statuses draft, ready and archived (WORD-5)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    for (const status of ["ready", "archived", "draft"] as const)
      assert.equal((await updatePost(deps, owner, { postId, status })).status, status);
    for (const status of ["published", "", "Draft", null])
      assert.equal(updatePostInput.safeParse({ postId, status }).success, false);
    await assert.rejects(
      database.q
        .updateTable("posts")
        .set({ status: "gone" as never })
        .where("id", "=", postId)
        .execute(),
    );
  });

  test("an update with an old revision changes nothing and reports the current revision (POST-2, ERR-revision_conflict)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    await updatePost(deps, owner, { postId, title: "B", revision: 1 });
    const staleUpdate = updatePost(deps, owner, { postId, title: "C", revision: 1 });
    await assert.rejects(staleUpdate, { code: "revision_conflict", message: /revision 2/ });
    for (const revision of [3, 2_147_483_647])
      assert.equal(await getOutcome(updatePost(deps, owner, { postId, title: "C", revision })), "revision_conflict");
    assert.equal((await getPost(deps, owner, { postId })).title, "B");
  });

  test("rejects a revision number out of range as a conflict or invalid input, not as an internal error (POST-2, ERR-invalid_input, M10)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    for (const revision of [0, -1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER, 1e308, "1", null]) {
      const parsed = updatePostInput.safeParse({ postId, title: "B", revision });
      if (parsed.success)
        assert.equal(await getOutcome(updatePost(deps, owner, parsed.data)), "revision_conflict", String(revision));
    }
  });

  test("exactly one of fifty parallel updates with the same revision succeeds (POST-2)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const updates = Array.from({ length: 50 }, (_, i) =>
      updatePost(deps, owner, { postId, title: `T${i}`, revision: 1 }),
    );
    assert.deepEqual(await countOutcomes(updates), { ok: 1, revision_conflict: 49 });
    assert.equal((await getPost(deps, owner, { postId })).revision, 2);
  });

  test("fifty updates without a revision, ten at a time, all succeed, each with its own revision (WORD-6)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const revisions: number[] = [];
    // No more at a time than there are connections: on a busy machine, others could wait too long for one.
    for (let round = 0; round < 5; round++) {
      const updates = Array.from({ length: 10 }, (_, i) => updatePost(deps, owner, { postId, body: `B${round}.${i}` }));
      revisions.push(...(await Promise.all(updates)).map(({ revision }) => revision));
    }
    assert.deepEqual(
      revisions.toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 2),
    );
  });

  test("rejects an update without changes (ERR-invalid_input)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    assert.equal(await getOutcome(updatePost(deps, owner, { postId })), "invalid_input");
    assert.equal(await getOutcome(updatePost(deps, owner, { postId, revision: 1, title: undefined })), "invalid_input");
  });

  test("rejects another studio's post, and unknown or malformed ids, with not_found (STUDIO-5, ERR-not_found, T1, T2)", async () => {
    const [owner, otherOwner] = [await newStudio(deps), await newStudio(deps)];
    const foreignPost = await createPost(deps, otherOwner, { title: "Theirs", body: "" });
    for (const postId of [foreignPost.id, ...listHostileIds("post")]) {
      const label = JSON.stringify(postId.slice(0, 40));
      assert.equal(await getOutcome(getPost(deps, owner, { postId })), "not_found", label);
      assert.equal(await getOutcome(updatePost(deps, owner, { postId, title: "Mine" })), "not_found", label);
      assert.equal(
        await getOutcome(updatePost(deps, owner, { postId, title: "Mine", revision: 1 })),
        "not_found",
        label,
      );
    }
    assert.deepEqual(await getPost(deps, otherOwner, { postId: foreignPost.id }), foreignPost);
  });

  test("rejects input that names a studio, a user or a column (T2)", () => {
    for (const field of [
      "studioId",
      "studio_id",
      "userId",
      "createdBy",
      "created_by",
      "search_text",
      "id",
      "revision",
    ]) {
      assert.equal(createPostInput.safeParse({ title: "A", [field]: "x" }).success, false, field);
    }
    for (const field of ["studioId", "studio_id", "search_text", "id"])
      assert.equal(updatePostInput.safeParse({ postId: "p", title: "A", [field]: "x" }).success, false, field);
    assert.equal(getPostInput.safeParse({ postId: "p", studioId: "s" }).success, false);
  });

  test("rejects text that cannot be stored, and stores text of the maximum length unchanged (ERR-invalid_input, M10)", async () => {
    const invalidInputs = [
      { title: "" },
      { title: " \t" },
      { title: "a\nb" },
      { title: "\u200b\u2060\ufeff" },
      { title: "\0" },
      { title: "\ud800" },
      { title: "x".repeat(301) },
      { title: "A", body: "a\0b" },
      { title: "A", body: "\udc00" },
      { title: "A", body: "x".repeat(100_001) },
      { title: 1 },
      {},
      null,
    ];
    for (const input of invalidInputs)
      assert.equal(createPostInput.safeParse(input).success, false, JSON.stringify(input)?.slice(0, 60));
    const longestInput = createPostInput.parse({
      title: "\u{10ffff}".repeat(150),
      body: `${"é\u{1f600}\u202e'\"\\%_".repeat(11_111)}.`,
    });
    assert.deepEqual([longestInput.title.length, longestInput.body.length], [300, 100_000]);
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, longestInput);
    const { title, body } = await getPost(deps, owner, { postId });
    assert.deepEqual({ title, body }, longestInput);
  });
});
