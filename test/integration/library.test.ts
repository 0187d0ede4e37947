import assert from "node:assert/strict";
import { test } from "node:test";
import { createAssetStore } from "#db/assets.ts";
import { createSharedFileStore } from "#db/shared-files.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { getAssetUsage } from "#domain/assets/get-asset.ts";
import { listAssetDetails, listAssets } from "#domain/assets/list-assets.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { createHookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { recordPlans } from "../support/query-plans.ts";
import { jpeg } from "../support/samples.ts";
import { newStudio } from "../support/users.ts";

const image = (await jpeg(90, 60)).toString("base64");
const notes = Buffer.from("Notes").toString("base64");

forEachEngine("the library", (fixture) => {
  const createDeps = (): Deps => ({ ...fixture.deps, files: createHookedFiles(fixture.clock) });

  const addImage = async (deps: Deps, caller: Caller, filename: string): Promise<string> =>
    (await uploadAssetInline(deps, caller, { kind: "image", mimeType: "image/jpeg", filename, base64: image })).assetId;

  async function addNotes(deps: Deps, caller: Caller, filename: string): Promise<string> {
    const document = { kind: "document", mimeType: "text/plain", filename, base64: notes } as const;
    return (await uploadAssetInline(deps, caller, document)).assetId;
  }

  test("filters by usage and kind, alone, together and in a search (LIB-3, POST-3, ASSET-14)", async () => {
    const deps = createDeps();
    const owner = await newStudio(deps);
    const post = await createPost(deps, owner, { title: "Boats", body: "" });
    for (const [filename, isUsed] of [
      ["used-1.jpg", true],
      ["unused-1.jpg", false],
      ["used-2.jpg", true],
    ] as const) {
      const assetId = await addImage(deps, owner, filename);
      await updateAsset(deps, owner, { assetId, tags: ["sea"] });
      if (isUsed) await attachAsset(deps, owner, { postId: post.id, assetId });
    }
    const notesId = await addNotes(deps, owner, "used-3.txt");
    await attachAsset(deps, owner, { postId: post.id, assetId: notesId });
    await addNotes(deps, owner, "unused-2.txt");

    const list = async (filter: Omit<Parameters<typeof listAssetDetails>[2], "limit">) =>
      (await listAssetDetails(deps, owner, { ...filter, limit: 50 })).assets.map(({ filename }) => filename);
    assert.deepEqual(await list({ usage: "used" }), ["used-3.txt", "used-2.jpg", "used-1.jpg"]);
    assert.deepEqual(await list({ usage: "unused" }), ["unused-2.txt", "unused-1.jpg"]);
    assert.deepEqual(await list({ usage: "used", kind: "image" }), ["used-2.jpg", "used-1.jpg"]);
    assert.deepEqual(await list({ usage: "unused", kind: "document" }), ["unused-2.txt"]);
    assert.deepEqual(await list({ usage: "used", tag: "sea" }), ["used-2.jpg", "used-1.jpg"]);
    assert.deepEqual(await list({ usage: "used", query: "3" }), ["used-3.txt"]);
    assert.deepEqual(await list({ usage: "unused", query: "used" }), ["unused-2.txt", "unused-1.jpg"]);

    const first = await listAssetDetails(deps, owner, { usage: "used", limit: 2 });
    const cursor = first.nextCursor ?? "";
    const second = await listAssetDetails(deps, owner, { usage: "used", limit: 2, cursor });
    assert.deepEqual(
      second.assets.map(({ filename }) => filename),
      ["used-1.jpg"],
    );
    assert.equal(second.nextCursor, null);
    const ofOtherFilter = listAssetDetails(deps, owner, { usage: "unused", limit: 2, cursor });
    assert.equal(await getOutcome(ofOtherFilter), "invalid_input");
    const { assets } = await listAssets(deps, owner, { unattached: false, limit: 10 });
    assert.equal(assets.length, 5, "`unattached: false` of the tool still lists all assets");
  });

  test("shows who added a file, its post, and the copies with their posts (LIB-1)", async () => {
    const deps = createDeps();
    const owner = await newStudio(deps);
    const client = await actThroughClient(deps, owner, "Claude");
    const assetId = await addImage(deps, client, "logo.jpg");
    const [first, second, deleted] = [
      await createPost(deps, owner, { title: "First", body: "" }),
      await createPost(deps, owner, { title: "Second", body: "" }),
      await createPost(deps, owner, { title: "Deleted", body: "" }),
    ];
    const copies: string[] = [];
    for (let i = 0; i < 4; i++) copies.push((await copyAsset(deps, owner, { assetId })).assetId);
    const [onSecond = "", onDeleted = "", inLibrary = "", inTrash = ""] = copies;
    await attachAsset(deps, owner, { postId: first.id, assetId });
    await attachAsset(deps, owner, { postId: second.id, assetId: onSecond });
    await attachAsset(deps, owner, { postId: deleted.id, assetId: onDeleted });
    await deletePost(deps, owner, { postId: deleted.id });
    await deleteAsset(deps, owner, { assetId: inTrash });
    await addImage(deps, owner, "another.jpg");

    const usage = await getAssetUsage(deps, owner, { assetId });
    assert.deepEqual(usage.post, { id: first.id, title: "First" });
    assert.deepEqual(usage.createdBy, { id: owner.user.id, name: owner.user.name });
    assert.equal(usage.createdThrough, "Claude");
    assert.equal(usage.filename, "logo.jpg");
    assert.deepEqual(usage.copies, [
      { assetId: inLibrary, filename: "logo.jpg", post: null },
      { assetId: onSecond, filename: "logo.jpg", post: { id: second.id, title: "Second" } },
    ]);
    assert.equal(usage.hasMoreCopies, false);
    const usageOfCopy = await getAssetUsage(deps, owner, { assetId: inLibrary });
    assert.equal(usageOfCopy.createdThrough, null);
    assert.equal(usageOfCopy.post, null);
    assert.deepEqual(usageOfCopy.copies.map((copy) => copy.post?.title).toSorted(), ["First", "Second"]);
    for (const unknownId of [onDeleted, inTrash, "ast_nothing"])
      assert.equal(await getOutcome(getAssetUsage(deps, owner, { assetId: unknownId })), "not_found");
    const stranger = await newStudio(deps);
    assert.equal(await getOutcome(getAssetUsage(deps, stranger, { assetId })), "not_found");
  });

  test("lists at most 50 copies (LIB-1)", async () => {
    const deps = createDeps();
    const owner = await newStudio(deps);
    const assetId = await addImage(deps, owner, "logo.jpg");
    for (let i = 0; i < 51; i++) await copyAsset(deps, owner, { assetId });
    const usage = await getAssetUsage(deps, owner, { assetId });
    assert.equal(usage.copies.length, 50);
    assert.equal(usage.hasMoreCopies, true);
  });

  test("reads each filter and the copies of a file from an index (ASSET-14)", async () => {
    const { connection, listPlans } = recordPlans(fixture);
    const assets = createAssetStore(connection);
    const filters = {
      assets_attached: { unattached: false },
      assets_attached_by_kind: { unattached: false, kind: "video" },
      assets_unattached: { unattached: true },
      assets_unattached_by_kind: { unattached: true, kind: "video" },
      assets_by_kind: { kind: "video" },
    } as const;
    for (const filter of Object.values(filters)) await assets.list("s", { ...filter, limit: 61 });
    await createSharedFileStore(connection).listAssets("s", "k", 52);
    const indexes = [...Object.keys(filters), "assets_by_key"];
    const plans = await listPlans();
    assert.equal(plans.length, indexes.length);
    for (const [i, { sql, plan }] of plans.entries()) {
      const steps = plan.join("\n");
      assert.match(steps, new RegExp(`\\b${indexes[i]}\\b`), sql);
      assert.doesNotMatch(steps, /SCAN assets|Seq Scan/, sql);
      if (indexes[i] !== "assets_by_key") assert.doesNotMatch(steps, /TEMP B-TREE|Sort/, sql);
    }
  });
});
