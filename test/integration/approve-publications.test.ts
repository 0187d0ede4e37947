import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePost, approvePublication, unapprovePublication } from "#domain/publishing/approve-publications.ts";
import { getPublicationDetail } from "#domain/publishing/get-publication-detail.ts";
import type { Publication, PublicationView } from "#domain/model/publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { hours, seconds, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { oneSlot, startPublishing } from "../support/publishing-fixture.ts";
import { newMember } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forEachEngine("approving publications", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "lighthouse"], { clock: fixture.clock }));

  const getDeps = () => publishing.service.deps;
  const inOneHour = () => toIsoTime(fixture.clock() + hours(1));

  /** Creates a post that waits for approval for both accounts. */
  async function propose(body: string, at?: string): Promise<{ postId: string; proposals: PublicationView[] }> {
    const { owner, connectionIds } = publishing;
    const { id: postId } = await createPost(getDeps(), owner, { title: "Title", body });
    const request = { postId, connectionIds, propose: true, ...(at === undefined ? {} : { at }) };
    return { postId, proposals: (await publishPost(getDeps(), owner, request)).publications };
  }
  async function proposeToOne(body: string, at?: string): Promise<string> {
    return (await propose(body, at)).proposals[0]?.id ?? "";
  }
  async function find(publicationId: string): Promise<Publication> {
    const publication = await getDeps().publications.find(publishing.owner.studio.id, publicationId);
    assert.ok(publication);
    return publication;
  }
  const readStates = async (postId: string) => {
    const publications = await getDeps().publications.list(publishing.owner.studio.id, { postId, limit: 10 });
    return publications.map(({ state }) => state);
  };
  const countPosts = async (text: string) =>
    (await publishing.listSandboxPosts()).filter((post) => post.text === text).length;
  const toApproval = (proposals: readonly PublicationView[]) =>
    proposals.map(({ id, scheduledFor }) => ({ id, scheduledFor }));

  test("delays what would start at once, keeps its time unset, and leaves every other time alone (PUB-30)", async () => {
    const { owner, api } = publishing;
    const { publicationRuns, writes } = getDeps();
    const withoutTime = await proposeToOne("Without a time");
    const delayedTime = fixture.clock() + seconds(60);
    const { status, body } = await api("POST", `/publications/${withoutTime}/approve`, {
      revision: 1,
      scheduledFor: null,
      startInSeconds: 60,
    });
    assert.deepEqual([status, body["state"], body["scheduledFor"]], [200, "scheduled", null]);
    const { dueAt, nextRunAt, scheduledFor } = await find(withoutTime);
    assert.deepEqual([dueAt, nextRunAt, scheduledFor], [delayedTime, delayedTime, null]);
    const claim = { now: delayedTime - 1, leaseExpiresAt: delayedTime, slots: oneSlot };
    assert.equal(await publicationRuns.claimDue(claim), undefined, "not due before");

    const past = await proposeToOne("Its time has passed", inOneHour());
    const pastTime = fixture.clock() - 1000;
    await writes.publications.update(past, { scheduledFor: pastTime }, { states: ["proposed"] });
    await approvePublication(getDeps(), owner, { publicationId: past, revision: 1, startInSeconds: 60 });
    const late = await find(past);
    assert.equal(late.dueAt, delayedTime);
    assert.deepEqual([late.scheduledFor, late.approvedTime], [pastTime, pastTime]);

    const planned = await proposeToOne("Planned", inOneHour());
    await approvePublication(getDeps(), owner, { publicationId: planned, revision: 1, startInSeconds: 60 });
    const { dueAt: plannedDueAt, scheduledFor: plannedTime } = await find(planned);
    assert.equal(plannedDueAt, plannedTime);

    for (const startInSeconds of [-1, 61, 1.5, "10"]) {
      const rejected = await api("POST", `/publications/${withoutTime}/approve`, { revision: 1, startInSeconds });
      assert.equal(rejected.body["code"], "invalid_input", String(startInSeconds));
    }
  });

  test("publishes after the delay (PUB-30, PUB-7)", async () => {
    const publicationId = await proposeToOne("Delayed");
    const approval = { publicationId, revision: 1, startInSeconds: 1 };
    const startsAt = fixture.clock() + seconds(1);
    await approvePublication(getDeps(), publishing.owner, approval);
    await publishing.waitForState(publicationId, "published");
    assert.deepEqual([(await find(publicationId)).committedAt, await countPosts("Delayed")], [startsAt, 1]);
  });

  test("returns an approved publication to the proposals, and nothing is published until it is approved again (PUB-30)", async () => {
    const { owner, api, waitForState } = publishing;
    const publicationId = await proposeToOne("Undone");
    const approve = { publicationId, revision: 1, startInSeconds: 60 };
    await approvePublication(getDeps(), owner, approve);
    const { status, body } = await api("POST", `/publications/${publicationId}/unapprove`);
    assert.deepEqual([status, body["state"], body["approvedBy"]], [200, "proposed", null]);
    assert.equal(body["hasLostApproval"], undefined, "nothing changed after the approval");
    const { dueAt, nextRunAt, approvedTime } = await find(publicationId);
    assert.deepEqual([dueAt, nextRunAt, approvedTime], [null, null, null]);
    const { timeline, lastApproval } = await getPublicationDetail(getDeps(), owner, { publicationId });
    assert.deepEqual(
      timeline.map(({ action, user }) => [action, user?.id]),
      [
        ["publication.proposed", owner.user.id],
        ["publication.approved", owner.user.id],
        ["publication.unapproved", owner.user.id],
      ],
    );
    assert.equal(lastApproval, null);
    assert.equal((await api("POST", `/publications/${publicationId}/unapprove`)).body["code"], "too_late");

    await approvePublication(getDeps(), owner, { ...approve, startInSeconds: 0 });
    await waitForState(publicationId, "published");
    assert.equal((await api("POST", `/publications/${publicationId}/unapprove`)).body["code"], "too_late");
    assert.equal(await countPosts("Undone"), 1);
  });

  test("either a worker starts a publication or a user unapproves it, never both (PUB-30, B2)", async () => {
    const { owner } = publishing;
    const { publicationRuns, writes } = getDeps();
    for (let i = 0; i < 10; i++) {
      const publicationId = await proposeToOne(`Race ${i}`);
      await approvePublication(getDeps(), owner, { publicationId, revision: 1 });
      const now = await getDeps().publications.getTime();
      const [claimedPublication, outcome] = await Promise.all([
        publicationRuns.claimDue({ now, leaseExpiresAt: now + hours(1), slots: oneSlot }),
        getOutcome(() => unapprovePublication(getDeps(), owner, { publicationId })),
      ]);
      const { state } = await find(publicationId);
      const isClaimed = claimedPublication !== undefined;
      assert.deepEqual([state, outcome], isClaimed ? ["preparing", "too_late"] : ["proposed", "ok"]);
      const end = { state: "canceled", dueAt: null, nextRunAt: null, leaseExpiresAt: null } as const;
      await writes.publications.update(publicationId, end, { states: ["preparing", "proposed"] });
    }
  });

  test("only people who may approve can approve a post or unapprove a publication, in the web app (PUB-3, PUB-31)", async () => {
    const { owner } = publishing;
    const deps = getDeps();
    const member = await newMember(deps, owner, "member");
    const client: Caller = { ...(await actThroughClient(deps, owner)), scopes: ["studio:publish"] };
    const { postId, proposals } = await propose("Roles");
    const publicationId = proposals[0]?.id ?? "";
    const approval = { postId, revision: 1, publications: toApproval(proposals), startInSeconds: 60 };
    await deps.studios.update(owner.studio.id, { approval: "everyone" });
    for (const caller of [member, client])
      assert.equal(await getOutcome(() => approvePost(deps, caller, approval)), "forbidden");
    await approvePost(deps, owner, approval);
    for (const caller of [member, client])
      assert.equal(await getOutcome(() => unapprovePublication(deps, caller, { publicationId })), "forbidden");
    await deps.studios.update(owner.studio.id, { approval: "clients" });
    await unapprovePublication(deps, member, { publicationId });
    assert.deepEqual((await readStates(postId)).toSorted(), ["proposed", "scheduled"]);
  });

  test("approves the proposals of a post together, with one delay (PUB-31)", async () => {
    const { owner, api } = publishing;
    const { postId, proposals } = await propose("Together");
    const approval = { revision: 1, publications: toApproval(proposals), startInSeconds: 60 };
    const { status, body } = await api("POST", `/posts/${postId}/approve`, approval);
    assert.equal(status, 200, JSON.stringify(body));
    const views = body["publications"] as PublicationView[];
    assert.deepEqual(
      views.map(({ id, state, approvedBy }) => [id, state, approvedBy?.id]),
      proposals.map(({ id }) => [id, "scheduled", owner.user.id]),
    );
    const dueTimes = await Promise.all(proposals.map(async ({ id }) => (await find(id)).dueAt));
    assert.equal(new Set(dueTimes).size, 1);
  });

  test("approves no proposal of a post if one is too late, has another time, or the post another revision (PUB-31)", async () => {
    const { owner, api, connectionIds } = publishing;
    const deps = getDeps();
    const { postId, proposals } = await propose("All or none", inOneHour());
    const [first, second] = toApproval(proposals);
    assert.ok(first && second);
    const other = await propose("Another post", inOneHour());
    const approve = async (revision: number, publications: unknown[]) =>
      (await api("POST", `/posts/${postId}/approve`, { revision, publications })).body["code"];
    assert.equal(await approve(2, [first, second]), "revision_conflict");
    assert.equal(await approve(1, [first, { ...second, scheduledFor: null }]), "revision_conflict");
    assert.equal(await approve(1, [first, { ...second, scheduledFor: toIsoTime(0) }]), "revision_conflict");
    assert.equal(await approve(1, [first, ...toApproval(other.proposals)]), "not_found");
    assert.equal(await approve(1, [first, first]), "invalid_input");
    assert.equal(await approve(1, [first, { id: second.id }]), "invalid_input");
    assert.equal(await approve(1, []), "invalid_input");
    assert.deepEqual(await readStates(postId), ["proposed", "proposed"]);

    // One account gets a text that its platform rejects.
    const variants = [{ connectionId: connectionIds[1] ?? "", body: "y".repeat(281) }];
    await updatePost(deps, owner, { postId, variants });
    assert.equal(await approve(2, [first, second]), "not_publishable");
    await updatePost(deps, owner, { postId, variants: [] });
    await approvePublication(deps, owner, { publicationId: second.id, revision: 3 });
    assert.equal(await approve(3, [first, second]), "too_late");
    assert.equal((await find(first.id)).state, "proposed");
  });
});
