import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlatformSetups } from "#connectors/catalog.ts";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { reschedulePublication } from "#domain/publishing/change-publication.ts";
import { getPublicationDetail } from "#domain/publishing/get-publication-detail.ts";
import { listWebPublications } from "#domain/publishing/list-publications.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { newConnection, noIdentities } from "../support/platform-fixture.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { readPages } from "../support/read-pages.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember } from "../support/users.ts";

forEachEngine("publication details", (fixture) => {
  const publishing = startForSuite(() => {
    const noFetch = () => Promise.reject(new Error("this test has no network access"));
    const platforms = createPlatformSetups({}, noFetch, noIdentities);
    return startPublishing(fixture, ["harbour"], { platforms, clock: fixture.clock });
  });

  const request = async (postId: string, at?: string) => {
    const { owner, service, connectionIds } = publishing;
    const input = { postId, connectionIds, ...(at === undefined ? {} : { at }) };
    const { publications } = await publishPost(service.deps, owner, input);
    assert.ok(publications[0]);
    return publications[0].id;
  };
  const newProposer = () => actThroughDrafter(publishing.service.deps, publishing.owner);
  const inHours = (count: number) => toIsoTime(fixture.clock() + hours(count));
  const listBodies = async (postId: string) => {
    const { owner, service } = publishing;
    const { revisions } = await getPostHistory(service.deps, owner, { postId, limit: 20 });
    return revisions.map(({ revision, body }) => [revision, body]);
  };

  test("autosaves never replace a revision that was approved or published (HIST-2, PUB-4)", async () => {
    const { owner, service } = publishing;
    const save = (postId: string, body: string) => updatePost(service.deps, owner, { postId, body });
    const scheduledPost = await publishing.newPost("a");
    await save(scheduledPost, "b");
    await request(scheduledPost, inHours(1));
    await save(scheduledPost, "c");
    assert.deepEqual(await listBodies(scheduledPost), [
      [3, "c"],
      [2, "b"],
      [1, "a"],
    ]);

    const publishedPost = await publishing.newPost("d");
    await save(publishedPost, "e");
    const id = await request(publishedPost);
    await publishing.waitForState(id, "published");
    await save(publishedPost, "f");
    await save(publishedPost, "g");
    assert.deepEqual(await listBodies(publishedPost), [
      [4, "g"],
      [2, "e"],
      [1, "d"],
    ]);
  });

  test("a proposal whose approval became void names the revision and the time that were approved (PUB-4)", async () => {
    const { owner, service } = publishing;
    const { deps } = service;
    const proposer = await newProposer();
    const postId = await publishing.newPost("Approved");
    const approvedTime = inHours(1);
    const id = await request(postId, approvedTime);
    const read = () => getPublicationDetail(deps, owner, { publicationId: id });
    await updatePost(deps, owner, { postId, body: "Approved, edited" });
    await updatePost(deps, proposer, { postId, body: "Changed", revision: 2 });
    await reschedulePublication(deps, proposer, { publicationId: id, at: inHours(2) });
    const { state, revision, lastApproval } = await read();
    assert.deepEqual([state, revision, lastApproval], ["proposed", 3, { revision: 1, scheduledFor: approvedTime }]);
    const { publications = [] } = await getPost(deps, owner, { postId });
    assert.deepEqual(
      publications.map(({ hasLostApproval }) => hasLostApproval),
      [true],
    );

    // Compared with what a person approved, also if a user who may publish edited the post since then.
    await approvePublication(deps, owner, { publicationId: id, revision: 3 });
    await updatePost(deps, owner, { postId, body: "Edited, not reviewed" });
    await updatePost(deps, proposer, { postId, body: "Changed again", revision: 4 });
    const { state: stateAfterEdits, lastApproval: explicitApproval } = await read();
    assert.deepEqual([stateAfterEdits, explicitApproval?.revision], ["proposed", 3]);

    const proposal = await publishPost(deps, proposer, {
      postId: await publishing.newPost("Never approved"),
      connectionIds: publishing.connectionIds,
    });
    const publicationId = proposal.publications[0]?.id ?? "";
    assert.ok(!("hasLostApproval" in (proposal.publications[0] ?? {})));
    assert.equal((await getPublicationDetail(deps, owner, { publicationId })).lastApproval, null);
  });

  test("a member sees the whole timeline of a publication, oldest first, and what was sent (PUB-17)", async () => {
    const { owner, service } = publishing;
    const { deps } = service;
    const postId = await publishing.newPost("Timeline");
    await publishing.setFaults({ unavailableNext: 1 });
    const id = await request(postId);
    await publishing.waitForState(id, "published");
    for (let i = 0; i < 60; i++) await updatePost(deps, owner, { postId, status: i % 2 ? "draft" : "ready" });
    const member = await newMember(deps, owner, "member");
    const { timeline, sent } = await getPublicationDetail(deps, member, { publicationId: id });
    assert.deepEqual(
      timeline.map(({ action, user }) => [action, user?.id]),
      [
        ["publication.scheduled", owner.user.id],
        ["publication.started", undefined],
        ["publication.committed", undefined],
        ["publication.published", undefined],
      ],
    );
    assert.deepEqual(sent, { title: null, text: "Timeline", assets: [] });
    const { activity } = await listActivity(deps, owner, { action: "publication.published", limit: 10 });
    assert.equal(activity.find(({ subjectId }) => subjectId === id)?.subjectName, "Title");
  });

  test("reports whether a newer publication has superseded another (PUB-1)", async () => {
    const [postId, otherPostId] = [await publishing.newPost("Twice"), await publishing.newPost("Once")];
    const isSuperseded = async (id: string) =>
      (await publishing.api("GET", `/publications/${id}`)).body["isSuperseded"];
    const firstId = await request(postId, inHours(1));
    await publishing.api("POST", `/publications/${firstId}/cancel`);
    await request(otherPostId, inHours(1));
    assert.equal(await isSuperseded(firstId), false);
    const secondId = await request(postId, inHours(1));
    assert.deepEqual([await isSuperseded(firstId), await isSuperseded(secondId)], [true, false]);
    const { body } = await publishing.api("GET", `/publications?postId=${postId}&state=canceled`);
    const publications = body["publications"] as { id: string; isSuperseded: boolean }[];
    assert.deepEqual(
      publications.map((publication) => [publication.id, publication.isSuperseded]),
      [[firstId, true]],
    );
    const listIds = async (query: string) => {
      const response = await publishing.api("GET", `/publications?postId=${postId}&${query}`);
      return (response.body["publications"] as { id: string }[]).map(({ id }) => id);
    };
    assert.deepEqual(await listIds("latest=false"), [secondId, firstId]);
    assert.deepEqual(await listIds("latest=true"), [secondId]);
    assert.deepEqual(await listIds("latest=true&state=canceled"), []);
  });

  test("a publication in the web app has the title of its post, or null while the post is in the trash (PUB-1)", async () => {
    const { owner, service } = publishing;
    const { deps } = service;
    const postId = await publishing.newPost("a");
    const proposer = await newProposer();
    const { publications } = await publishPost(deps, proposer, { postId, connectionIds: publishing.connectionIds });
    const readTitles = async () => {
      const { publications: listed } = await listWebPublications(deps, owner, { postId, limit: 1 });
      const detail = await getPublicationDetail(deps, owner, { publicationId: publications[0]?.id ?? "" });
      return [listed[0]?.postTitle, detail.postTitle];
    };
    assert.deepEqual(await readTitles(), ["Title", "Title"]);
    await deletePost(deps, owner, { postId });
    assert.deepEqual(await readTitles(), [null, null]);
  });

  test("the order stays the same across pages: newest first, or by scheduled time (PUB-1)", async () => {
    const { owner, service, connectionIds } = publishing;
    const [early, late] = [inHours(2), inHours(3)];
    const newIds: string[] = [];
    for (const at of [late, early, undefined, late, early, undefined]) {
      const input = { postId: await publishing.newPost("Ordered"), connectionIds, propose: true, ...(at && { at }) };
      newIds.push(...(await publishPost(service.deps, owner, input)).publications.map(({ id }) => id));
    }
    const readPage = (query: string, cursor?: string) =>
      publishing.api(
        "GET",
        `/publications?state=proposed&limit=2${query}${cursor === undefined ? "" : `&cursor=${cursor}`}`,
      );
    interface Page {
      publications: { id: string }[];
      nextCursor: string | null;
    }
    const readAll = async (query: string) => {
      const pages = await readPages(async (cursor) => (await readPage(query, cursor)).body as unknown as Page);
      const ids = pages.flatMap(({ publications }) => publications.map(({ id }) => id));
      assert.equal(ids.length, new Set(ids).size, "no publication is listed twice");
      return ids.filter((id) => newIds.includes(id)).map((id) => newIds.indexOf(id));
    };
    assert.deepEqual(await readAll(""), [5, 4, 3, 2, 1, 0]);
    assert.deepEqual(await readAll("&order=soonest"), [2, 5, 1, 4, 0, 3]);
    const { body } = await readPage("&order=soonest");
    assert.equal((await readPage("", body["nextCursor"] as string)).status, 400, "a cursor belongs to one order");
  });

  test("every platform can be published to; an error names the account of one that this version does not know, and nothing is published to the others (PUB-5)", async () => {
    const { owner, service, connectionIds } = publishing;
    const unknown = await newConnection(service.deps, owner, "north-studio", "gone");
    const { body } = await publishing.api("GET", "/platforms");
    const platforms = body["platforms"] as { id: string; canPublish: boolean }[];
    assert.ok(platforms.length > 10 && platforms.every(({ canPublish }) => canPublish));
    const postId = await publishing.newPost("Nowhere");
    const rejection = await publishing.api("POST", `/posts/${postId}/publications`, {
      connectionIds: [...connectionIds, unknown],
    });
    const message = "Publishing to gone (north-studio) is not available yet.";
    assert.deepEqual(
      [rejection.status, rejection.body["code"], rejection.body["problems"]],
      [409, "not_publishable", [{ connectionId: unknown, problems: [{ code: "unsupported", message }] }]],
    );
    assert.deepEqual((await getPost(service.deps, owner, { postId })).publications, []);
  });
});
