import assert from "node:assert/strict";
import { test } from "node:test";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { startPublishing } from "../support/publishing-fixture.ts";

forEachEngine("undo and restore of posts with publications", (fixture) => {
  const at = () => toIsoTime(Date.now() + hours(1));
  const since = () => toIsoTime(Date.now() - hours(1));

  test("undo keeps a post that someone else scheduled, and reports a conflict (UNDO-2, ERR-post_in_use)", async () => {
    const { service, owner, connectionIds, close } = await startPublishing(fixture, ["harbour"], { runsWorker: false });
    const { deps } = service;
    const client = await actThroughClient(deps, owner);
    const { id: createdId } = await createPost(deps, client, { title: "Created by the client", body: "Text" });
    const { id: unarchivedId, revision } = await createPost(deps, owner, { title: "Archived before", body: "Text" });
    await updatePost(deps, owner, { postId: unarchivedId, status: "archived", revision });
    await updatePost(deps, client, { postId: unarchivedId, status: "draft" });
    for (const postId of [createdId, unarchivedId]) await publishPost(deps, owner, { postId, connectionIds, at: at() });

    for (const dryRun of [true, false]) {
      const report = await undoOwnChanges(deps, client, { since: since(), dryRun });
      assert.deepEqual(
        report.conflicts.map(({ id, field }) => [id, field]).toSorted(),
        [
          [createdId, "created"],
          [unarchivedId, "status"],
        ].toSorted(),
      );
      assert.deepEqual(report.undone, []);
    }
    for (const postId of [createdId, unarchivedId]) {
      const { status, publications } = await getPost(deps, owner, { postId });
      assert.deepEqual([status, publications?.map(({ state }) => state)], ["draft", ["scheduled"]]);
    }
    await close();
  });

  test("undo cancels the publications that the client requested, and then moves the client's post to the trash (UNDO-4)", async () => {
    const { service, owner, connectionIds, close } = await startPublishing(fixture, ["harbour"], { runsWorker: false });
    const { deps } = service;
    const client = await actThroughClient(deps, owner);
    const { id: postId } = await createPost(deps, client, { title: "Created by the client", body: "Text" });
    const { publications } = await publishPost(deps, client, { postId, connectionIds, at: at() });
    for (const dryRun of [true, false]) {
      const report = await undoOwnChanges(deps, client, { since: since(), dryRun });
      assert.deepEqual(
        report.undone.map(({ id, field }) => [id, field]),
        [[postId, "created"]],
      );
      assert.deepEqual(report.conflicts, []);
      assert.deepEqual(report.publications, [{ id: publications[0]?.id, state: "canceled" }]);
    }
    assert.equal(await getOutcome(() => getPost(deps, owner, { postId })), "not_found");
    await close();
  });

  test("restoring a revision with the status archived is rejected, like archiving, while a publication is scheduled (HIST-5, ERR-post_in_use)", async () => {
    const { service, owner, connectionIds, close } = await startPublishing(fixture, ["harbour"], { runsWorker: false });
    const { deps } = service;
    const { id: postId, revision } = await createPost(deps, owner, { title: "Title", body: "Text" });
    const archived = await updatePost(deps, owner, { postId, status: "archived", revision });
    await updatePost(deps, owner, { postId, status: "draft", revision: archived.revision });
    await publishPost(deps, owner, { postId, connectionIds, at: at() });
    assert.equal(
      await getOutcome(() => restorePost(deps, owner, { postId, revision: archived.revision })),
      "post_in_use",
    );
    await close();
  });
});
