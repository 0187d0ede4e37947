import assert from "node:assert/strict";
import { test } from "node:test";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { getPost, getPostInput } from "#domain/posts/get-post.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { isId } from "#lib/ids.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";

forEachEngine("posts", ({ deps, clock, database }) => {
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

  test("an update with another revision changes nothing and reports the current revision (POST-2, ERR-revision_conflict, ERR-invalid_input, M10)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    await updatePost(deps, owner, { postId, title: "B", revision: 1 });
    const staleUpdate = updatePost(deps, owner, { postId, title: "C", revision: 1 });
    await assert.rejects(staleUpdate, { code: "revision_conflict", message: /revision 2/ });
    for (const revision of [0, -1, 1.5, NaN, Infinity, 3, 2_147_483_647, 2 ** 31, 2 ** 40, 1e308, "1", null]) {
      const { success, data } = updatePostInput.safeParse({ postId, title: "C", revision });
      if (success) assert.equal(await getOutcome(updatePost(deps, owner, data)), "revision_conflict", String(revision));
    }
    for (const change of [{}, { revision: 2, title: undefined }])
      assert.equal(await getOutcome(updatePost(deps, owner, { postId, ...change })), "invalid_input", "no change");
    assert.equal((await getPost(deps, owner, { postId })).title, "B");
  });

  test("exactly one of ten parallel updates with the same revision succeeds (POST-2)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const updates = Array.from({ length: 10 }, (_, i) =>
      updatePost(deps, owner, { postId, title: `T${i}`, revision: 1 }),
    );
    assert.deepEqual(await countOutcomes(updates), { ok: 1, revision_conflict: 9 });
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

  test("rejects input that names a studio, a user or a column (T2)", () => {
    for (const field of ["studioId", "studio_id", "userId", "createdBy", "search_text", "id", "revision"])
      assert.throws(() => createPostInput.parse({ title: "A", [field]: "x" }), field);
    for (const field of ["studioId", "studio_id", "search_text", "id"])
      assert.throws(() => updatePostInput.parse({ postId: "p", title: "A", [field]: "x" }), field);
    assert.throws(() => getPostInput.parse({ postId: "p", studioId: "s" }));
  });

  test("rejects text that cannot be stored, and stores text of the maximum length unchanged (ERR-invalid_input, M10)", async () => {
    const titles = ["", " \t", "a\nb", "\u200b\u2060\ufeff", "\0", "\ud800", "x".repeat(301), 1];
    const bodies = ["a\0b", "\udc00", "x".repeat(100_001)];
    const invalidInputs = [
      ...titles.map((title) => ({ title })),
      ...bodies.map((body) => ({ title: "A", body })),
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
