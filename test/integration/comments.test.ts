import assert from "node:assert/strict";
import { test } from "node:test";
import { createCommentStore } from "#db/comments.ts";
import { createPostSummaryStore } from "#db/post-summaries.ts";
import type { Caller } from "#domain/caller.ts";
import {
  addComment,
  addCommentOrReplyInput,
  deleteComment,
  listComments,
  resolveComment,
} from "#domain/comments/comments.ts";
import { maxCommentLength, maxCommentsPerPost, maxStoredCommentsPerPost } from "#domain/model/comment.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { removeMember } from "#domain/studios/members.ts";
import { restoreFromTrash } from "#domain/trash/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { noRevertedApprovals } from "#domain/undo/reverted-approvals.ts";
import { undoClientChanges, undoOwnChanges, undoUndo } from "#domain/undo/undo-changes.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, addPost, newStudioWithPost } from "../support/history-fixture.ts";
import { countOutcomes, getOutcome } from "../support/outcome.ts";
import { recordPlans } from "../support/query-plans.ts";
import { newMember, newStudio } from "../support/users.ts";

const readComments = async (deps: Deps, caller: Caller, postId: string) =>
  (await listComments(deps, caller, { postId, limit: 100 })).comments;

const readBodies = async (deps: Deps, caller: Caller, postId: string) =>
  (await readComments(deps, caller, postId)).map(({ body }) => body);

forEachEngine("comments", (fixture) => {
  const { deps, clock, database } = fixture;
  test("a comment names its user and client, and pages list a thread's first comment before its replies (COM-1)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const client = await actThroughClient(deps, member);
    const { postId } = await addPost(deps, owner);
    const first = await addComment(deps, client, { postId, body: "Is the date right?" });
    assert.deepEqual(first, {
      id: first.id,
      postId,
      parentId: null,
      body: "Is the date right?",
      createdAt: toIsoTime(clock()),
      visibility: "team",
      user: { id: member.user.id, name: member.user.name },
      client: { id: client.client.id, name: "Claude" },
      resolvedAt: null,
      resolvedBy: null,
    });
    const reply = await addComment(deps, owner, { postId, body: "Yes", parentId: first.id });
    const nestedReply = await addComment(deps, member, { postId, body: "Thanks", parentId: reply.id });
    assert.deepEqual([reply.parentId, nestedReply.parentId], [first.id, first.id]);
    const second = await addComment(deps, owner, { postId, body: "Ship it" });

    const firstPage = await listComments(deps, member, { postId, limit: 3 });
    assert.deepEqual(firstPage.comments, [first, reply, nestedReply]);
    const secondPage = await listComments(deps, member, { postId, limit: 3, cursor: firstPage.nextCursor ?? "" });
    assert.deepEqual(secondPage, { comments: [second], nextCursor: null });
    const { revision } = await getPost(deps, owner, { postId });
    assert.equal(revision, 1, "a comment does not change the post");
  });

  test("a page of long comments ends after 200,000 characters (COM-1, X3)", async () => {
    const owner = await newStudio(deps);
    const { postId } = await addPost(deps, owner);
    const body = "x".repeat(maxCommentLength);
    const ids: string[] = [];
    for (let i = 0; i < 22; i++) ids.push((await addComment(deps, owner, { postId, body })).id);
    const firstPage = await listComments(deps, owner, { postId, limit: 100 });
    assert.equal(firstPage.comments.length, 20);
    const secondPage = await listComments(deps, owner, { postId, limit: 100, cursor: firstPage.nextCursor ?? "" });
    assert.equal(secondPage.nextCursor, null);
    assert.deepEqual(
      [...firstPage.comments, ...secondPage.comments].map((comment) => comment.id),
      ids,
    );
  });

  test("get_post returns the newest comments that fit, newest first, and counts the others (COM-1)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    const post = await getPost(deps, owner, { postId });
    assert.ok(!("comments" in post) && !("olderComments" in post), "without includeComments");
    for (let i = 0; i < 53; i++) await addComment(deps, owner, { postId, body: `Comment ${i}` });
    const short = await getPost(deps, owner, { postId, includeComments: true });
    assert.deepEqual([short.comments?.length, short.olderComments], [50, 3]);
    assert.equal(short.comments?.[0]?.body, "Comment 52");
    for (let i = 0; i < 3; i++) await addComment(deps, owner, { postId, body: "x".repeat(maxCommentLength) });
    const long = await getPost(deps, owner, { postId, includeComments: true });
    assert.deepEqual([long.comments?.length, long.olderComments], [2, 54]);
  });

  test("any member resolves and reopens a thread; a reply can't be resolved (COM-2)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    const member = await newMember(deps, owner, "member");
    const { id: commentId } = await addComment(deps, owner, { postId, body: "A" });
    const reply = await addComment(deps, owner, { postId, body: "B", parentId: commentId });
    const resolved = await resolveComment(deps, member, { commentId, resolved: true });
    const resolution = [toIsoTime(clock()), { id: member.user.id, name: member.user.name }];
    assert.deepEqual([resolved.resolvedAt, resolved.resolvedBy], resolution);
    clock.advance(1000);
    const again = await resolveComment(deps, owner, { commentId, resolved: true });
    assert.deepEqual([again.resolvedAt, again.resolvedBy], resolution, "the first resolution stays");
    assert.deepEqual((await readComments(deps, owner, postId))[0], resolved);
    assert.equal((await resolveComment(deps, owner, { commentId, resolved: false })).resolvedAt, null);
    assert.equal(
      await getOutcome(resolveComment(deps, owner, { commentId: reply.id, resolved: true })),
      "invalid_input",
    );
  });

  test("users delete only their own comments, including those of their clients, and replies of others stay (COM-2)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const client = await actThroughClient(deps, member);
    const { postId } = await addPost(deps, owner);
    const started = await addComment(deps, client, { postId, body: "A secret" });
    const reply = await addComment(deps, owner, { postId, body: "B", parentId: started.id });
    assert.equal(await getOutcome(deleteComment(deps, owner, { commentId: started.id })), "forbidden");
    await deleteComment(deps, member, { commentId: started.id });
    const [deleted, kept] = await readComments(deps, owner, postId);
    assert.deepEqual([deleted?.isDeleted, deleted?.body, deleted?.user, deleted?.client], [true, "", null, null]);
    assert.deepEqual(kept, reply);
    const row = await database.q.selectFrom("comments").select("body").where("id", "=", started.id).executeTakeFirst();
    assert.equal(row?.body, "", "the text is gone");
    assert.equal(await getOutcome(deleteComment(deps, member, { commentId: started.id })), "not_found");
    assert.equal((await getPost(deps, owner, { postId, includeComments: true })).comments?.length, 1);

    const nextReply = await addComment(deps, member, { postId, body: "C", parentId: started.id });
    await deleteComment(deps, owner, { commentId: reply.id });
    await deleteComment(deps, member, { commentId: nextReply.id });
    assert.deepEqual(await readComments(deps, owner, postId), [], "nothing is left of the thread");
    assert.equal(await getOutcome(addComment(deps, owner, { postId, body: "D", parentId: started.id })), "not_found");
  });

  test("comments of the trash, and of other studios and posts, are not found; restore brings them back (COM-3, T1)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    const { postId: otherPostId } = await addPost(deps, owner);
    const stranger = await newStudio(deps);
    const { id: commentId } = await addComment(deps, owner, { postId, body: "A" });
    const assertNotFound = async (...calls: (() => Promise<unknown>)[]) => {
      for (const call of calls) assert.equal(await getOutcome(call), "not_found", String(call));
    };
    const listCalls = (caller: Caller, id: string) => [
      () => deleteComment(deps, caller, { commentId: id }),
      () => resolveComment(deps, caller, { commentId: id, resolved: true }),
      () => addComment(deps, caller, { postId, body: "B", parentId: id }),
    ];
    const onOtherPost = { commentId, postId: otherPostId };
    await assertNotFound(
      ...listCalls(stranger, commentId),
      () => listComments(deps, stranger, { postId, limit: 9 }),
      () => addComment(deps, owner, { postId: otherPostId, body: "B", parentId: commentId }),
      () => deleteComment(deps, owner, onOtherPost),
      () => resolveComment(deps, owner, { ...onOtherPost, resolved: true }),
    );
    await deletePost(deps, owner, { postId });
    await assertNotFound(...listCalls(owner, commentId), () => listComments(deps, owner, { postId, limit: 9 }));
    await restoreFromTrash(deps, owner, { id: postId });
    assert.deepEqual(await readBodies(deps, owner, postId), ["A"]);
  });

  test("a body is text of 1 to 10,000 characters, not all invisible, and is stored unchanged (COM-4, W4)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    const parse = (body: string) => addCommentOrReplyInput.safeParse({ postId, body });
    for (const body of ["", "   ", "\n\t", "\u200b\u200b", "\u0007", "a\0b", "\ud800", "x".repeat(100_000)])
      assert.equal(parse(body).success, false, JSON.stringify(body.slice(0, 20)));
    assert.equal(parse("x".repeat(maxCommentLength + 1)).success, false);
    assert.equal(parse("  two\nlines \n").data?.body, "two\nlines");
    const bodies = [
      "<img src=x onerror=alert(1)>",
      "a\u0007b\u001b[31m\u202e",
      "'; DROP TABLE comments; --",
      "👩‍👩‍👧 مرحبا 日本語",
      "x".repeat(maxCommentLength),
    ];
    for (const body of bodies) await addComment(deps, owner, { postId, body: parse(body).data?.body ?? "" });
    assert.deepEqual(await readBodies(deps, owner, postId), bodies);
  });

  test("parallel calls do not exceed the limit of comments per post, and deleting a comment allows another one (COM-4, R2, X7)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    const last = await addComment(deps, owner, { postId, body: "A" });
    const columns = { studioId: owner.studio.id, postId, body: "B", createdAt: clock(), changeCount: 0 };
    const rows = Array.from({ length: maxCommentsPerPost - 4 }, () => ({ ...columns, id: deps.newId("comment") }));
    for (let i = 0; i < rows.length; i += 200) {
      const chunk = rows.slice(i, i + 200);
      await database.q.insertInto("comments").values(chunk).execute();
    }
    const outcomes = await countOutcomes([1, 2, 3, 4, 5, 6].map(() => addComment(deps, owner, { postId, body: "C" })));
    assert.deepEqual(outcomes, { ok: 3, quota_exceeded: 3 });
    await deleteComment(deps, owner, { commentId: last.id });
    assert.equal(await getOutcome(addComment(deps, owner, { postId, body: "D" })), "ok");
  });

  test("comments that an undo removed count toward a limit, even with parallel calls, and lists skip them by an index (COM-4, R2, X7)", async () => {
    const { owner, postId } = await newStudioWithPost(deps);
    const columns = { studioId: owner.studio.id, postId, body: "B", createdAt: clock(), changeCount: 2 };
    const thread = await addComment(deps, owner, { postId, body: "A" });
    const rows = Array.from({ length: maxStoredCommentsPerPost - 4 }, (_, i) => ({
      ...columns,
      id: deps.newId("comment"),
      removedAt: clock(),
      parentId: i % 2 === 0 ? null : thread.id,
    }));
    for (let i = 0; i < rows.length; i += 200) {
      const chunk = rows.slice(i, i + 200);
      await database.q.insertInto("comments").values(chunk).execute();
    }
    const removedThread = rows[0]!.id;
    const reply = { ...columns, id: deps.newId("comment"), parentId: removedThread };
    await database.q.insertInto("comments").values(reply).execute();
    const outcomes = await countOutcomes([1, 2, 3, 4].map(() => addComment(deps, owner, { postId, body: "C" })));
    assert.deepEqual(outcomes, { ok: 2, quota_exceeded: 2 });

    const { connection, listPlans } = recordPlans(fixture);
    const [summary] = await createPostSummaryStore(connection).listByIds(owner.studio.id, [postId], 0);
    assert.equal(summary?.openThreadCount, 4, "the first comment, two new ones, and a removed one with a reply");
    const comments = createCommentStore(connection);
    assert.equal((await comments.listNewest(postId, 10)).length, 4);
    assert.equal(await comments.count(postId), 4);
    // PostgreSQL chooses among several indexes by its statistics.
    if (fixture.engine === "postgres") return;
    const plans = (await listPlans()).map(({ plan }) => plan.join("\n"));
    const [threadsPlan = "", newestPlan = "", countPlan = ""] = plans.filter((plan) => plan.includes("comments_"));
    assert.match(
      threadsPlan,
      /SEARCH c USING INDEX comments_by_thread \(post_id=\? AND parent_id=\? AND removed_at=\?\)/,
    );
    assert.match(threadsPlan, /SEARCH r USING COVERING INDEX comments_by_thread/);
    assert.match(newestPlan, /USING INDEX comments_not_removed \(post_id=\?\)/);
    assert.match(countPlan, /USING COVERING INDEX comments_/);
  });

  test("comments of a former member stay, and are deleted with their post or studio (COM-5)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const client = await actThroughClient(deps, member);
    const [trashed, kept] = [await addPost(deps, owner), await addPost(deps, owner)];
    for (const { postId } of [trashed, kept]) {
      const { id } = await addComment(deps, client, { postId, body: "A" });
      await addComment(deps, owner, { postId, body: "B", parentId: id });
    }
    await removeMember(deps, owner, { userId: member.user.id });
    const [first] = await readComments(deps, owner, kept.postId);
    assert.deepEqual([first?.user?.name, first?.client?.name], [member.user.name, "Claude"]);
    const countRows = async (table: "comments" | "commentChanges") =>
      (await database.q.selectFrom(table).selectAll().where("studioId", "=", owner.studio.id).execute()).length;
    const count = async () => [await countRows("comments"), await countRows("commentChanges")];
    await deletePost(deps, owner, { postId: trashed.postId });
    assert.deepEqual(await count(), [4, 2]);
    clock.advance(days(30));
    await sweepTrash(deps, untilDone);
    assert.deepEqual(await count(), [2, 1], "after the post expired in the trash");
    await deleteStudio(deps, owner, { name: owner.studio.name });
    assert.deepEqual(await count(), [0, 0], "after the studio was deleted");
  });

  test("undo removes the client's comments, keeps replies of others, and undoing the undo restores them (UNDO-8, H2)", async () => {
    const { owner, client, postId } = await newStudioWithPost(deps);
    const member = await newMember(deps, owner, "member");
    const otherClient = await actThroughClient(deps, member);
    const earlier = await addComment(deps, client, { postId, body: "Earlier" });
    clock.advance(1000);
    const since = toIsoTime(clock());
    const started = await addComment(deps, client, { postId, body: "Started" });
    const reply = await addComment(deps, member, { postId, body: "Reply", parentId: started.id });
    const clientReply = await addComment(deps, client, { postId, body: "Client reply", parentId: earlier.id });
    const deleted = await addComment(deps, client, { postId, body: "Deleted" });
    await deleteComment(deps, owner, { commentId: deleted.id });
    await addComment(deps, owner, { postId, body: "Without the client" });
    await addComment(deps, otherClient, { postId, body: "Of another user" });
    const before = await readComments(deps, owner, postId);

    const undone = [started, clientReply].map(({ id }) => ({ type: "comment", id, field: "created" }));
    const dryRun = await undoOwnChanges(deps, client, { since, dryRun: true });
    assert.deepEqual(dryRun, { undone, conflicts: [], publications: [] });
    assert.deepEqual(await readComments(deps, owner, postId), before, "a dry run changes nothing");
    clock.advance(1000);
    const { undoId, ...report } = await undoClientChanges(deps, owner, { since, grantId: client.grantId });
    assert.deepEqual(report, { ...dryRun, ...noRevertedApprovals, subjects: [] });
    const remaining = await readComments(deps, owner, postId);
    assert.deepEqual(
      remaining.map(({ body }) => body),
      ["Earlier", "", "Reply", "Without the client", "Of another user"],
    );
    assert.deepEqual([remaining[1]?.id, remaining[1]?.isDeleted], [started.id, true]);
    assert.deepEqual(remaining[2], reply);
    assert.deepEqual(await undoOwnChanges(deps, client, { since }), { undone: [], conflicts: [], publications: [] });

    clock.advance(1000);
    const redo = await undoUndo(deps, owner, { undoId: undoId ?? "" });
    assert.deepEqual(
      redo.undone,
      undone.map((entry) => ({ ...entry, field: "removed" })),
    );
    assert.deepEqual(await readComments(deps, owner, postId), before);
    const later = await undoOwnChanges(deps, client, { since });
    assert.deepEqual([later.undone, later.conflicts.length], [[], 2], "the owner restored them since");
  });

  test("owners undo the comments of a client that now acts in another studio; strangers can't (UNDO-8, T1)", async () => {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const client = await actThroughClient(deps, member);
    const { postId } = await addPost(deps, owner);
    const since = toIsoTime(clock());
    await addComment(deps, client, { postId, body: "A" });
    await removeMember(deps, owner, { userId: member.user.id });
    const stranger = await newStudio(deps);
    const input = { since, grantId: client.grantId };
    assert.equal(await getOutcome(undoClientChanges(deps, stranger, input)), "not_found");
    await undoClientChanges(deps, owner, input);
    assert.deepEqual(await readBodies(deps, owner, postId), []);
  });

  test("removed comments are deleted once no undo can restore them, unless their thread has replies (UNDO-8)", async () => {
    const { owner, client, postId } = await newStudioWithPost(deps);
    const since = toIsoTime(clock());
    const answered = await addComment(deps, client, { postId, body: "A" });
    const reply = await addComment(deps, owner, { postId, body: "B", parentId: answered.id });
    await addComment(deps, client, { postId, body: "C" });
    await undoOwnChanges(deps, client, { since });
    const listIds = async () => {
      const rows = database.q.selectFrom("comments").select("id").where("postId", "=", postId).orderBy("id");
      return (await rows.execute()).map(({ id }) => id);
    };
    clock.advance(days(31));
    await createPurgeJob(deps)(untilDone);
    assert.equal((await listIds()).length, 3, "31 days later");
    clock.advance(1);
    await createPurgeJob(deps)(untilDone);
    assert.deepEqual(await listIds(), [answered.id, reply.id]);
    const changes = database.q.selectFrom("commentChanges").select("change").where("studioId", "=", owner.studio.id);
    assert.deepEqual(await changes.execute(), []);
  });
});
