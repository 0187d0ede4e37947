import assert from "node:assert/strict";
import { test } from "node:test";
import { updatePost } from "#domain/posts/update-post.ts";
import { listReviewLinks, shareForReview } from "#domain/reviews/review-links.ts";
import { forEachEngine, type TestDeps } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { addImage, startPublishing } from "../support/publishing-fixture.ts";
import { shareReview } from "../support/review-client.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forEachEngine("review links with long content", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour"], { clock: fixture.clock }));
  const getDeps = () => publishing.service.deps;

  /** Copies a row of a table, as often as there are changes. */
  async function copyRows(table: "comments" | "assets", id: string, changes: readonly object[]): Promise<void> {
    const row = await fixture.database.q.selectFrom(table).selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    for (let from = 0; from < changes.length; from += 50)
      await fixture.database.q
        .insertInto(table)
        .values(changes.slice(from, from + 50).map((change) => ({ ...row, ...change })) as never)
        .execute();
  }
  const newPosts = async (count: number) => {
    const postIds: string[] = [];
    for (let i = 0; i < count; i++) postIds.push(await publishing.newPost(`Post ${i}`));
    return postIds;
  };

  test("a page shows the newest of the team's comments, and counts them (REV-1, F4)", async () => {
    const postIds = await newPosts(21);
    const comment = { body: "x".repeat(9999), visibility: "guests" };
    const { body } = await publishing.api("POST", `/posts/${postIds[0]}/comments`, comment);
    const changes = postIds.flatMap((postId) =>
      Array.from({ length: 11 }, () => ({ id: fixture.deps.newId("comment"), postId })),
    );
    await copyRows("comments", String(body["id"]), changes);
    const session = await (await shareReview(publishing, postIds.slice(0, 1))).read();
    const shownIds = session.posts[0]?.comments.map(({ id }) => id);
    const ids = [body, ...changes.filter(({ postId }) => postId === postIds[0])].map(({ id }) => String(id));
    assert.deepEqual(shownIds, ids.toSorted().slice(-10));
    const all = await (await shareReview(publishing, postIds)).call("GET", "/session");
    assert.equal(all.body["code"], "quota_exceeded");
  });

  test("a page with too many files is rejected before their URLs are signed (REV-1, F4)", async () => {
    const postIds = await newPosts(10);
    await addImage(publishing, postIds[0] ?? "", "A vase");
    const [asset] = await getDeps().assets.listByPosts(postIds);
    const changes = postIds.flatMap((postId) =>
      Array.from({ length: 20 }, (_, position) => {
        const id = fixture.deps.newId("asset");
        return { id, postId, position: position + 2, storageKey: `${asset?.storageKey}${id}` };
      }),
    );
    await copyRows("assets", asset?.id ?? "", changes);
    for (let i = 0; i < 25; i++) await newConnection(fixture.deps, publishing.owner, `account${i}`, "sandbox");
    const one = await (await shareReview(publishing, postIds.slice(1, 2))).read();
    assert.equal(one.posts[0]?.accounts.flatMap(({ media }) => media).length, 26 * 20);
    const all = await (await shareReview(publishing, postIds)).call("GET", "/session");
    assert.equal(all.body["code"], "quota_exceeded");
    await fixture.database.q.deleteFrom("platformConnections").where("credential", "is", null).execute();
  });

  /** Closed links of a post, each with the decision of a guest. */
  async function addDecidedLinks(postId: string, count: number, change: object = {}): Promise<void> {
    const review = await shareReview(publishing, [postId]);
    assert.equal(await review.decide(postId, "approved"), "ok");
    const { q: database } = fixture.database;
    const find = (table: "reviewLinks" | "reviewPosts", column: "id" | "linkId") =>
      database
        .selectFrom(table)
        .selectAll()
        .where(column as never, "=", review.id as never)
        .executeTakeFirstOrThrow();
    const [link, post] = [await find("reviewLinks", "id"), await find("reviewPosts", "linkId")];
    for (let from = 0; from < count; from += 100) {
      const ids = Array.from({ length: Math.min(100, count - from) }, () => fixture.deps.newId("reviewLink"));
      const links = ids.map((id) => ({ ...link, withdrawnAt: 1, id }));
      await database
        .insertInto("reviewLinks")
        .values(links as never)
        .execute();
      const posts = ids.map((linkId) => ({ ...post, ...change, linkId }));
      await database
        .insertInto("reviewPosts")
        .values(posts as never)
        .execute();
    }
  }

  test("a post has at most 500 review links with those that have ended, and an edit reads them in pages (REV-3, F4)", async () => {
    const postId = await publishing.newPost("Much reviewed");
    await addDecidedLinks(postId, 499);
    assert.equal(
      await getOutcome(shareForReview(getDeps(), publishing.owner, { postIds: [postId] })),
      "quota_exceeded",
    );
    const pages: number[] = [];
    const transact: TestDeps["transact"] = (caller, work, options) =>
      getDeps().transact(
        caller,
        (tx) => {
          const listDecided: typeof tx.reviews.listDecided = async (id, page) => {
            const rows = await tx.reviews.listDecided(id, page);
            pages.push(rows.length);
            return rows;
          };
          return work({ ...tx, reviews: { ...tx.reviews, listDecided } });
        },
        options,
      );
    await updatePost({ ...getDeps(), transact }, publishing.owner, { postId, body: "Changed" });
    assert.deepEqual([pages.reduce((sum, count) => sum + count, 0), Math.max(...pages)], [500, 50]);
    const counts = await fixture.database.q
      .selectFrom("reviewPosts")
      .select((eb) => ["isOutdated", eb.fn.countAll<number>().as("count")])
      .where("postId", "=", postId)
      .groupBy("isOutdated")
      .execute();
    assert.deepEqual(counts, [{ isOutdated: true, count: 500 }]);
  });

  test("a list ends before it is too long, and starts with the links that hold the post (REV-4, F4)", async () => {
    const postIds = await newPosts(2);
    const [postId = ""] = postIds;
    const holding = await shareReview(publishing, [postId], { holdsPublishing: true });
    await addDecidedLinks(postId, 300, { decisionComment: "x".repeat(2000), isHolding: false });
    const { reviewLinks } = await listReviewLinks(getDeps(), publishing.owner, { postId });
    assert.equal(reviewLinks[0]?.id, holding.id);
    assert.ok(reviewLinks.length > 100 && reviewLinks.length < 300);
    assert.ok(JSON.stringify(reviewLinks).length < 1_000_000);
  });
});
