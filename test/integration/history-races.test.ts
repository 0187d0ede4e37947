import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { emptyTrash, restoreFromTrash } from "#domain/trash/trash.ts";
import { trashLifetime } from "#domain/model/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { undoClientChanges, undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { toIsoTime } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, addFile, addPost, newStudioWithPost, readHistory } from "../support/history-fixture.ts";
import { isLongRun } from "../support/long-run.ts";
import { getOutcome } from "../support/outcome.ts";
import { readConsistentStudio } from "../support/undo-studio.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitTurns } from "../support/wait-turns.ts";

const roundCount = isLongRun ? 100 : 5;

/** Starts all calls within a few turns of the event loop, in random order. */
const race = <T>(calls: readonly (() => Promise<T>)[]): Promise<T[]> =>
  Promise.all(calls.map((call) => waitTurns(Math.random() * 50).then(call)));

forEachEngine(
  "races of edits, undo and the trash",
  (fixture) => {
    const { deps, clock, database } = fixture;
    /** Asserts that every revision exists, and that its `changed` fields are those that differ from the previous revision. */
    async function assertHistory(deps: Deps, caller: Caller, postId: string): Promise<void> {
      const history = (await readHistory(deps, caller, postId)).toReversed();
      const { revision } = await getPost(deps, caller, { postId });
      assert.deepEqual(
        history.map((entry) => entry.revision),
        Array.from({ length: revision }, (_, i) => i + 1),
      );
      for (const [i, entry] of history.entries()) {
        const previous = history[i - 1];
        if (!previous) continue;
        const differs = (field: "title" | "body" | "status" | "assets"): boolean =>
          JSON.stringify(entry[field]) !== JSON.stringify(previous[field]);
        for (const field of ["title", "body", "status"] as const)
          assert.equal(entry.changed.includes(field), differs(field), `revision ${entry.revision}, ${field}`);
        assert.ok(entry.changed.includes("assets") || !differs("assets"), `revision ${entry.revision}, assets`);
      }
    }

    test(`concurrent edits, attaches and an undo of one post lose no change, in each of ${roundCount} rounds (UNDO-2, HIST-1)`, async () => {
      for (let round = 0; round < roundCount; round++) {
        const { owner, client, postId, assetIds } = await newStudioWithPost(deps, { title: "A", body: "A", files: 3 });
        const member = await newMember(deps, owner, "member");
        const [first, second, third] = assetIds as [string, string, string];
        const unattachedFiles = [await addFile(deps, owner), await addFile(deps, owner)];
        clock.advance(1);
        const since = toIsoTime(clock());
        const { revision } = await getPost(deps, owner, { postId });
        await updatePost(deps, client, { postId, title: "Ruined", body: "Ruined", revision });
        await updateAsset(deps, client, { assetId: first, altText: "Ruined" });
        await detachAsset(deps, client, { postId, assetId: second });
        await updatePost(deps, client, { postId, status: "archived" });
        clock.advance(1);
        await race<unknown>([
          () => undoClientChanges(deps, owner, { since, grantId: client.grantId }),
          () => updatePost(deps, member, { postId, title: "Mine" }),
          () => updateAsset(deps, member, { assetId: third, altText: "Mine" }),
          ...unattachedFiles.map((assetId) => () => attachAsset(deps, member, { postId, assetId })),
        ]);
        const post = await getPost(deps, owner, { postId });
        assert.deepEqual([post.title, post.body, post.status], ["Mine", "A", "draft"]);
        assert.deepEqual(post.assets.map(({ id, altText }) => [id, altText ?? null]).slice(0, 3), [
          [first, null],
          [second, null],
          [third, "Mine"],
        ]);
        assert.deepEqual(post.assets.map(({ id }) => id).toSorted(), [...assetIds, ...unattachedFiles].toSorted());
        await readConsistentStudio(database, owner.studio.id);
        await assertHistory(deps, owner, postId);
      }
    });

    test(`concurrent undos by the client and the owner revert each change once, in each of ${roundCount} rounds (UNDO-1)`, async () => {
      for (let round = 0; round < roundCount; round++) {
        const owner = await newStudio(deps);
        const client = await actThroughClient(deps, owner);
        const posts = [await addPost(deps, owner, { files: 1 }), await addPost(deps, owner, { files: 1 })];
        const before = await readConsistentStudio(database, owner.studio.id);
        clock.advance(1);
        const since = toIsoTime(clock());
        const [a, b] = posts.map(({ postId, assetIds }) => ({ postId, assetId: assetIds[0] ?? "" })) as [
          { postId: string; assetId: string },
          { postId: string; assetId: string },
        ];
        await detachAsset(deps, client, a);
        await detachAsset(deps, client, b);
        await attachAsset(deps, client, { postId: a.postId, assetId: b.assetId });
        await attachAsset(deps, client, { postId: b.postId, assetId: a.assetId });
        await updatePost(deps, client, { postId: a.postId, status: "ready" });
        await deletePost(deps, client, { postId: b.postId });
        clock.advance(1);
        await race<unknown>([
          () => undoClientChanges(deps, owner, { since, grantId: client.grantId }),
          () => undoOwnChanges(deps, client, { since }),
        ]);
        const after = await readConsistentStudio(database, owner.studio.id);
        assert.deepEqual([after.posts, after.assets], [before.posts, before.assets]);
      }
    });

    /** Moves a post with two files, and an unattached file, to the trash of a new studio. */
    async function fillTrash(deps: Deps) {
      const { owner, postId, assetIds } = await newStudioWithPost(deps, { files: 2 });
      const unattachedFile = await addFile(deps, owner);
      await deletePost(deps, owner, { postId });
      await deleteAsset(deps, owner, { assetId: unattachedFile });
      return { owner, postId, assetIds, unattachedFile };
    }

    /** Asserts that restored items are intact, and that no row or file of the deleted items is left. */
    async function assertRestored(
      { owner, postId, assetIds, unattachedFile }: Awaited<ReturnType<typeof fillTrash>>,
      storageKeys: ReadonlyMap<string, string>,
      [postOutcome, fileOutcome]: readonly string[],
    ): Promise<void> {
      const { posts, assets } = await readConsistentStudio(database, owner.studio.id);
      assert.deepEqual(Object.keys(posts), postOutcome === "ok" ? [postId] : []);
      const restoredIds = [
        ...(postOutcome === "ok" ? assetIds : []),
        ...(fileOutcome === "ok" ? [unattachedFile] : []),
      ];
      assert.deepEqual(Object.keys(assets).toSorted(), restoredIds.toSorted());
      assert.ok(Object.values(posts).every((post) => !post.isTrashed && post.assets.join() === assetIds.join()));
      assert.ok(Object.values(assets).every((asset) => !asset.isTrashed));
      for (const [assetId, key] of storageKeys)
        assert.equal((await deps.files.stat(key)) !== undefined, restoredIds.includes(assetId), `file of ${assetId}`);
      for (const table of ["postRevisions", "postRevisionAssets"] as const) {
        const rows = await database.q.selectFrom(table).select("postId").where("postId", "=", postId).execute();
        assert.equal(rows.length > 0, postOutcome === "ok", table);
      }
    }

    /** Restores a post and a file from the trash while `remove` empties it. */
    async function raceWithRestore(
      t: TestContext,
      remove: (owner: Caller, expiresAt: number) => Promise<unknown>,
    ): Promise<void> {
      const counts: Record<string, number> = {};
      for (let round = 0; round < roundCount; round++) {
        const trash = await fillTrash(deps);
        const storageKeys = new Map<string, string>();
        for (const assetId of [...trash.assetIds, trash.unattachedFile])
          storageKeys.set(assetId, (await deps.assets.findWithTrash(trash.owner.studio.id, assetId))?.storageKey ?? "");
        const expiresAt = clock() + trashLifetime;
        clock.advance(trashLifetime - 1);
        const restore = (id: string) => () => getOutcome(restoreFromTrash(deps, trash.owner, { id }));
        const [postOutcome = "", fileOutcome = ""] = await race<string>([
          restore(trash.postId),
          restore(trash.unattachedFile),
          () => remove(trash.owner, expiresAt).then(() => ""),
        ]);
        clock.advance(1);
        await assertRestored(trash, storageKeys, [postOutcome, fileOutcome]);
        for (const outcome of [postOutcome, fileOutcome]) counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
      t.diagnostic(JSON.stringify(counts));
    }

    test("a post or file that is restored while the sweeper deletes it is either intact or deleted (TRASH-3)", (t) =>
      raceWithRestore(t, (_, expiresAt) => sweepTrash({ ...fixture.deps, clock: () => expiresAt }, untilDone)));

    test("a post or file that is restored while the trash is emptied is either intact or deleted (TRASH-4)", (t) =>
      raceWithRestore(t, (owner) => emptyTrash(fixture.deps, owner)));

    test("exactly one of several parallel deletes succeeds, and a concurrent attach leaves a consistent post (TRASH-1)", async () => {
      for (let round = 0; round < roundCount; round++) {
        const { owner, postId } = await newStudioWithPost(deps, { files: 1 });
        const [attachedFile, deletedFile] = [await addFile(deps, owner), await addFile(deps, owner)];
        const repeat = (call: () => Promise<unknown>) => [1, 2, 3, 4].map(() => race([() => getOutcome(call)]));
        const [postOutcomes, fileOutcomes] = await Promise.all([
          Promise.all(repeat(() => deletePost(deps, owner, { postId }))),
          Promise.all(repeat(() => deleteAsset(deps, owner, { assetId: deletedFile }))),
          race([() => getOutcome(attachAsset(deps, owner, { postId, assetId: attachedFile }))]),
        ]);
        const expectedOutcomes = ["not_found", "not_found", "not_found", "ok"];
        for (const outcomes of [postOutcomes, fileOutcomes])
          assert.deepEqual(outcomes.flat().toSorted(), expectedOutcomes);
        const { posts, assets } = await readConsistentStudio(database, owner.studio.id);
        assert.deepEqual([posts[postId]?.isTrashed, assets[deletedFile]?.isTrashed], [true, true]);
      }
    });
  },
  ["postgres"],
);
