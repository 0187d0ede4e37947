import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { hours, seconds, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { startHelper, type HelperProcess } from "../support/helper-process.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { isLongRun } from "../support/long-run.ts";
import { addConnections, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";

const [publicationCount, connectionCount] = isLongRun ? [1000, 50] : [200, 20];

forEachEngine(
  "two processes that publish",
  (fixture) => {
    let publishing: PublishingFixture;
    before(async () => (publishing = await startPublishing(fixture, ["harbour"], { runsWorker: false })));
    let processes: HelperProcess[] = [];
    after(async () => {
      for (const child of processes) await child.kill();
      await publishing.close();
    });

    test(`${publicationCount} publications due at once over ${connectionCount} accounts: each is sent once, one per account at a time (PUB-8, B3)`, async () => {
      const { owner, service } = publishing;
      const connectionIds = await addConnections(publishing, "sandbox", connectionCount);
      const filesFolder = (service.deps.files as HookedFiles).root;
      const bases = [await findFreeBaseUrl(), await findFreeBaseUrl()];
      processes = bases.map((base) =>
        startHelper("publish.ts", { ...fixture.location, base, filesFolder, timeoutCount: 0, leaseMs: seconds(30) }),
      );
      for (let i = 0; i < publicationCount / connectionCount; i++) {
        const { id: postId } = await createPost(service.deps, owner, { title: "", body: `Post ${i}` });
        await publishPost(service.deps, owner, { postId, connectionIds, at: toIsoTime(Date.now() + hours(1)) });
      }
      for (const child of processes) {
        await child.begin();
      }
      // Make them due only now, because creating all publications takes long on a slow machine.
      const dueAt = (await service.deps.publications.getTime()) + seconds(2);
      await fixture.database.q
        .updateTable("publications")
        .set({ scheduledFor: dueAt, dueAt, nextRunAt: dueAt })
        .execute();
      const countPublished = async () =>
        (await fixture.database.q.selectFrom("publications").select("id").where("state", "=", "published").execute())
          .length;
      await waitUntil(async () => (await countPublished()) === publicationCount, {
        timeoutMs: 200_000,
        intervalMs: 250,
        description: "all are published",
      });
      for (const child of processes) await child.kill();

      const posts = await publishing.listSandboxPosts();
      assert.equal(posts.length, publicationCount);
      const steps = await fixture.database.q
        .selectFrom("activity as a")
        .innerJoin("publications as p", "p.id", "a.subjectId")
        .select(["a.action", "a.at", "p.connectionId as connectionId"])
        .where("a.action", "in", ["publication.started", "publication.published"])
        .orderBy("a.at")
        .orderBy("a.id")
        .execute();
      const starts = steps.filter(({ action }) => action === "publication.started");
      assert.equal(starts.length, publicationCount, "each was started once");
      const latestStartMs = Math.max(...starts.map(({ at }) => at)) - dueAt;
      console.log({ publicationCount, latestStartMs });
      assert.ok(latestStartMs < seconds(150), `the last one started after ${latestStartMs} ms`);
      assert.ok(Math.min(...starts.map(({ at }) => at)) >= dueAt, "none started early");
      for (const connectionId of connectionIds) {
        const actions = steps.filter((step) => step.connectionId === connectionId).map(({ action }) => action);
        const expectedActions = actions.map((_, i) => (i % 2 === 0 ? "publication.started" : "publication.published"));
        assert.deepEqual(actions, expectedActions, "one at a time");
      }
      // On a busy machine, twenty accounts of one post can wait for its row too long. Then they try again.
      const isUnexpected = (line: string) => line.startsWith("error") && !line.includes("storage_unavailable");
      for (const child of processes) assert.deepEqual(child.lines.filter(isUnexpected), []);
    });
  },
  ["postgres"],
);
