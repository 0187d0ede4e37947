import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCalendarStore } from "#db/calendar.ts";
import { createStores, openDatabase } from "#db/open-database.ts";
import { createPostSummaryStore } from "#db/post-summaries.ts";
import { createPublicationStore } from "#db/publications.ts";
import { createRevisionStore } from "#db/revisions.ts";
import { createSubscriptionStore } from "#db/subscriptions.ts";
import { maxOpenPublicationsPerStudio, maxPublicationsPerPost } from "#domain/model/publication.ts";
import { postStages } from "#domain/model/post.ts";
import { sentBackCode } from "#domain/model/publication-states.ts";
import { cancelPublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { days } from "#lib/clock.ts";
import { forEachEngine, silentLog } from "../support/engines.ts";
import { insertPosts } from "../support/hostile-posts.ts";
import { countOutcomes, getOutcome } from "../support/outcome.ts";
import { addConnections, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { recordPlans } from "../support/query-plans.ts";

forEachEngine("publications of one post", (fixture) => {
  let publishing: PublishingFixture;
  let connectionIds: string[];
  before(async () => {
    publishing = await startPublishing(fixture, ["harbour"], { clock: fixture.clock });
    connectionIds = await addConnections(publishing, "sandbox", 6);
  });
  after(() => publishing.close());

  /** Creates a post with canceled publications to the first account. */
  async function newPostWithCanceled(count: number): Promise<string> {
    const { owner, service } = publishing;
    const postId = await publishing.newPost("Spring");
    const columns = {
      ...{ studioId: owner.studio.id, postId, connectionId: connectionIds[0]!, state: "canceled" as const },
      ...{ problemCode: sentBackCode, requestedBy: owner.user.id, includesTitle: false, revision: 1, digest: "" },
      createdAt: fixture.clock(),
    };
    const rows = Array.from({ length: count }, () => ({ ...columns, id: service.deps.newId("publication") }));
    for (let i = 0; i < count; i += 500)
      await fixture.database.q
        .insertInto("publications")
        .values(rows.slice(i, i + 500))
        .execute();
    return postId;
  }

  const countRows = async (postId: string): Promise<number> => {
    const rows = await fixture.database.q
      .selectFrom("publications")
      .select("id")
      .where("postId", "=", postId)
      .execute();
    return rows.length;
  };

  test("count canceled ones toward a limit, even with parallel calls (PUB-1, R2, X7)", async () => {
    const { owner, service } = publishing;
    const postId = await newPostWithCanceled(maxPublicationsPerPost - 3);
    const propose = (ids: readonly string[], deps = service.deps) =>
      publishPost(deps, owner, { postId, connectionIds: [...ids], propose: true });
    assert.equal(await getOutcome(propose(connectionIds.slice(0, 4))), "quota_exceeded");
    assert.equal(await countRows(postId), maxPublicationsPerPost - 3, "all or none");
    const otherDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const pools = [service.deps, { ...service.deps, ...createStores(otherDatabase) }] as const;
      const calls = connectionIds.map((connectionId, i) => propose([connectionId], pools[i % 2]));
      assert.deepEqual(await countOutcomes(calls), { ok: 3, quota_exceeded: 3 });
    } finally {
      await otherDatabase.close();
    }
    const [open] = await service.deps.publications.listByPost(postId, ["proposed"]);
    await cancelPublication(service.deps, owner, { publicationId: open?.id ?? "" });
    assert.equal(await getOutcome(propose([open?.connectionId ?? ""])), "quota_exceeded", "canceling frees nothing");
    assert.equal(await countRows(postId), maxPublicationsPerPost);
  });

  test("are read in several statements for the versions of many posts on SQLite (X3)", async () => {
    const ids = await insertPosts(fixture, publishing.owner, 50, () => ({ title: "Autumn" }));
    const { connection, listPlans } = recordPlans(fixture);
    assert.equal((await createSubscriptionStore(connection).findVersions(ids)).size, 50);
    const statementCount = (await listPlans()).filter(({ sql: text }) => text.includes("string_agg(u.id")).length;
    assert.equal(statementCount, fixture.engine === "sqlite" ? 3 : 1);
  });

  test("are read by an index, without the canceled ones where only others count (X3, F4)", async () => {
    const { owner } = publishing;
    const studioId = owner.studio.id;
    const postIds = [await newPostWithCanceled(800), await newPostWithCanceled(800)];
    const { connection, listPlans } = recordPlans(fixture);
    const publications = createPublicationStore(connection);
    const summaries = createPostSummaryStore(connection);
    await publications.list(studioId, { latest: true, limit: 50 });
    const range = { from: 0, to: fixture.clock() + days(1), latest: true, limit: 50 };
    await publications.list(studioId, range);
    await publications.list(studioId, { ...range, state: "failed" });
    await publications.list(studioId, { ...range, order: "soonest" });
    await publications.list(studioId, { limit: 50, state: "publishing" });
    await publications.count(studioId, { userId: owner.user.id, from: 0, maxCount: 100 });
    await createCalendarStore(connection).list(studioId, { from: 0, to: fixture.clock() + days(1), limit: 100 });
    const [summary] = await summaries.listByIds(studioId, postIds, 0);
    assert.equal(summary?.wasSentBack, true);
    for (const stage of postStages) await summaries.listIds(studioId, { statuses: ["draft"], stage, limit: 50 });
    await createSubscriptionStore(connection).findVersions(postIds);
    const author = { userId: owner.user.id, grantId: null, clientId: null, clientName: null, undoId: null };
    await fixture.database.q.updateTable("posts").set({ revision: 2 }).where("id", "=", postIds[0]!).execute();
    await createRevisionStore(connection).record(postIds[0]!, author);
    // PostgreSQL chooses among several indexes by its statistics.
    if (fixture.engine === "postgres") return;
    const plans = await listPlans();
    const steps = plans.flatMap(({ plan }) => plan);
    for (const step of steps) assert.doesNotMatch(step, /^SCAN (n|s|q|u|publications)\b/);
    const findPlan = (pattern: RegExp) => plans.find(({ sql }) => pattern.test(sql))?.plan.join("\n") ?? "";
    const isSuperseded =
      /USING COVERING INDEX publications_by_account_of_post \(post_id=\? AND connection_id=\? AND id>\?\)/;
    assert.match(findPlan(/select "c"."platform"/), isSuperseded);
    assert.match(findPlan(/AS sent_back/), isSuperseded);
    for (const index of ["publications_by_state", "publications_sent_back"])
      assert.match(findPlan(/AS sent_back/), new RegExp(index));
    // A page of a long list is read in the order of the list, not sorted.
    for (const pattern of [/"p"\."studio_id" = \? and \+coalesce/, /"p"\."state" in \(\?\) and \+coalesce/])
      assert.doesNotMatch(findPlan(pattern), /^$|TEMP B-TREE|publications_by_time/);
    assert.match(findPlan(/"p"\."state" in \(\?, \?\)/), /publications_(planned_)?by_state/);
    assert.match(findPlan(/was_sent_back/), /COVERING INDEX publications_by_account_of_post \(post_id=\?\)/);
    for (const pattern of [/is_match/, /INSERT INTO post_revisions/])
      assert.match(findPlan(pattern), /COVERING INDEX publications_(by_state_of_post|open)/);
    assert.match(findPlan(/string_agg\(u.id/), /publications_by_state_of_post/);
  });

  test("announce one that was requested and canceled between two checks (CHAT-20)", async () => {
    const { owner, service } = publishing;
    const postId = await newPostWithCanceled(2);
    const readVersion = async () => (await service.deps.subscriptions.findVersions([postId])).get(postId)?.version;
    const version = await readVersion();
    const [connectionId = ""] = connectionIds;
    const { publications } = await publishPost(service.deps, owner, {
      postId,
      connectionIds: [connectionId],
      propose: true,
    });
    const proposedVersion = await readVersion();
    await cancelPublication(service.deps, owner, { publicationId: publications[0]?.id ?? "" });
    const canceledVersion = await readVersion();
    assert.equal(new Set([version, proposedVersion, canceledVersion]).size, 3);
  });

  test("are limited for a studio while they are open (PUB-1, R2, X7)", async () => {
    const { owner, service } = publishing;
    const postId = await publishing.newPost("Spring");
    const postIds = await insertPosts(fixture, owner, maxOpenPublicationsPerStudio / 5, () => ({ title: "Summer" }));
    for (let i = 0; i < postIds.length; i += 100)
      await fixture.database.q
        .insertInto("publications")
        .values(
          postIds.slice(i, i + 100).flatMap((id) =>
            connectionIds.slice(1).map((connectionId) => ({
              ...{ id: service.deps.newId("publication"), studioId: owner.studio.id, postId: id, connectionId },
              ...{ state: "proposed" as const, includesTitle: false, revision: 1, digest: "", createdAt: 0 },
            })),
          ),
        )
        .execute();
    const propose = (ids: string[]) => publishPost(service.deps, owner, { postId, connectionIds: ids, propose: true });
    assert.equal(await getOutcome(propose(connectionIds.slice(0, 1))), "quota_exceeded");
    const oldest = await service.deps.publications.list(owner.studio.id, {
      state: "proposed",
      order: "soonest",
      limit: 3,
    });
    for (const { id } of oldest) await cancelPublication(service.deps, owner, { publicationId: id });
    assert.equal(await getOutcome(propose(connectionIds.slice(0, 4))), "quota_exceeded");
    assert.equal(await getOutcome(propose(connectionIds.slice(0, 1))), "ok");
  });
});
