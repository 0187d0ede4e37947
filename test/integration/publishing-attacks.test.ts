import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { approvePost, approvePublication } from "#domain/publishing/approve-publications.ts";
import { cancelPublication, reschedulePublication, resolvePublication } from "#domain/publishing/change-publication.ts";
import { listPublications } from "#domain/publishing/list-publications.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import type { PublicationState } from "#domain/model/publication-states.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { forOneEngine } from "../support/engines.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { addConnections, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { createSandboxPlatforms } from "../support/sandbox-platforms.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

forOneEngine("attacks on publishing", (fixture) => {
  let publishing: PublishingFixture;
  let client: Awaited<ReturnType<typeof actThroughDrafter>>;
  let connectionId: string;
  /** Handles the next publish request instead of the platform, which does not receive it. */
  let respondToPublish: (() => Promise<Response>) | undefined;
  before(async () => {
    const base = await findFreeBaseUrl();
    const wrapFetch =
      (fetch: PublicFetch): PublicFetch =>
      async (url, request) => {
        const respond = /\/api\/records\//.test(url) ? respondToPublish : undefined;
        if (!respond) return fetch(url, request);
        respondToPublish = undefined;
        return respond();
      };
    const platforms = createSandboxPlatforms({ base, wrapFetch }).filter(({ platform }) => platform.id !== "sandbox");
    publishing = await startPublishing(fixture, ["harbour"], { base, platforms, clock: fixture.clock });
    [connectionId = ""] = await addConnections(publishing, "sandbox-keyed", 1);
    const { service, owner } = publishing;
    client = await actThroughDrafter(service.deps, owner);
  });
  after(() => publishing.close());

  const deps = () => publishing.service.deps;
  const inHours = (count: number) => toIsoTime(fixture.clock() + hours(count));
  async function schedule(body: string, at: string | undefined = inHours(1)): Promise<{ id: string; postId: string }> {
    const postId = await publishing.newPost(body);
    const { publications } = await publishPost(deps(), publishing.owner, { postId, connectionIds: [connectionId], at });
    return { id: publications[0]?.id ?? "", postId };
  }
  const setState = (id: string, state: PublicationState) =>
    fixture.database.q
      .updateTable("publications")
      .set({ state, dueAt: null, nextRunAt: null, leaseExpiresAt: null })
      .where("id", "=", id)
      .execute();
  const editAsClient = (postId: string, revision: number, body: string) =>
    updatePost(deps(), client, { postId, revision, body });
  const countPosts = async (text: string) =>
    (await publishing.listSandboxPosts()).filter((post) => post.text === text).length;

  for (const [name, edit] of Object.entries({
    "an owner's edit of something else": (postId: string) =>
      updatePost(deps(), publishing.owner, { postId, title: "Another title" }),
    "the client's own reversal": (postId: string) => restorePost(deps(), client, { postId, revision: 1 }),
  })) {
    test(`a client's edit of a missed or unconfirmed publication stays unapproved after ${name} (PUB-4, PUB-11, B2)`, async () => {
      const { owner } = publishing;
      const missed = await schedule(`Missed, ${name}`);
      await setState(missed.id, "missed");
      await editAsClient(missed.postId, 1, "Edited by the client");
      await edit(missed.postId);
      const rescheduled = await reschedulePublication(deps(), owner, { publicationId: missed.id, at: inHours(2) });
      assert.deepEqual([rescheduled.state, rescheduled.approvedBy], ["proposed", null]);

      const unconfirmed = await schedule(`Unconfirmed, ${name}`);
      await setState(unconfirmed.id, "unconfirmed");
      await editAsClient(unconfirmed.postId, 1, "Edited by the client");
      await edit(unconfirmed.postId);
      await fixture.database.q
        .updateTable("publications")
        .set({ scheduledFor: null })
        .where("id", "=", unconfirmed.id)
        .execute();
      await resolvePublication(deps(), owner, { publicationId: unconfirmed.id, outcome: "retry" });
      await publishing.waitForState(unconfirmed.id, "proposed");
      assert.equal(await countPosts("Edited by the client"), 0);
    });
  }

  test("after a rate limit, the next attempt sends an owner's edit, and a client's edit needs an approval (PUB-4, PUB-13)", async () => {
    for (const editor of ["owner", "client"] as const) {
      const { id, postId } = await schedule(`Limited, ${editor}`, toIsoTime(fixture.clock()));
      const body = `Edited by the ${editor} while it ran`;
      respondToPublish = async () => {
        if (editor === "owner") await updatePost(deps(), publishing.owner, { postId, body });
        else await editAsClient(postId, 1, body);
        return new Response("{}", { status: 429, headers: { "retry-after": "1" } });
      };
      await publishing.waitForState(id, editor === "owner" ? "published" : "proposed");
    }
    assert.deepEqual(
      [
        await countPosts("Limited, owner"),
        await countPosts("Edited by the owner while it ran"),
        await countPosts("Limited, client"),
        await countPosts("Edited by the client while it ran"),
      ],
      [0, 1, 0, 0],
    );
  });

  test("an approval is for the time that the approver saw (PUB-3, B1)", async () => {
    const postId = await publishing.newPost("Time");
    const later = inHours(5);
    const input = { postId, connectionIds: [connectionId], at: later };
    const [proposal] = (await publishPost(deps(), client, input)).publications;
    assert.ok(proposal);
    await reschedulePublication(deps(), client, { publicationId: proposal.id, at: toIsoTime(fixture.clock()) });
    const approve = (body: object) => publishing.api("POST", `/publications/${proposal.id}/approve`, body);
    const stale = await approve({ revision: 1, scheduledFor: later });
    assert.deepEqual([stale.status, stale.body["code"]], [409, "revision_conflict"]);
    assert.equal((await approve({ revision: 1, scheduledFor: "2030-01-01T00:00:00" })).status, 400);
    await reschedulePublication(deps(), client, { publicationId: proposal.id, at: later });
    const approved = await approve({ revision: 1, scheduledFor: later });
    assert.deepEqual(
      [approved.status, approved.body["state"], approved.body["scheduledFor"]],
      [200, "scheduled", later],
    );
  });

  test("a client's reschedule parallel to an approval always needs a new approval (PUB-3, PUB-10)", async () => {
    for (let round = 0; round < 5; round++) {
      const postId = await publishing.newPost(`Parallel ${round}`);
      const [early, late] = [inHours(2), inHours(4)];
      const input = { postId, connectionIds: [connectionId], at: early };
      const [proposal] = (await publishPost(deps(), client, input)).publications;
      const publicationId = proposal?.id ?? "";
      const [rescheduled, approved] = await Promise.all([
        reschedulePublication(deps(), client, { publicationId, at: late }),
        getOutcome(() =>
          approvePublication(deps(), publishing.owner, { publicationId, revision: 1, scheduledFor: early }),
        ),
      ]);
      const { state, scheduledFor } = await publishing.waitForState(publicationId, "proposed", "scheduled");
      // Whichever was first, the client's time needs an approval.
      assert.deepEqual([rescheduled.scheduledFor, state, scheduledFor], [late, "proposed", late], approved);
    }
  });

  // The paths of all routes are tested in api-guards.test.ts.
  test("ids of another studio in a body or a filter, and ids in upper case, are not found (T1, T2)", async () => {
    const { owner } = publishing;
    const { id: publicationId, postId } = await schedule("Own");
    const stranger = await newStudio(deps());
    const { id: strangerPostId } = await createPost(deps(), stranger, { title: "Title", body: "Stranger" });
    const variants = [{ connectionId, body: "Text" }];
    const publications = [{ id: publicationId, scheduledFor: null }];
    const invalidPublications = [{ id: "pub_\0", scheduledFor: null }];
    for (const attempt of [
      () => publishPost(deps(), stranger, { postId: strangerPostId, connectionIds: [connectionId] }),
      () => updatePost(deps(), stranger, { postId: strangerPostId, variants }),
      () => listPublications(deps(), stranger, { postId, limit: 10 }),
      () => approvePost(deps(), stranger, { postId: strangerPostId, revision: 1, publications }),
      () => approvePost(deps(), owner, { postId: strangerPostId, revision: 1, publications }),
      () => approvePost(deps(), owner, { postId, revision: 1, publications: invalidPublications }),
      () => cancelPublication(deps(), owner, { publicationId: publicationId.toUpperCase() }),
      () => publishPost(deps(), owner, { postId, connectionIds: [connectionId.toUpperCase()] }),
      () => publishPost(deps(), owner, { postId: postId.toUpperCase(), connectionIds: [connectionId] }),
    ])
      assert.equal(await getOutcome(attempt), "not_found", String(attempt));
    const { nextCursor } = await listPublications(deps(), owner, { limit: 1 });
    assert.ok(nextCursor);
    const withForeignCursor = () => listPublications(deps(), stranger, { limit: 1, cursor: nextCursor });
    assert.equal(await getOutcome(withForeignCursor), "invalid_input");
    await publishing.waitForState(publicationId, "scheduled");
  });

  test("resolving a publication as published accepts only a URL of the platform (PUB-15, B3)", async () => {
    const { id } = await schedule("Resolved");
    await setState(id, "unconfirmed");
    const resolve = (url: string) =>
      publishing.api("POST", `/publications/${id}/resolve`, { outcome: "published", url });
    for (const url of [
      "https://evil.example/1",
      "javascript:alert(1)",
      "https://localhost@evil.example/1",
      "https://localhost.evil.example/1",
      "https://evillocalhost/1",
      "ftp://localhost/1",
      "//localhost/1",
    ])
      assert.equal((await resolve(url)).body["code"], "invalid_input", url);
    const { body } = await publishing.api("GET", `/publications/${id}`);
    assert.equal(body["state"], "unconfirmed");
  });

  test("deleting the studio removes its publications, and nothing more is sent (T10)", async (t) => {
    const { id } = await schedule("Deleted with its studio", toIsoTime(fixture.clock()));
    await publishing.waitForState(id, "scheduled");
    await deleteStudio(deps(), publishing.owner, { name: publishing.owner.studio.name });
    const rows = await fixture.database.q.selectFrom("publications").select("id").execute();
    assert.deepEqual(rows, []);
    const findWork = t.mock.method(deps().publications, "findWork");
    publishing.service.startWorker();
    await waitUntil(() => findWork.mock.callCount() === 2);
    assert.equal(await countPosts("Deleted with its studio"), 0);
  });
});
