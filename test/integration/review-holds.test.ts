import assert from "node:assert/strict";
import { test } from "node:test";
import { restorePost } from "#domain/history/restore-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { reschedulePublication } from "#domain/publishing/change-publication.ts";
import { runPublication } from "#domain/jobs/publishing/run-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import { shareForReview } from "#domain/reviews/review-links.ts";
import { days, hours, seconds, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import { getOutcome } from "../support/outcome.ts";
import { oneSlot, startPublishing } from "../support/publishing-fixture.ts";
import { openReview, shareReview } from "../support/review-client.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember } from "../support/users.ts";

const holds = { holdsPublishing: true };

forEachEngine("publishing waits for a review", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "lighthouse"], { clock: fixture.clock }));
  const deps = () => publishing.service.deps;
  const inOneHour = () => toIsoTime(fixture.clock() + hours(1));
  const edit = (postId: string, body: string) => updatePost(deps(), publishing.owner, { postId, body });
  const first = () => publishing.connectionIds.slice(0, 1);
  const getState = async (id: string) => (await publishing.api("GET", `/publications/${id}`)).body["state"];
  const post = async (path: string, body: object) => {
    const response = await publishing.api("POST", path, body);
    return response.status < 300 ? "ok" : `${response.status} ${String(response.body["code"])}`;
  };

  test("a holding link returns what is scheduled, and nothing is scheduled until the guest approves (HOLD-1, HOLD-2, PUB-11, F10)", async () => {
    const postId = await publishing.newPost("Held");
    const { id } = await publishing.requestPublication(postId, first(), { at: inOneHour() });
    const review = await shareReview(publishing, [postId], holds);
    assert.equal(await getState(id), "proposed");
    const others = { connectionIds: publishing.connectionIds.slice(1), at: inOneHour() };
    const approve = () => post(`/publications/${id}/approve`, { revision: 1 });
    assert.equal(await approve(), "409 review_pending");
    assert.equal(await post(`/posts/${postId}/publications`, others), "409 review_pending");
    assert.equal(await post(`/publications/${id}/reschedule`, { at: inOneHour() }), "ok");
    assert.equal(await post(`/posts/${postId}/publications`, { ...others, propose: true }), "ok");
    assert.equal(await review.decide(postId, "changes_requested"), "ok");
    assert.equal(await approve(), "409 review_pending");
    assert.equal(await review.decide(postId, "approved"), "ok");
    assert.equal(await getState(id), "proposed"); // a guest's decision publishes nothing
    assert.equal(await approve(), "ok");
    await edit(postId, "Held, then edited"); // by the owner, who may publish
    assert.equal(await getState(id), "proposed");
    assert.equal(await post(`/publications/${id}/approve`, { revision: 2 }), "409 review_pending");
    await edit(postId, "Held"); // the content that the guest approved
    assert.equal(await post(`/publications/${id}/approve`, { revision: 3 }), "ok");
    assert.equal(await review.decide(postId, "changes_requested"), "ok");
    assert.equal(await getState(id), "proposed");
  });

  test("each holding link counts, and others do not (HOLD-4)", async () => {
    const postId = await publishing.newPost("Two reviews");
    const reviews = [
      await shareReview(publishing, [postId], holds),
      await shareReview(publishing, [postId], holds),
      await shareReview(publishing, [postId]),
    ];
    const request = () => post(`/posts/${postId}/publications`, { connectionIds: first(), at: inOneHour() });
    await reviews[0]?.decide(postId, "approved");
    await reviews[2]?.decide(postId, "changes_requested");
    assert.equal(await request(), "409 review_pending");
    await reviews[1]?.decide(postId, "approved");
    assert.equal(await request(), "ok");
  });

  test("restoring and runs of a worker schedule nothing meanwhile (HOLD-1, PUB-14, UNDO-10)", async () => {
    const { owner } = publishing;
    const postId = await publishing.newPost("To restore");
    const { id } = await publishing.requestPublication(postId, first(), { at: inOneHour() });
    await updatePost(
      deps(),
      { ...owner, client: { id: "c", name: "C" }, scopes: ["studio:write"] },
      {
        postId,
        body: "By a client",
        revision: 1,
      },
    );
    await shareReview(publishing, [postId], holds);
    const restore = { postId, revision: 1, approve: [id] };
    assert.equal(await getOutcome(restorePost(deps(), owner, restore)), "review_pending");
    const { states, count } = await claimAndHold();
    assert.deepEqual([states, count], [["proposed", "proposed"], 0]);
  });

  /** Holds a post after a worker claimed its publication: before the run reads the content, and before a shutdown ends it. */
  async function claimAndHold(): Promise<{ states: unknown[]; count: number }> {
    const states: unknown[] = [];
    const { publicationRuns, publisher } = deps();
    for (const isBeforeStart of [true, false]) {
      const postId = await publishing.newPost(`Claimed, ${isBeforeStart}`);
      const { id } = await publishing.requestPublication(postId, first());
      const now = await deps().publications.getTime();
      const claimed = await publicationRuns.claimDue({ now, leaseExpiresAt: now + seconds(30), slots: oneSlot });
      assert.equal(claimed?.id, id);
      const hold = () => shareReview(publishing, [postId], holds);
      if (isBeforeStart) await hold();
      const shutdown = new AbortController();
      const prepare: typeof publisher.prepare = async (...args) => {
        await hold();
        shutdown.abort();
        return publisher.prepare(...args);
      };
      await runPublication({ ...deps(), publisher: { ...publisher, prepare } }, claimed, shutdown.signal);
      states.push(await getState(id));
    }
    const posts = await publishing.listSandboxPosts();
    return { states, count: posts.filter(({ text }) => text.startsWith("Claimed")).length };
  }

  test("the database rejects a scheduled publication of a held post, whichever statement writes it (HOLD-1, B1)", async () => {
    const postId = await publishing.newPost("In the database");
    const { id } = await publishing.requestPublication(postId, first(), { at: inOneHour(), propose: true });
    await shareReview(publishing, [postId], holds);
    const schedule = { state: "scheduled", dueAt: 1, nextRunAt: 1 } as const;
    await assert.rejects(
      fixture.deps.writes.publications.update(id, schedule, { states: ["proposed"] }),
      /waits for a review/,
    );
    const otherId = await publishing.newPost("Scheduled");
    await publishing.requestPublication(otherId, first(), { at: inOneHour() });
    const review = await shareReview(publishing, [otherId]);
    const hold = fixture.database.q.updateTable("reviewPosts").set({ isHolding: true }).where("linkId", "=", review.id);
    await assert.rejects(hold.execute(), /scheduled publication/);
  });

  test("a decision and an edit at the same moment: the decision covers what was shown, or is rejected (REV-3, R3)", async () => {
    const postId = await publishing.newPost("Race 0");
    const review = await shareReview(publishing, [postId], holds);
    const { id } = await publishing.requestPublication(postId, first(), { at: inOneHour(), propose: true });
    const outcomes = new Set<string>();
    const races = isLongRun ? 200 : 10;
    for (let i = 1; i <= races; i++) {
      const { digest, accounts: [shown] = [] } = (await review.read()).posts[0] ?? {};
      const { owner } = publishing;
      const { revision } = (await deps().posts.find(owner.studio.id, postId)) ?? {};
      const [decision, , approval] = await Promise.all([
        review.decide(postId, "approved", digest),
        edit(postId, `Race ${i}`),
        getOutcome(approvePublication(deps(), owner, { publicationId: id, revision: revision ?? 0 })),
        getOutcome(reschedulePublication(deps(), owner, { publicationId: id, at: inOneHour() })),
        getOutcome(publishPost(deps(), owner, { postId, connectionIds: publishing.connectionIds.slice(1) })),
      ]);
      outcomes.add(decision);
      assert.match(decision, /^(ok|revision_conflict)$/);
      assert.match(approval, /^(ok|review_pending|revision_conflict|too_late)$/);
      const [post] = (await review.read()).posts;
      // The edit came after what was decided about, or instead.
      assert.notEqual(post?.decision?.state, "approved");
      if (decision === "ok") assert.equal(post?.accounts[0]?.before?.text, shown?.text);
      assert.equal(await getState(id), "proposed");
    }
    if (isLongRun && fixture.engine === "postgres") assert.equal(outcomes.size, 2, [...outcomes].join());
  });

  test("a link that ends keeps the hold; only its maker, owners and admins withdraw it (HOLD-3)", async () => {
    const { owner, service } = publishing;
    const postId = await publishing.newPost("Ended");
    const maker = await newMember(service.deps, owner, "member");
    const link = await shareForReview(service.deps, maker, { postIds: [postId], ...holds, expiresInDays: 1 });
    const request = () => post(`/posts/${postId}/publications`, { connectionIds: first(), at: inOneHour() });
    await removeMember(service.deps, owner, { userId: maker.user.id });
    fixture.clock.advance(days(2));
    assert.equal((await openReview(service.base, link).call("GET", "/session")).status, 410);
    assert.equal(await request(), "409 review_pending");
    assert.equal((await publishing.api("DELETE", `/review-links/${link.id}`)).status, 204);
    assert.equal(await request(), "ok");
  });
});
