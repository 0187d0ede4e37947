import assert from "node:assert/strict";
import { test } from "node:test";
import { getAsset } from "#domain/assets/get-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { updateAsset, updateAssetInput } from "#domain/assets/update-asset.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost, createPostInput } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, addFile, readHistory } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember, newStudio } from "../support/users.ts";

const parseTags = (tags: unknown) => updatePostInput.safeParse({ postId: "x", tags });

test("tags are trimmed, in lower case and without duplicates; their order is kept (POST-5)", () => {
  const parsed = parseTags([" Launch ", "LAUNCH", "week 1", "İzmir", "Ähre", "launch"]);
  assert.deepEqual(parsed.data?.tags, ["launch", "week 1", "i̇zmir", "ähre"]);
  assert.deepEqual(parseTags(Array.from({ length: 30 }, (_, i) => `t${i % 20}`)).data?.tags?.length, 20);
  assert.deepEqual(parseTags([]).data?.tags, []);
  assert.deepEqual(parseTags(["x".repeat(40), ` ${"y".repeat(40)} `]).data?.tags?.length, 2);
});

test("rejects invalid tags and names the problem (POST-5, ERR-invalid_input)", () => {
  const invalidTags: [tags: unknown, path: string][] = [
    [[""], "tags.0"],
    [["ok", "   "], "tags.1"],
    [["x".repeat(41)], "tags.0"],
    [["İ".repeat(21)], "tags.0"],
    [["two\nlines"], "tags.0"],
    [["\u200b"], "tags.0"],
    [["nul\0"], "tags.0"],
    [["\ud800"], "tags.0"],
    [Array.from({ length: 21 }, (_, i) => `t${i}`), "tags"],
    [[1], "tags.0"],
    ["launch", "tags"],
    [null, "tags"],
  ];
  for (const [tags, path] of invalidTags)
    for (const schema of [updatePostInput, createPostInput, updateAssetInput]) {
      const result = schema.safeParse({ postId: "x", assetId: "x", title: "T", tags });
      const paths = result.error?.issues.map((issue) => issue.path.join("."));
      assert.ok(paths?.includes(path), `${JSON.stringify(tags)}: ${paths?.join()}`);
    }
});

forEachEngine("tags", (fixture) => {
  const { deps, clock } = fixture;
  test("posts have tags, which a list replaces (POST-5)", async () => {
    const owner = await newStudio(deps);
    const input = createPostInput.parse({ title: "A", tags: ["Launch", "sea"] });
    const { id: postId } = await createPost(deps, owner, input);
    const assertTags = async (tags: string[]) => {
      assert.deepEqual((await getPost(deps, owner, { postId })).tags, tags);
      assert.deepEqual((await listPosts(deps, owner, { limit: 1 })).posts[0]?.tags, tags);
    };
    await assertTags(["launch", "sea"]);
    await updatePost(deps, owner, { postId, title: "B" });
    await assertTags(["launch", "sea"]);
    for (const tags of [["new"], []]) {
      await updatePost(deps, owner, { postId, tags });
      await assertTags(tags);
    }
    assert.deepEqual((await createPost(deps, owner, { title: "C", body: "" })).tags, []);
  });

  test("assets have tags, which a list replaces; without tags, the field is absent (ASSET-14)", async () => {
    const owner = await newStudio(deps);
    const assetId = await addFile(deps, owner);
    assert.equal((await getAsset(deps, owner, { assetId })).tags, undefined);
    assert.deepEqual((await updateAsset(deps, owner, { assetId, tags: ["logo", "red"] })).tags, ["logo", "red"]);
    await updateAsset(deps, owner, { assetId, altText: "A logo" });
    assert.deepEqual((await listAssets(deps, owner, { limit: 1 })).assets[0]?.tags, ["logo", "red"]);
    assert.equal((await updateAsset(deps, owner, { assetId, tags: [] })).tags, undefined);
  });

  test("a client can change tags without a revision; the activity names the field (POST-5)", async () => {
    const owner = await newStudio(deps);
    const client = await actThroughClient(deps, owner);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const assetId = await addFile(deps, owner);
    assert.equal(await getOutcome(updatePost(deps, client, { postId, tags: ["a"] })), "ok");
    await updateAsset(deps, client, { assetId, tags: ["b"] });
    const { activity } = await listActivity(deps, owner, { limit: 2 });
    assert.deepEqual(
      activity.map(({ detail }) => (detail as { fields?: string[] }).fields),
      [["tags"], ["tags"]],
    );
  });

  test("revisions keep the tags, and restoring one restores them (HIST-1)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "", tags: ["first"] });
    clock.advance(1000);
    await updatePost(deps, owner, { postId, tags: ["second"] });
    await updatePost(deps, owner, { postId, status: "ready" });
    const history = await readHistory(deps, owner, postId);
    assert.deepEqual(
      history.map(({ tags, changed }) => [tags, changed]),
      [
        [["second"], ["status"]],
        [["second"], ["tags"]],
        [["first"], ["title", "tags"]],
      ],
    );
    assert.deepEqual((await restorePost(deps, owner, { postId, revision: 1 })).tags, ["first"]);
    assert.equal((await listPosts(deps, owner, { limit: 5, tag: "first" })).posts.length, 1);
    assert.equal((await listPosts(deps, owner, { limit: 5, tag: "second" })).posts.length, 0);
  });

  test("undo reverts tags, and keeps tags that another user changed afterwards (UNDO-1, UNDO-2)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const client = await actThroughClient(deps, owner);
    const newPost = async (tag: string) => (await createPost(deps, owner, { title: tag, body: "", tags: [tag] })).id;
    const [postId, otherPostId] = [await newPost("one"), await newPost("two")];
    const [assetId, otherAssetId] = [await addFile(deps, owner), await addFile(deps, owner)];
    await updateAsset(deps, owner, { assetId, tags: ["logo"] });
    clock.advance(1000);
    const since = toIsoTime(clock());
    for (const id of [postId, otherPostId]) await updatePost(deps, client, { postId: id, tags: ["ruined"] });
    for (const id of [assetId, otherAssetId]) await updateAsset(deps, client, { assetId: id, tags: ["ruined"] });
    clock.advance(1000);
    await updatePost(deps, member, { postId: otherPostId, tags: ["mine"] });
    await updateAsset(deps, member, { assetId: otherAssetId, tags: ["mine"] });
    const { undone, conflicts } = await undoOwnChanges(deps, client, { since });
    const sortByType = <T extends { type: string }>(entries: readonly T[]) =>
      entries.toSorted((a, b) => (a.type < b.type ? -1 : 1));
    assert.deepEqual(sortByType(undone), [
      { type: "asset", id: assetId, field: "tags" },
      { type: "post", id: postId, field: "tags" },
    ]);
    const conflict = { field: "tags", clientValue: ["ruined"], currentValue: ["mine"] };
    assert.deepEqual(sortByType(conflicts), [
      { type: "asset", id: otherAssetId, ...conflict },
      { type: "post", id: otherPostId, ...conflict },
    ]);
    assert.deepEqual((await getPost(deps, owner, { postId })).tags, ["one"]);
    assert.deepEqual((await getAsset(deps, owner, { assetId })).tags, ["logo"]);
    assert.equal((await listAssets(deps, owner, { limit: 5, tag: "logo" })).assets.length, 1);
    assert.equal((await listPosts(deps, owner, { limit: 5, tag: "ruined" })).posts.length, 0);
  });
});
