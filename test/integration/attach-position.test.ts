import assert from "node:assert/strict";
import { before, test } from "node:test";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { mergeOrder } from "../../web/src/media/merge-order.ts";

forOneEngine("the position of an asset that is attached again", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));
  let owner: Caller;
  let cookie: string;
  before(async () => {
    owner = await newStudio(fixture.deps);
    cookie = await server.signIn(owner);
  });

  const newAsset = async (filename: string): Promise<string> => {
    const base64 = Buffer.from(`The text of ${filename}.`).toString("base64");
    const input = { kind: "document", mimeType: "text/plain", base64, filename } as const;
    return (await uploadAssetInline(fixture.deps, owner, input)).assetId;
  };

  /** Creates a post with a text file for each name. `readOrder` returns the names in their current order. */
  async function newPost(...names: readonly string[]) {
    const { id: postId } = await createPost(fixture.deps, owner, { title: "Files in order", body: "" });
    const ids: Record<string, string> = {};
    for (const name of names) {
      ids[name] = await newAsset(name);
      await attachAsset(fixture.deps, owner, { postId, assetId: ids[name] });
    }
    const idOf = (name: string): string => ids[name] ?? "";
    return {
      postId,
      idOf,
      idsOf: (...filenames: readonly string[]) => filenames.map(idOf),
      detach: (name: string) => detachAsset(fixture.deps, owner, { postId, assetId: idOf(name) }),
      attach: (name: string, body?: object) =>
        call(server, "PUT", `/api/studios/${owner.studio.id}/posts/${postId}/assets/${idOf(name)}`, {
          cookie,
          ...(body && { body }),
        }),
      async readOrder() {
        return (await getPost(fixture.deps, owner, { postId })).assets.map(({ filename }) => filename).join(" ");
      },
      readRevision: async () => (await getPost(fixture.deps, owner, { postId })).revision,
    };
  }

  test("any file of a, b, c returns to its position in one revision (WEB-7)", async () => {
    const post = await newPost("a", "b", "c");
    for (const name of ["a", "b", "c"]) {
      await post.detach(name);
      const revision = await post.readRevision();
      assert.equal((await post.attach(name, { order: post.idsOf("a", "b", "c") })).status, 200);
      assert.deepEqual([await post.readOrder(), await post.readRevision()], ["a b c", revision + 1]);
    }
  });

  test("a file returns next to its nearest remaining neighbor if the post's files changed meanwhile (WEB-7)", async () => {
    const reordered = await newPost("a", "b", "c", "d");
    await reordered.detach("b");
    const { postId } = reordered;
    await updatePost(fixture.deps, owner, { postId, assetIds: reordered.idsOf("d", "c", "a") });
    await reordered.attach("b", { order: reordered.idsOf("a", "b", "c", "d") });
    assert.equal(await reordered.readOrder(), "d c a b", "after the file it followed");

    const shortened = await newPost("a", "b", "c", "d");
    for (const name of ["c", "b"]) await shortened.detach(name);
    await shortened.attach("c", { order: shortened.idsOf("a", "b", "c", "d") });
    assert.equal(await shortened.readOrder(), "a c d", "after the nearest file before it");

    const withoutFirst = await newPost("a", "b", "c");
    for (const name of ["b", "a"]) await withoutFirst.detach(name);
    await withoutFirst.attach("b", { order: withoutFirst.idsOf("a", "b", "c") });
    assert.equal(await withoutFirst.readOrder(), "b c", "before the nearest file after it");
  });

  test("a file becomes the last one if the request has no order, or an order without the file (WEB-7)", async () => {
    const post = await newPost("a", "b", "c");
    for (const body of [undefined, {}, { order: [] }, { order: post.idsOf("b", "c") }, { order: ["unknown"] }]) {
      await post.detach("a");
      assert.equal((await post.attach("a", body)).status, 200);
      assert.equal(await post.readOrder(), "b c a", JSON.stringify(body));
      await post.detach("a");
      await post.attach("a", { order: post.idsOf("a", "b", "c") });
    }
    assertProblem(await post.attach("a", { order: "b" }), 400, "invalid_input");
    assertProblem(await post.attach("a", { position: 1 }), 400, "invalid_input");
  });

  test("a repeated request changes nothing, and files of other posts keep their positions (WEB-7)", async () => {
    const [post, other] = [await newPost("a", "b", "c"), await newPost("x", "y")];
    await post.detach("b");
    const order = [...post.idsOf("a", "b"), ...other.idsOf("y", "x"), ...post.idsOf("c")];
    await Promise.all([1, 2, 3].map(() => post.attach("b", { order })));
    assert.deepEqual([await post.readOrder(), await other.readOrder()], ["a b c", "x y"]);
  });

  test("files removed one after the other return to their positions, in either order of Undo (WEB-7)", async () => {
    for (const undoOrder of [
      ["b", "c"],
      ["c", "b"],
    ]) {
      const post = await newPost("a", "b", "c", "d");
      const orders: Record<string, string[]> = {};
      let mergedOrder: string[] = [];
      for (const name of ["b", "c"]) {
        const { assets } = await getPost(fixture.deps, owner, { postId: post.postId });
        const order = assets.map(({ id }) => id);
        orders[name] = mergedOrder = mergeOrder(mergedOrder, order);
        await post.detach(name);
      }
      for (const name of undoOrder) await post.attach(name, { order: orders[name] });
      assert.equal(await post.readOrder(), "a b c d", undoOrder.join(" then "));
    }
  });
});
