import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { findPostsByTitle, listPosts } from "#domain/posts/list-posts.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { undoClientChanges } from "#domain/undo/undo-changes.ts";
import { toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { readPages } from "../support/read-pages.ts";
import { newStudio } from "../support/users.ts";

const maxPageLength = 1_200_000;

forEachEngine("posts whose variants have long texts", (fixture) => {
  let owner: Caller;
  let client: Caller;
  let variants: { connectionId: string; body: string }[];
  let postIds: string[];
  before(async () => {
    const { deps } = fixture;
    owner = await newStudio(deps);
    client = await actThroughClient(deps, owner);
    variants = [];
    for (let i = 0; i < 6; i++)
      variants.push({ connectionId: await newConnection(deps, owner, `account-${i}`), body: "x".repeat(90_000) });
    postIds = [];
    for (const title of ["A vase", "A vase, again", "A vase, at last"]) {
      const { id, revision } = await createPost(deps, owner, { title, body: "" });
      await updatePost(deps, client, { postId: id, revision, variants });
      postIds.unshift(id);
    }
  });

  for (const query of [undefined, "vase"]) {
    test(`a page of ${query === undefined ? "all posts" : "a search"} ends before it is too long, and the next one continues (X4)`, async () => {
      const input = { limit: 100, includeBody: false, query };
      const pages = await readPages((cursor) => listPosts(fixture.deps, owner, { ...input, cursor }));
      assert.ok(pages.every((page) => JSON.stringify(page).length < maxPageLength));
      assert.deepEqual(
        pages.flatMap(({ posts }) => posts.map(({ id }) => id)),
        postIds,
      );
    });
  }

  test("the titles of such posts are found in one call", async () => {
    const { postIds: foundIds } = await findPostsByTitle(fixture.deps, owner, { query: "", limit: 10 });
    assert.deepEqual(foundIds, postIds);
  });

  test("a page of the history ends before it is too long (X4, HIST-2)", async () => {
    const [postId = ""] = postIds;
    for (const tag of ["one", "two", "three"]) await updatePost(fixture.deps, owner, { postId, tags: [tag] });
    const page = await getPostHistory(fixture.deps, owner, { postId, limit: 100 });
    assert.ok(JSON.stringify(page).length < maxPageLength);
    assert.ok(page.nextCursor);
  });

  test("an undo reports the beginning of a long value that someone else changed (X4, UNDO-3)", async () => {
    const [postId = ""] = postIds;
    await updatePost(fixture.deps, owner, { postId, variants: variants.slice(1) });
    const since = toIsoTime(fixture.clock() - 1000);
    const grantId = client.credential.kind === "grant" ? client.credential.grantId : "";
    const { conflicts } = await undoClientChanges(fixture.deps, owner, { grantId, since, dryRun: true });
    assert.deepEqual(
      conflicts.map(({ id, field }) => [id, field]),
      [[postId, "variants"]],
    );
    assert.ok(JSON.stringify(conflicts).length < 10_000);
  });
});
