import { writes } from "#domain/ports/write-stores.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "kysely";
import { startBackgroundJobs } from "#app/background-jobs.ts";
import { createAuthenticator } from "#auth/authenticate.ts";
import { describeMe } from "#domain/access/me.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { addOwner } from "#domain/operator/user-access.ts";
import { listStudios } from "#domain/operator/lookups.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { acceptInvitation } from "#domain/studios/invitations.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import { purgeBatchSizes, purgeDelayMs, purgeDeletedStudios } from "#domain/steps/purge-studio.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { createUploadLink } from "#domain/uploads/create-upload-link.ts";
import { findUploadLink } from "#domain/uploads/upload-link.ts";
import { seconds } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine, silentLog } from "../support/engines.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { countStudioRows, fillStudio, sumRows } from "../support/fill-studio.ts";
import { getOutcome } from "../support/outcome.ts";
import { createTestGrant } from "../support/tokens.ts";
import { createInvitationToken, newStudio, newUser } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

interface ReferencingColumn {
  name: string;
  /** A number on SQLite. */
  hasIndex: boolean | number;
}

/** The details of one batch of posts, and these posts. All other batches are smaller. */
const maxRowsPerTransaction = purgeBatchSizes.postDetails + purgeBatchSizes.posts;

forEachEngine("deletion of studios", (fixture) => {
  const { deps, database, clock, engine } = fixture;
  let otherOwner: Caller;
  before(async () => {
    otherOwner = await newStudio(fixture.deps, undefined, "Other");
    await fillStudio(fixture, otherOwner, 50);
  });

  /** The response to a deletion stops waiting after one batch. */
  const getDepsWithSlowPurge = (): Deps => ({
    ...fixture.deps,
    sleep: async () => fixture.clock.advance(seconds(4)),
  });

  /** Counts the rows of a studio now and after each call of `transact`. */
  const recordRowCounts = async (studioId: string) => {
    const countRows = async () => sumRows(await countStudioRows(fixture, studioId));
    const rowCounts = [await countRows()];
    const transact: Deps["transact"] = async (authority, work, options) => {
      const result = await fixture.deps.transact(authority, work, options);
      rowCounts.push(await countRows());
      return result;
    };
    return { rowCounts, transact };
  };

  test("deletes all posts in transactions of bounded size, and nothing of other studios (T10)", async () => {
    const owner = await newStudio(fixture.deps, undefined, "Large");
    await fillStudio(fixture, owner, 150);
    const otherRows = await countStudioRows(fixture, otherOwner.studio.id);
    const { rowCounts, transact } = await recordRowCounts(owner.studio.id);
    assert.ok(Number(rowCounts[0]) > 2500, `${rowCounts[0]} rows`);
    await deleteStudio({ ...fixture.deps, transact }, owner, { name: "Large" });
    assert.equal(rowCounts.at(-1), 0);
    const maxDecrease = getMaxDecrease(rowCounts);
    assert.ok(maxDecrease <= maxRowsPerTransaction, `at most ${maxDecrease} rows`);
    assert.deepEqual(await countStudioRows(fixture, otherOwner.studio.id), otherRows);
  });

  test("a studio is invisible at once, although its rows are deleted later (T10)", async () => {
    const owner = await newStudio(deps, undefined, "Hidden");
    await fillStudio(fixture, owner, 60);
    const { token } = await createTestGrant(deps, owner);
    const { id: postId } = await createPost(deps, owner, { title: "Post", body: "" });
    const { url } = await createUploadLink(deps, owner, { postId, inPlace: false });
    const linkToken = url.slice(`${deps.uploadPage}/u/`.length);
    assert.ok(await findUploadLink(deps, linkToken));
    const invitationToken = await createInvitationToken(deps, owner, "member");
    const slugQuery = database.q.selectFrom("studios").select("slug").where("id", "=", owner.studio.id);
    const { slug } = await slugQuery.executeTakeFirstOrThrow();
    await deleteStudio(getDepsWithSlowPurge(), owner, { name: "Hidden" });

    assert.ok((await countStudioRows(fixture, owner.studio.id)).posts > 30);
    assert.deepEqual((await describeMe(deps, owner)).memberships, []);
    const input = { studioId: owner.studio.id, user: owner.user.id };
    const outcomes = {
      resolve: await getOutcome(resolveStudioCaller(deps, owner, owner.studio.id)),
      rename: await getOutcome(updateStudio(deps, owner, { name: "Renamed" })),
      delete: await getOutcome(deleteStudio(deps, owner, { name: "Hidden" })),
      join: await getOutcome(acceptInvitation(deps, await newUser(deps), { token: invitationToken })),
      addOwner: await getOutcome(addOwner(deps, { operator: true }, input)),
    };
    assert.deepEqual(outcomes, Object.fromEntries(Object.keys(outcomes).map((name) => [name, "not_found"])));
    assert.equal(await findUploadLink(deps, linkToken), undefined);
    assert.equal(await createAuthenticator(deps, silentLog)(token, undefined), undefined);
    assert.deepEqual(await listStudios(deps, { operator: true }, { search: "Hidden", limit: 10 }), []);
    const nextOwner = await newStudio(deps, undefined, "Hidden");
    const [nextStudio] = await listStudios(deps, { operator: true }, { search: "Hidden", limit: 10 });
    assert.deepEqual([nextStudio?.id, nextStudio?.slug], [nextOwner.studio.id, slug], "the slug is available again");

    assert.deepEqual(await purgeDeletedStudios(deps, untilDone), { purgedStudios: 0 }, "the request may still purge");
    fixture.clock.advance(purgeDelayMs);
    assert.deepEqual(await purgeDeletedStudios(deps, { ...untilDone, shouldStop: () => true }), { purgedStudios: 0 });
    assert.deepEqual(await purgeDeletedStudios(deps, untilDone), { purgedStudios: 1 });
    assert.equal(sumRows(await countStudioRows(fixture, owner.studio.id)), 0);
    assert.deepEqual(await purgeDeletedStudios(deps, untilDone), { purgedStudios: 0 });
  });

  test("deletes rows that a request adds after the studio was deleted", async () => {
    const owner = await newStudio(deps, undefined, "Late");
    await fillStudio(fixture, owner, 50);
    await deleteStudio(getDepsWithSlowPurge(), owner, { name: "Late" });
    fixture.clock.advance(purgeDelayMs);
    let wasAdded = false;
    const pause = async (): Promise<void> => {
      const { posts } = await countStudioRows(fixture, owner.studio.id);
      if (posts > 0 || wasAdded) return;
      wasAdded = true;
      await insertPosts(fixture, owner, 1, () => ({ title: "Late" }));
    };
    assert.deepEqual(await purgeDeletedStudios(deps, { ...untilDone, pause }), { purgedStudios: 1 });
    assert.ok(wasAdded);
    assert.equal(sumRows(await countStudioRows(fixture, owner.studio.id)), 0);
  });

  test("a studio that can't be purged does not prevent the purge of others", async () => {
    const brokenOwner = await newStudio(deps, undefined, "Broken");
    const owner = await newStudio(deps, undefined, "Intact");
    for (const caller of [brokenOwner, owner]) {
      await fillStudio(fixture, caller, 30);
      await deleteStudio(getDepsWithSlowPurge(), caller, { name: caller.studio.name });
    }
    clock.advance(purgeDelayMs);
    const transact: Deps["transact"] = (authority, work) =>
      deps.transact(authority, (tx) => {
        const { studioContent } = tx[writes];
        const listIds: typeof studioContent.listIds = async (table, studioId, ...rest) => {
          if (studioId === brokenOwner.studio.id) throw new Error("broken index");
          return studioContent.listIds(table, studioId, ...rest);
        };
        return work({ ...tx, [writes]: { ...tx[writes], studioContent: { ...studioContent, listIds } } });
      });
    await assert.rejects(purgeDeletedStudios({ ...deps, transact }, untilDone), /broken index/);
    assert.equal(sumRows(await countStudioRows(fixture, owner.studio.id)), 0);
    assert.ok(sumRows(await countStudioRows(fixture, brokenOwner.studio.id)) > 0);
    assert.deepEqual(await purgeDeletedStudios(deps, untilDone), { purgedStudios: 1 });
  });

  test("every table that refers to studios has an index for it, so that deleting a studio's row scans none", async () => {
    // A partial index may lack rows.
    const { rows } = await (
      engine === "postgres"
        ? sql<ReferencingColumn>`
            SELECT c.conrelid::regclass::text || '.' || a.attname AS name, EXISTS (
                     SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = a.attnum AND i.indpred IS NULL
                   ) AS "hasIndex"
              FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
             WHERE c.contype = 'f' AND c.confrelid = 'studios'::regclass`
        : sql<ReferencingColumn>`
            SELECT t.name || '.' || f."from" AS name, EXISTS (
                     SELECT 1 FROM pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
                      WHERE i.partial = 0 AND c.seqno = 0 AND c.name = f."from"
                   ) AS "hasIndex"
              FROM sqlite_master t JOIN pragma_foreign_key_list(t.name) f
             WHERE t.type = 'table' AND f."table" = 'studios'`
    ).execute(database.q);
    assert.ok(rows.length > 10, `${rows.length} columns`);
    assert.deepEqual(
      rows.filter(({ hasIndex }) => !hasIndex).map(({ name }) => name),
      [],
    );
  });

  test("two processes purge the same studio in transactions of bounded size (T10)", async () => {
    const owner = await newStudio(fixture.deps, undefined, "Twice");
    await fillStudio(fixture, owner, 60, 2000);
    await deleteStudio(getDepsWithSlowPurge(), owner, { name: "Twice" });
    fixture.clock.advance(purgeDelayMs);
    const { rowCounts, transact } = await recordRowCounts(owner.studio.id);
    const deps = { ...fixture.deps, transact };
    await Promise.all([purgeDeletedStudios(deps, untilDone), purgeDeletedStudios(deps, untilDone)]);
    assert.equal(rowCounts.at(-1), 0);
    // Between two counts, each process commits at most once.
    const maxDecrease = getMaxDecrease(rowCounts);
    assert.ok(maxDecrease <= 2 * maxRowsPerTransaction, `at most ${maxDecrease} rows`);
  });

  test("the background jobs of a server delete the rows that a deletion has left", async () => {
    const owner = await newStudio(fixture.deps, undefined, "Left");
    await fillStudio(fixture, owner, 50);
    await deleteStudio(getDepsWithSlowPurge(), owner, { name: "Left" });
    fixture.clock.advance(purgeDelayMs);
    assert.ok(sumRows(await countStudioRows(fixture, owner.studio.id)) > 0);
    const jobs = startBackgroundJobs(fixture.deps, silentLog);
    try {
      const countRows = async () => sumRows(await countStudioRows(fixture, owner.studio.id));
      await waitUntil(async () => (await countRows()) === 0, { timeoutMs: 60_000, description: "the purge" });
    } finally {
      await Promise.all(jobs.map((job) => job.stop()));
    }
  });
});

/** The largest decrease between two counts. Parallel counts may be recorded in another order than they were taken. */
function getMaxDecrease(rowCounts: readonly number[]): number {
  const sortedCounts = rowCounts.toSorted((a, b) => b - a);
  return Math.max(...sortedCounts.slice(1).map((count, i) => (sortedCounts[i] ?? 0) - count));
}
