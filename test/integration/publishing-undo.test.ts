import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlatformSetups } from "#connectors/catalog.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { unscheduledColumns } from "#domain/model/publish-time.ts";
import type { PublicationChange } from "#domain/ports/publications.ts";
import { undoClientChanges, undoOwnChanges } from "#domain/undo/undo-changes.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection, noIdentities } from "../support/platform-fixture.ts";
import { newStudio } from "../support/users.ts";

const noFetch = () => Promise.reject(new Error("this test has no network access"));

forEachEngine("undo and restore of posts with publications", (fixture) => {
  const inOneHour = () => toIsoTime(fixture.clock() + hours(1));
  const oneHourAgo = () => toIsoTime(fixture.clock() - hours(1));

  /** A studio with an AI client and an account. */
  async function startScenario() {
    const platforms = createPlatforms(fixture.deps.baseUrl, createPlatformSetups({}, noFetch, noIdentities));
    const deps = { ...fixture.deps, platforms };
    const owner = await newStudio(deps);
    const connectionIds = [await newConnection(deps, owner, "ada", "linkedin")];
    return { deps, owner, client: await actThroughClient(deps, owner), connectionIds };
  }

  test("undo keeps a post that was scheduled without the client, and reports a conflict (UNDO-2, ERR-post_in_use)", async () => {
    const { deps, owner, client, connectionIds } = await startScenario();
    const { id: createdId } = await createPost(deps, client, { title: "Created by the client", body: "Text" });
    const { id: unarchivedId, revision } = await createPost(deps, owner, { title: "Archived before", body: "Text" });
    await updatePost(deps, owner, { postId: unarchivedId, status: "archived", revision });
    await updatePost(deps, client, { postId: unarchivedId, status: "draft" });
    for (const postId of [createdId, unarchivedId])
      await publishPost(deps, owner, { postId, connectionIds, at: inOneHour() });

    for (const dryRun of [true, false]) {
      const report = await undoOwnChanges(deps, client, { since: oneHourAgo(), dryRun });
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
  });

  test("undo cancels the publications that the client requested, and then moves the client's post to the trash (UNDO-3, UNDO-9)", async () => {
    const { deps, owner, client, connectionIds } = await startScenario();
    const { id: postId } = await createPost(deps, client, { title: "Created by the client", body: "Text" });
    const { publications } = await publishPost(deps, client, { postId, connectionIds, at: inOneHour() });
    for (const dryRun of [true, false]) {
      const report = await undoOwnChanges(deps, client, { since: oneHourAgo(), dryRun });
      assert.deepEqual(
        report.undone.map(({ id, field }) => [id, field]),
        [[postId, "created"]],
      );
      assert.deepEqual(report.conflicts, []);
      assert.deepEqual(report.publications, [{ id: publications[0]?.id, state: "canceled" }]);
    }
    assert.equal(await getOutcome(() => getPost(deps, owner, { postId })), "not_found");
  });

  test("undo lists the client's publications that have started, with the state that users see, and leaves them alone (UNDO-9)", async () => {
    const { deps, owner, client, connectionIds } = await startScenario();
    connectionIds.push(await newConnection(deps, owner, "grace", "linkedin"));
    /** Requests a publication as the client. An account has at most one publication in progress. */
    const request = async (change?: PublicationChange, account = 0): Promise<string> => {
      const { id: postId } = await createPost(deps, owner, { title: "Title", body: "Text" });
      const { publications } = await publishPost(deps, client, {
        postId,
        connectionIds: connectionIds.slice(account, account + 1),
        at: inOneHour(),
      });
      const id = publications[0]?.id ?? "";
      if (change) assert.ok(await deps.writes.publications.update(id, change, { states: ["scheduled"] }));
      return id;
    };
    const now = fixture.clock();
    const content = { title: null, text: "Text", assets: [] };
    const changes = [
      { state: "preparing", leaseExpiresAt: now },
      { state: "committing", leaseExpiresAt: now, content, commitKey: "key", committedAt: now },
      { ...unscheduledColumns, state: "unconfirmed" },
      { ...unscheduledColumns, state: "published", publishedAt: now },
      { ...unscheduledColumns, state: "failed" },
      { ...unscheduledColumns, state: "canceled" },
    ] as const;
    const ids: string[] = [];
    for (const change of changes) ids.push(await request(change, change.state === "committing" ? 1 : 0));
    const visibleStates = ["publishing", "publishing", "unconfirmed", "published"];
    const startedPublications = visibleStates.map((state, i) => `${ids[i]} ${state}`);
    const undo = async (dryRun: boolean) => {
      const input = { since: oneHourAgo(), grantId: client.grantId, dryRun };
      const { undoId, publications } = await undoClientChanges(deps, owner, input);
      return { undoId, publications: publications.map(({ id, state }) => `${id} ${state}`).toSorted() };
    };
    for (const dryRun of [true, false])
      assert.deepEqual(
        await undo(dryRun),
        { undoId: null, publications: startedPublications.toSorted() },
        "an undo that changes nothing is not recorded",
      );
    const canceledPublication = `${await request()} canceled`;
    for (const dryRun of [true, false]) {
      const { undoId, publications } = await undo(dryRun);
      assert.deepEqual(publications, [...startedPublications, canceledPublication].toSorted());
      assert.equal(undoId === null, dryRun);
    }
    for (const [i, id] of ids.entries())
      assert.equal((await deps.publications.find(owner.studio.id, id))?.state, changes[i]?.state);
  });

  test("restoring a revision with the status archived is rejected, like archiving, while a publication is scheduled (HIST-5, ERR-post_in_use)", async () => {
    const { deps, owner, connectionIds } = await startScenario();
    const { id: postId, revision } = await createPost(deps, owner, { title: "Title", body: "Text" });
    const archived = await updatePost(deps, owner, { postId, status: "archived", revision });
    await updatePost(deps, owner, { postId, status: "draft", revision: archived.revision });
    await publishPost(deps, owner, { postId, connectionIds, at: inOneHour() });
    assert.equal(
      await getOutcome(() => restorePost(deps, owner, { postId, revision: archived.revision })),
      "post_in_use",
    );
  });
});
