import assert from "node:assert/strict";
import { test } from "node:test";
import { CompiledQuery } from "kysely";
import { createCalendarStore } from "#db/calendar.ts";
import { createPostSummaryStore } from "#db/post-summaries.ts";
import { createPublicationStore } from "#db/publications.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment, deleteComment, resolveComment } from "#domain/comments/comments.ts";
import {
  countPosts,
  countPostsInput,
  listPostSummaries,
  listPostSummariesInput,
} from "#domain/posts/list-post-summaries.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { postStages } from "#domain/model/post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { listCalendar, listCalendarInput } from "#domain/publishing/list-calendar.ts";
import { countPublications } from "#domain/publishing/list-publications.ts";
import { cancelPublication, sendBackPublication } from "#domain/publishing/change-publication.ts";
import type { PublicationState } from "#domain/model/publication-states.ts";
import { days, hours, toIsoTime } from "#lib/clock.ts";
import { formatIssues } from "#lib/format-issues.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { recordPlans } from "../support/query-plans.ts";
import { png } from "../support/samples.ts";
import { readPages } from "../support/read-pages.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("post summaries and the calendar", (fixture) => {
  const { deps } = fixture;
  const list = (caller: Caller, input: Record<string, unknown> = {}) =>
    listPostSummaries(deps, caller, listPostSummariesInput.parse(input));
  const listTitles = async (caller: Caller, input: Record<string, unknown> = {}) =>
    (await list(caller, input)).posts.map(({ title }) => title);
  const count = (caller: Caller, input: Record<string, unknown> = {}) =>
    countPosts(deps, caller, countPostsInput.parse(input));
  const addPost = async (caller: Caller, title: string, change: Record<string, unknown> = {}): Promise<string> => {
    const { id } = await createPost(deps, caller, { title, body: "" });
    if (Object.keys(change).length > 0) await updatePost(deps, caller, { postId: id, ...change });
    return id;
  };
  const showCalendar = (caller: Caller, from: number, to: number, filter: Record<string, unknown> = {}) =>
    listCalendar(deps, caller, listCalendarInput.parse({ from: toIsoTime(from), to: toIsoTime(to), ...filter }));

  async function addImages(caller: Caller, postId: string, count: number): Promise<void> {
    const base64 = (await png()).toString("base64");
    for (let i = 1; i <= count; i++) {
      const file = { kind: "image", mimeType: "image/png", filename: `vase-${i}.png`, base64 } as const;
      const { assetId } = await uploadAssetInline(deps, caller, file);
      if (i === 1) await updateAsset(deps, caller, { assetId, altText: "A vase" });
      await attachAsset(deps, caller, { postId, assetId });
    }
  }

  /** Inserts a row directly, because most states are the result of publishing. */
  async function addPublication(
    caller: Caller,
    postId: string,
    connectionId: string,
    state: PublicationState,
    at: number | null = null,
  ): Promise<string> {
    const id = deps.newId("publication");
    const now = deps.clock();
    const stateColumns: Partial<Record<PublicationState, object>> = {
      scheduled: { dueAt: at, nextRunAt: at },
      preparing: { dueAt: at, leaseExpiresAt: now + hours(1) },
      published: { publishedAt: now },
    };
    await fixture.database.q
      .insertInto("publications")
      .values({
        ...{
          id,
          studioId: caller.studio.id,
          postId,
          connectionId,
          requestedBy: caller.user.id,
        },
        ...{ state, scheduledFor: at, includesTitle: false, revision: 1, digest: "", createdAt: now },
        ...stateColumns[state],
      })
      .execute();
    return id;
  }

  test("describes author, client, first files, accounts and tags without the text (POST-3)", async () => {
    const owner = await newStudio(deps);
    const client = await actThroughClient(deps, owner);
    const { id } = await createPost(deps, client, { title: "Harbour", body: `  Line one\n\n${"word ".repeat(200)}` });
    await updatePost(deps, owner, { postId: id, tags: ["spring"] });
    await addImages(owner, id, 5);
    const connectionId = await newConnection(deps, owner);
    await addPublication(owner, id, connectionId, "failed");
    const at = deps.clock() + hours(2);
    const publicationId = await addPublication(owner, id, connectionId, "scheduled", at);
    await addPublication(owner, id, connectionId, "canceled");

    const { posts } = await list(owner);
    const [post] = posts;
    assert.ok(post);
    assert.equal(posts.length, 1);
    assert.deepEqual(post.createdBy, { id: owner.user.id, name: owner.user.name });
    assert.equal(post.createdByClient, client.client?.name);
    assert.deepEqual(post.tags, ["spring"]);
    assert.match(post.excerpt, /^Line one word word /);
    assert.ok(post.excerpt.length <= 280);
    assert.ok(!("body" in post));
    assert.equal((await list(owner, { query: "line" })).posts[0]?.match?.text.startsWith("Line one"), true);
    assert.equal(post.assetCount, 5);
    assert.deepEqual(
      post.assets.map(({ filename, altText }) => [filename, altText]),
      [
        ["vase-1.png", "A vase"],
        ["vase-2.png", null],
        ["vase-3.png", null],
      ],
    );
    assert.match(post.assets[0]?.thumbnailUrl ?? "", /\/files\/thumb\//);
    assert.deepEqual(
      post.publications.map((publication) => [publication.id, publication.state, publication.scheduledFor]),
      [[publicationId, "scheduled", toIsoTime(at)]],
    );
  });

  test("counts the threads of comments that are not resolved (POST-3)", async () => {
    const owner = await newStudio(deps);
    const postId = await addPost(owner, "Harbour");
    await addPost(owner, "Market");
    const countThreads = async () => (await list(owner)).posts.map(({ openThreadCount }) => openThreadCount);
    const startThread = async (body: string) => (await addComment(deps, owner, { postId, body })).id;
    const first = await startThread("Shorter, please.");
    const second = await startThread("Which harbor?");
    const { id: reply } = await addComment(deps, owner, { postId, body: "The old one.", parentId: second });
    assert.deepEqual(await countThreads(), [0, 2], "the newest post is first");
    await resolveComment(deps, owner, { postId, commentId: first, resolved: true });
    assert.deepEqual(await countThreads(), [0, 1]);
    await deleteComment(deps, owner, { postId, commentId: second });
    assert.deepEqual(await countThreads(), [0, 1], "its reply is left");
    await deleteComment(deps, owner, { postId, commentId: reply });
    assert.deepEqual(await countThreads(), [0, 0]);
  });

  test("says that a post was sent back until someone requests another publication (POST-3, PUB-3)", async () => {
    const owner = await newStudio(deps);
    const postId = await addPost(owner, "Harbor");
    const connectionId = await newConnection(deps, owner);
    const readSentBack = async () => (await list(owner)).posts.map(({ wasSentBack }) => wasSentBack);
    const propose = async () => ({ publicationId: await addPublication(owner, postId, connectionId, "proposed") });
    await cancelPublication(deps, owner, await propose());
    assert.deepEqual(await readSentBack(), [false]);
    await sendBackPublication(deps, owner, await propose());
    assert.deepEqual(await readSentBack(), [true]);
    const proposal = await propose();
    assert.deepEqual(await readSentBack(), [false]);
    await cancelPublication(deps, owner, proposal);
    assert.deepEqual(await readSentBack(), [false]);
  });

  test("counts what waits for the user: others' proposals, problems, and own requests that were sent back (POST-3, T1)", async () => {
    const owner = await newStudio(deps);
    const approver = await newMember(deps, owner, "admin");
    const stranger = await newStudio(deps);
    const connectionId = await newConnection(deps, owner);
    const post = async () => addPost(owner, "Harbor");
    const at = deps.clock() - hours(2);
    const countWaiting = async (caller: Caller, from = deps.clock() - hours(24)) => {
      const { maxCount, ...counts } = await countPublications(deps, caller, { from: toIsoTime(from) });
      assert.equal(maxCount, 100);
      return Object.values(counts);
    };
    await addPublication(owner, await post(), connectionId, "proposed");
    const failedPost = await post();
    await addPublication(owner, failedPost, connectionId, "failed", at);
    for (const state of ["unconfirmed", "missed", "canceled"] as const)
      await addPublication(owner, await post(), connectionId, state, at);
    await sendBackPublication(deps, approver, {
      publicationId: await addPublication(owner, await post(), connectionId, "proposed"),
    });
    // Proposed, failed, unconfirmed, missed, sent back.
    assert.deepEqual(await countWaiting(owner), [0, 1, 1, 1, 1]);
    assert.deepEqual(await countWaiting(approver), [1, 1, 1, 1, 0]);
    assert.deepEqual(await countWaiting(stranger), [0, 0, 0, 0, 0]);
    assert.deepEqual(await countWaiting(owner, deps.clock() - hours(1)), [0, 0, 1, 1, 1]);
    await addPublication(owner, failedPost, connectionId, "scheduled", deps.clock() + hours(1));
    assert.deepEqual(await countWaiting(owner), [0, 0, 1, 1, 1], "a newer publication replaced the failed one");
  });

  test("filters by status, stage, author, tag and text; hides archived posts by default, and those of other studios (POST-3, T1)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const connectionId = await newConnection(deps, owner);
    const planned = await addPost(owner, "Planned fog", { tags: ["spring"] });
    await addPublication(owner, planned, connectionId, "scheduled", deps.clock() + hours(1));
    await addPost(owner, "Old", { status: "archived" });
    await addPost(owner, "Fog", { status: "ready", tags: ["spring"] });
    await addPost(member, "More fog");
    await addPublication(owner, await addPost(owner, "Canceled"), connectionId, "canceled");
    await addPost(owner, "Old boats", { status: "archived", tags: ["spring"] });
    await deletePost(deps, owner, { postId: await addPost(owner, "Deleted fog") });
    const author = member.user.id;
    const cases: [filter: Record<string, unknown>, titles: string[]][] = [
      [{}, ["Canceled", "More fog", "Fog", "Planned fog"]],
      [{ status: "archived" }, ["Old boats", "Old"]],
      [{ status: "archived,ready" }, ["Old boats", "Fog", "Old"]],
      [{ tag: "spring" }, ["Fog", "Planned fog"]],
      [{ tag: "spring", status: "archived,draft" }, ["Old boats", "Planned fog"]],
      [{ query: "old", status: "archived" }, ["Old boats", "Old"]],
      [{ query: "fog" }, ["More fog", "Fog", "Planned fog"]],
      [{ stage: "editing" }, ["Canceled", "More fog", "Fog"]],
      [{ stage: "editing", query: "fog" }, ["More fog", "Fog"]],
      [{ stage: "editing", tag: "spring" }, ["Fog"]],
      [{ author }, ["More fog"]],
      [{ author, query: "fog" }, ["More fog"]],
      [{ author, query: "fog", stage: "editing" }, ["More fog"]],
      [{ author, query: "canceled" }, []],
    ];
    for (const [filter, titles] of cases)
      assert.deepEqual(await listTitles(owner, filter), titles, JSON.stringify(filter));
    assert.equal((await count(owner)).count, 4);
    const stranger = await newStudio(deps);
    assert.deepEqual([await listTitles(stranger), (await count(stranger)).count], [[], 0]);
    for (const status of ["draft,other", ""]) assert.equal(listPostSummariesInput.safeParse({ status }).success, false);
  });

  test("a cursor keeps its position across statuses while posts are added (POST-4)", async () => {
    const owner = await newStudio(deps);
    for (let i = 0; i < 7; i++) await addPost(owner, `P${i}`, i % 2 === 0 ? { status: "ready" } : {});
    const first = await list(owner, { limit: 3 });
    await addPost(owner, "Later");
    const second = await list(owner, { limit: 3, cursor: first.nextCursor });
    const third = await list(owner, { limit: 3, cursor: second.nextCursor });
    assert.deepEqual(
      [first, second, third].map(({ posts }) => posts.map(({ title }) => title)),
      [["P6", "P5", "P4"], ["P3", "P2", "P1"], ["P0"]],
    );
    assert.equal(third.nextCursor, null);
    const otherList = list(owner, { limit: 3, cursor: first.nextCursor, status: "ready" });
    assert.equal(await getOutcome(otherList), "invalid_input");
  });

  test("filters by stage: in editing, scheduled or published (POST-3, WEB-12)", async () => {
    const owner = await newStudio(deps);
    const [first, second] = [await newConnection(deps, owner, "first"), await newConnection(deps, owner, "second")];
    const at = deps.clock() + hours(1);
    const publications = {
      "No publication": [],
      Proposed: ["proposed"],
      Scheduled: ["scheduled"],
      Publishing: ["preparing"],
      Unconfirmed: ["unconfirmed"],
      "Published and scheduled": ["published", "scheduled"],
      Published: ["published"],
      "Published and failed": ["published", "failed"],
      Failed: ["failed"],
      Missed: ["missed"],
      Canceled: ["canceled"],
    } as const;
    const titles = Object.keys(publications) as (keyof typeof publications)[];
    for (const title of titles) {
      const postId = await addPost(owner, title, title === "Failed" ? { status: "ready" } : {});
      for (const [i, state] of publications[title].entries())
        await addPublication(owner, postId, i === 0 ? first : second, state, at);
    }
    const stages = {
      scheduled: titles.slice(1, 6),
      published: titles.slice(5, 8),
      editing: [titles[0], ...titles.slice(8)],
    } as const;
    for (const stage of postStages) {
      const expectedTitles = stages[stage].toReversed();
      assert.deepEqual(await listTitles(owner, { stage }), expectedTitles);
      assert.deepEqual(await count(owner, { stage }), { count: expectedTitles.length, isTruncated: false });
      const matches = expectedTitles.filter((title) => title?.includes("ublished"));
      assert.deepEqual(await listTitles(owner, { stage, query: "published" }), matches);
    }
    assert.deepEqual(await listTitles(owner, { stage: "editing", status: "ready" }), ["Failed"]);
    assert.equal((await count(owner, { stage: "editing", status: "ready" })).count, 1);
    assert.equal((await count(owner, { author: owner.user.id })).count, titles.length);
    assert.equal((await count(owner, { author: "usr_other" })).count, 0);
    assert.equal(listPostSummariesInput.safeParse({ stage: "draft" }).success, false);
    const page = await list(owner, { stage: "scheduled", limit: 2 });
    const otherList = list(owner, { stage: "published", limit: 2, cursor: page.nextCursor });
    assert.equal(await getOutcome(otherList), "invalid_input");
  });

  test("lists scheduled posts by their earliest time, page by page, those without a time first (POST-3, WEB-12)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const [first, second] = [await newConnection(deps, owner, "first"), await newConnection(deps, owner, "second")];
    const addPlanned = async (caller: Caller, title: string, ...inHours: (number | null)[]): Promise<string> => {
      const postId = await addPost(caller, title);
      for (const [i, time] of inHours.entries()) {
        const [state, at] =
          time === null ? (["proposed", null] as const) : (["scheduled", deps.clock() + hours(time)] as const);
        await addPublication(owner, postId, i === 0 ? first : second, state, at);
      }
      return postId;
    };
    await addPlanned(owner, "Third", 3);
    await addPlanned(member, "First, and later", 9, 1);
    await addPlanned(owner, "Also third", 3);
    await addPlanned(owner, "Without a time", null);
    await addPost(owner, "Not planned");
    const trashedId = await addPost(owner, "In the trash");
    await deletePost(deps, owner, { postId: trashedId });
    await addPublication(owner, trashedId, first, "scheduled", deps.clock() + hours(2));
    const expectedTitles = ["Without a time", "First, and later", "Also third", "Third"];
    const soonest = { stage: "scheduled", order: "soonest" };
    assert.deepEqual(await listTitles(owner, soonest), expectedTitles);
    assert.deepEqual(await listTitles(owner, { ...soonest, author: member.user.id }), ["First, and later"]);
    assert.deepEqual(await listTitles(await newStudio(deps), soonest), []);
    const pages = await readPages((cursor) => list(owner, { ...soonest, limit: 1, cursor }));
    assert.deepEqual(
      pages.map(({ posts }) => posts.map(({ title }) => title)),
      expectedTitles.map((title) => [title]),
    );
    const otherList = list(owner, { stage: "scheduled", cursor: pages[0]?.nextCursor });
    assert.equal(await getOutcome(otherList), "invalid_input");
    for (const input of [{ order: "soonest" }, { ...soonest, query: "third" }, { ...soonest, tag: "spring" }])
      assert.equal(listPostSummariesInput.safeParse(input).success, false, JSON.stringify(input));
  });

  test("a post that moves to the trash while a page is read does not end the list (POST-3)", async () => {
    const owner = await newStudio(deps);
    for (const title of ["A", "B", "C"]) await addPost(owner, title);
    const newestId = await addPost(owner, "D");
    const { postSummaries } = deps;
    const racingDeps = {
      ...deps,
      postSummaries: {
        ...postSummaries,
        async listByIds(studioId: string, postIds: readonly string[], now: number) {
          await deletePost(deps, owner, { postId: newestId });
          return postSummaries.listByIds(studioId, postIds, now);
        },
      },
    };
    const { posts, nextCursor } = await listPostSummaries(
      racingDeps,
      owner,
      listPostSummariesInput.parse({ limit: 3 }),
    );
    assert.deepEqual(
      posts.map(({ title }) => title),
      ["C", "B"],
    );
    assert.deepEqual(await listTitles(owner, { limit: 3, cursor: nextCursor }), ["A"]);
  });

  test("lists the publications of a range in chronological order, and marks those that a newer one to the same account replaced (PUB-1)", async () => {
    const [owner, stranger] = [await newStudio(deps), await newStudio(deps)];
    const [harbour, quay] = [await newConnection(deps, owner, "harbour"), await newConnection(deps, owner, "quay")];
    const start = deps.clock() + days(10);
    const add = async (title: string, state: PublicationState, at: number | null) => {
      const postId = await addPost(owner, title);
      await addPublication(owner, postId, harbour, state, at);
      return postId;
    };
    const secondId = await add("Second", "missed", start + hours(5));
    await addImages(owner, secondId, 1);
    await addPublication(owner, secondId, quay, "missed", start + hours(6));
    await addPublication(owner, secondId, harbour, "scheduled", start + hours(7));
    await add("First", "proposed", start);
    await add("Canceled", "canceled", start + hours(1));
    await add("Whenever it is approved", "proposed", null);
    await add("Before", "scheduled", start - 1);
    await add("Last", "missed", start + days(1));
    await add("After", "scheduled", start + days(1) + 1);
    await deletePost(deps, owner, { postId: await add("Deleted", "missed", start + hours(3)) });

    const { entries, isTruncated } = await showCalendar(owner, start, start + days(1));
    assert.deepEqual(
      entries.map(({ post, account, state, at, isSuperseded }) => [
        `${post.title}, ${state}, ${account}`,
        Date.parse(at) - start,
        isSuperseded,
      ]),
      [
        ["First, proposed, harbour", 0, false],
        ["Second, missed, harbour", hours(5), true],
        ["Second, missed, quay", hours(6), false],
        ["Second, scheduled, harbour", hours(7), false],
        ["Last, missed, harbour", days(1), false],
      ],
    );
    assert.equal(isTruncated, false);
    assert.match(entries[1]?.post.thumbnail?.thumbnailUrl ?? "", /\/files\/thumb\//);
    assert.equal(entries[0]?.post.thumbnail, null);
    assert.deepEqual((await showCalendar(stranger, start, start + days(1))).entries, []);
    for (const to of [start - 1, start + days(63)]) {
      const { error } = listCalendarInput.safeParse({ from: toIsoTime(start), to: toIsoTime(to) });
      assert.ok(error);
      assert.equal(formatIssues(error), "to: expected at most 62 days after `from`.");
    }
  });

  test("filters the calendar by text, tag and author of the posts (PUB-1)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const connectionId = await newConnection(deps, owner);
    const start = deps.clock() + days(10);
    for (let i = 0; i < 25; i++) {
      const title = i % 3 === 0 ? `Fog ${i}` : `Boats ${i}`;
      const postId = await addPost(i % 2 === 0 ? owner : member, title, i === 24 ? { tags: ["spring"] } : {});
      await addPublication(owner, postId, connectionId, "missed", start + i);
    }
    const foggy = [0, 3, 6, 9, 12, 15, 18, 21, 24];
    const cases: [filter: Record<string, unknown>, indexes: number[]][] = [
      [{}, Array.from({ length: 25 }, (_, i) => i)],
      [{ query: "fog" }, foggy],
      [{ query: "fog", author: member.user.id }, foggy.filter((i) => i % 2 === 1)],
      [{ tag: "spring" }, [24]],
      [{ tag: "spring", query: "boats" }, []],
    ];
    for (const [filter, indexes] of cases) {
      const { entries } = await showCalendar(owner, start, start + days(1), filter);
      assert.deepEqual(
        entries.map(({ at }) => Date.parse(at) - start),
        indexes,
      );
    }
  });

  test("reads lists and the calendar of a large studio from an index (X3, F4)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const connectionId = await newConnection(deps, owner);
    await fillStudio(fixture, owner, connectionId);
    const { connection, listPlans } = recordPlans(fixture);
    const summaries = createPostSummaryStore(connection);
    const statuses = ["draft", "ready"] as const;
    const newestPosts = await summaries.listIds(owner.studio.id, { statuses, limit: 51 });
    await summaries.listByIds(
      owner.studio.id,
      newestPosts.map(({ id }) => id),
      0,
    );
    await summaries.listIds(owner.studio.id, { statuses, review: { state: "approved", now: 0 }, limit: 51 });
    await summaries.listIds(owner.studio.id, { statuses, createdBy: member.user.id, limit: 51 });
    for (const stage of postStages) await summaries.listIds(owner.studio.id, { statuses, stage, limit: 51 });
    assert.equal(await summaries.count(owner.studio.id, { statuses, limit: 1001 }), 300);
    assert.deepEqual(await count(owner, { status: "archived" }), { count: 1000, isTruncated: true });
    const calendar = createCalendarStore(connection);
    const from = deps.clock() + days(10);
    assert.equal((await calendar.list(owner.studio.id, { from, to: from + hours(49), limit: 100 })).length, 50);
    const since = { userId: owner.user.id, from, maxCount: 100 };
    await createPublicationStore(connection).count(owner.studio.id, since);
    const plans = await listPlans();
    for (const { sql, plan } of plans)
      for (const step of plan)
        assert.doesNotMatch(
          step,
          /Seq Scan on (posts|publications|assets|comments)|^SCAN (posts|publications|assets|comments)/,
          sql,
        );
    const findPlan = (pattern: RegExp) => plans.find(({ sql }) => pattern.test(sql))?.plan.join("\n") ?? "";
    assert.match(findPlan(/created_by = /), /posts_by_author/);
    // Finds replaced publications with the account, not among all publications of the post.
    const countPlan = findPlan(/sent_back' AND requested_by/);
    for (const index of ["publications_by_state", "publications_sent_back", "publications_by_account_of_post"])
      assert.match(countPlan, new RegExp(index));
    assert.match(findPlan(/UNION ALL/), /posts_by_status/);
    assert.match(findPlan(/NOT EXISTS[^]*UNION ALL/), /posts_by_status/);
    assert.match(findPlan(/NOT EXISTS[^]*UNION ALL/), /publications_(by_state_of_post|by_post|open|by_connection)/);
    assert.match(findPlan(/coalesce/), /publications_in_calendar/);
    assert.match(findPlan(/FROM publications WHERE post_id IN/), /publications_(by_post|by_account_of_post)/);
    assert.match(
      findPlan(/FROM comments/),
      /comments_by_thread[^]*publications_by_account_of_post|publications_by_account_of_post[^]*comments_/,
    );
    assert.match(findPlan(/FROM assets/), /assets_by_post/);
  });
});

/** Inserts 3,000 posts, nine of ten archived, each with a publication; the publications are an hour apart. */
async function fillStudio({ deps, database }: Fixture, owner: Caller, connectionId: string): Promise<void> {
  const [studioId, now] = [owner.studio.id, deps.clock()];
  const ids = Array.from({ length: 3000 }, () => deps.newId("post"));
  for (let start = 0; start < ids.length; start += 500) {
    const chunk = ids.slice(start, start + 500);
    await database.q
      .insertInto("posts")
      .values(
        chunk.map((id, i) => ({
          ...{ id, studioId, title: "Title", body: "Body", createdBy: owner.user.id, searchText: "" },
          ...{ status: i % 10 === 0 ? ("draft" as const) : ("archived" as const), revision: 1, searchIndexed: true },
          ...{ createdAt: now, updatedAt: now },
        })),
      )
      .execute();
    await database.q
      .insertInto("publications")
      .values(
        chunk.map((postId, i) => ({
          ...{ id: deps.newId("publication"), studioId, postId, connectionId },
          ...{ state: "missed" as const, scheduledFor: now + hours(start + i), includesTitle: false, revision: 1 },
          ...{ digest: "", createdAt: now },
        })),
      )
      .execute();
  }
  await database.q.executeQuery(CompiledQuery.raw("ANALYZE"));
}
