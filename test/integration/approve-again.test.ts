import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";
import { detachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { reschedulePublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { undoClientChanges, undoOwnChanges, undoUndo } from "#domain/undo/undo-changes.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { createTestClock } from "../support/clock.ts";
import { forEachEngine, type TestDeps } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { addImage, startPublishing } from "../support/publishing-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const fixtureStart = createTestClock()();

forEachEngine("approving publications again after undo and restore", (fixture) => {
  const monday = toIsoTime(fixtureStart + hours(72));
  const oneHourAgo = toIsoTime(fixtureStart - hours(1));
  const publishing = startForSuite(() => startPublishing(fixture, [], { clock: fixture.clock }));
  let deps: TestDeps;
  let owner: Caller;
  let connectionIds: string[];
  let clientCount = 0;
  before(async () => {
    ({ owner } = publishing);
    ({ deps } = publishing.service);
    connectionIds = [
      await newConnection(deps, owner, "harbour", "sandbox"),
      await newConnection(deps, owner, "quay", "sandbox"),
    ];
  });
  afterEach(async () => {
    await fixture.database.q.deleteFrom("publications").execute();
    await updateStudio(deps, owner, { approval: "clients" });
  });

  /** An AI client that acts for the user; it may not publish unless `canPublish`. */
  async function addClient(user: Caller, { canPublish = false } = {}) {
    const scopes = ["studio:read", "studio:write", ...(canPublish ? ["studio:publish" as const] : [])] as const;
    return { ...(await actThroughClient(deps, user, `Client ${++clientCount}`)), scopes };
  }

  /** A post that the owner scheduled for two accounts; the client then changed its text. */
  async function startScenario({ isEdited = true } = {}) {
    const client = await addClient(owner);
    const { id: postId } = await createPost(deps, owner, { title: "Monday", body: "Text" });
    await addImage(publishing, postId, "A vase");
    const scheduled = await publishPost(deps, owner, { postId, connectionIds, at: monday });
    const [first = "", second = ""] = scheduled.publications.map(({ id }) => id);
    const { revision, assets } = await getPost(deps, owner, { postId });
    if (isEdited) await updatePost(deps, client, { postId, body: "Changed", tags: ["new"], revision });
    return { client, postId, revision, assetId: assets[0]?.id ?? "", first, second };
  }
  type Scenario = Awaited<ReturnType<typeof startScenario>>;

  const readStates = async ({ postId }: Scenario): Promise<string[]> => {
    const { publications = [] } = await getPost(deps, owner, { postId });
    return publications.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ state }) => state);
  };
  const toIds = (publications: unknown) => (publications as { id: string }[]).map(({ id }) => id);
  const undo = ({ client }: Scenario, body: Record<string, unknown> = {}) =>
    publishing.api("POST", `/clients/${client.grantId}/undo`, { since: oneHourAgo, ...body });
  const restore = ({ postId, revision }: Scenario, body: Record<string, unknown> = {}) =>
    publishing.api("POST", `/posts/${postId}/restore`, { revision, ...body });
  /** The ids that a dry run of the undo and the preview of the restore list: both must agree. */
  const listApprovable = async (scenario: Scenario): Promise<string[]> => {
    const undoPreview = await undo(scenario, { dryRun: true });
    const restorePreview = await restore(scenario, { dryRun: true });
    assert.deepEqual([undoPreview.status, restorePreview.status], [200, 200]);
    assert.deepEqual(toIds(undoPreview.body["approvable"]), toIds(restorePreview.body["approvable"]));
    assert.deepEqual(toIds(undoPreview.body["waiting"]), toIds(restorePreview.body["waiting"]));
    return toIds(undoPreview.body["approvable"]);
  };

  test("an undo by a person approves again, in their name, exactly the publications that the request names (UNDO-10)", async () => {
    const scenario = await startScenario();
    const { first, second } = scenario;
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
    const preview = await undo(scenario, { dryRun: true, approve: [first] });
    assert.deepEqual(
      (preview.body["approvable"] as { id: string; account: string; scheduledFor: string }[]).map(
        ({ id, account, scheduledFor }) => [id, account, scheduledFor],
      ),
      [
        [first, "harbour", monday],
        [second, "quay", monday],
      ],
    );
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"], "a dry run changes nothing");

    const { status, body } = await undo(scenario, { approve: [first] });
    assert.deepEqual([status, toIds(body["approved"]), toIds(body["waiting"])], [200, [first], [second]]);
    assert.deepEqual(await readStates(scenario), ["scheduled", "proposed"]);
    const { revision } = await getPost(deps, owner, { postId: scenario.postId });
    const publication = await deps.publications.find(owner.studio.id, first);
    const { approvedBy, approvedRevision, dueAt, voidedDigest } = publication ?? {};
    assert.deepEqual(
      [approvedBy, approvedRevision, dueAt, voidedDigest],
      [owner.user.id, revision, Date.parse(monday), null],
    );
  });

  test("a restore by a person approves again exactly the publications that the request names (UNDO-10)", async () => {
    const scenario = await startScenario();
    const { first, second } = scenario;
    assert.deepEqual(await listApprovable(scenario), [first, second]);
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"], "a preview changes nothing");
    const { status, body } = await restore(scenario, { approve: [second] });
    assert.equal(status, 200);
    assert.equal(body["body"], "Text");
    assert.deepEqual(await readStates(scenario), ["proposed", "scheduled"]);
  });

  test("without approve, an undo or restore approves nothing (UNDO-10)", async () => {
    const scenario = await startScenario();
    const { body } = await undo(scenario);
    assert.deepEqual([body["approved"], toIds(body["waiting"])], [[], [scenario.first, scenario.second]]);
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
    await restore(scenario);
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
  });

  test("a client never approves, whichever verb it calls, and the tools take no approve (UNDO-10, B1)", async () => {
    const scenario = await startScenario();
    const { client, first, postId, revision } = scenario;
    const publishingClient: Caller = { ...client, scopes: ["studio:read", "studio:write", "studio:publish"] };
    for (const caller of [client, publishingClient]) {
      const result = await restorePost(deps, caller, { postId, revision, approve: [first] });
      assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
      await updatePost(deps, client, { postId, body: "Changed", revision: result.revision });
      const input = { since: oneHourAgo, grantId: client.grantId, approve: [first] };
      const preview = await undoClientChanges(deps, caller, { ...input, dryRun: true });
      assert.deepEqual([preview.approvable, toIds(preview.waiting)], [[], [first, scenario.second]]);
      const report = await undoOwnChanges(deps, caller, input);
      assert.deepEqual(Object.keys(report).toSorted(), ["conflicts", "publications", "undone"]);
      assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
      const current = await getPost(deps, client, { postId });
      await updatePost(deps, client, { postId, body: "Changed", revision: current.revision });
    }
  });

  test("a member approves again under the rule clients, and not under the rule everyone (UNDO-10)", async () => {
    const scenario = await startScenario({ isEdited: false });
    const { first, postId, revision } = scenario;
    const member = await newMember(deps, owner, "member");
    const client = await addClient(member);
    const undoAsMember = (dryRun: boolean) =>
      undoClientChanges(deps, member, { since: oneHourAgo, grantId: client.grantId, dryRun, approve: [first] });
    const edited = await updatePost(deps, client, { postId, body: "Changed", revision });
    await updateStudio(deps, owner, { approval: "everyone" });
    assert.deepEqual((await undoAsMember(true)).approvable, []);
    assert.deepEqual((await undoAsMember(false)).approved, []);
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
    await updateStudio(deps, owner, { approval: "clients" });
    await updatePost(deps, client, { postId, body: "Changed", revision: edited.revision + 1 });
    assert.equal((await undoAsMember(true)).approvable.length, 2);
    assert.deepEqual(toIds((await undoAsMember(false)).approved), [first]);
  });

  test("a demotion between the preview and the undo ends the right to approve (UNDO-10)", async () => {
    const scenario = await startScenario();
    const { client, first } = scenario;
    const admin = await newMember(deps, owner, "admin");
    await updateStudio(deps, owner, { approval: "everyone" });
    const input = { since: oneHourAgo, grantId: client.grantId, approve: [first] };
    assert.equal((await undoClientChanges(deps, admin, { ...input, dryRun: true })).approvable.length, 2);
    await deps.memberships.changeRole(owner.studio.id, admin.user.id, "admin", "member");
    assert.equal(
      await getOutcome(undoClientChanges(deps, admin, input)),
      "forbidden",
      "the call resolved its role before",
    );
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
  });

  const differences: [what: string, change: (scenario: Scenario) => Promise<unknown>][] = [
    ["the text", ({ postId }) => updatePost(deps, owner, { postId, body: "Text." })],
    ["an alt text", ({ assetId }) => updateAsset(deps, owner, { assetId, altText: "A blue vase" })],
    [
      "the text of one account",
      ({ postId }) =>
        updatePost(deps, owner, {
          postId,
          variants: connectionIds.map((connectionId) => ({ connectionId, body: "Own text" })),
        }),
    ],
    ["the files", ({ postId }) => addImage(publishing, postId, "Another")],
  ];
  for (const [what, change] of differences)
    test(`publications are not approved again if someone else has changed ${what} since (UNDO-10, B2)`, async () => {
      const scenario = await startScenario();
      const { first, second } = scenario;
      await change(scenario);
      const preview = await undo(scenario, { dryRun: true });
      assert.deepEqual([preview.body["approvable"], toIds(preview.body["waiting"])], [[], [first, second]]);
      const { body } = await undo(scenario, { approve: [first, second] });
      assert.deepEqual(body["approved"], []);
      assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
    });

  test("an alt text, a detached file and an order that the undo reverts are part of what it compares (UNDO-10)", async () => {
    const scenario = await startScenario({ isEdited: false });
    const { client, postId, assetId, first, second } = scenario;
    await addImage(publishing, postId, "Second image");
    const { assets, revision } = await getPost(deps, owner, { postId });
    await updateAsset(deps, client, { assetId, altText: "Changed" });
    const assetIds = assets.map(({ id }) => id).toReversed();
    await updatePost(deps, client, { postId, assetIds });
    await detachAsset(deps, client, { postId, assetId });
    const changedScenario = { ...scenario, revision };
    assert.deepEqual(await listApprovable(changedScenario), [first, second]);
    const { body } = await undo(scenario, { approve: [first, second] });
    assert.deepEqual(toIds(body["approved"]), [first, second]);
    assert.deepEqual(await readStates(scenario), ["scheduled", "scheduled"]);
  });

  test("a publication whose time has passed is not approved again (UNDO-10)", async () => {
    const scenario = await startScenario();
    const { first, second } = scenario;
    // Stored directly: a reschedule would be another reason to wait for approval.
    const change = { scheduledFor: fixtureStart - 1 };
    assert.ok(await deps.writes.publications.update(first, change, { states: ["proposed"] }));
    assert.deepEqual(await listApprovable(scenario), [second]);
    const { body } = await undo(scenario, { approve: [first, second] });
    assert.deepEqual([toIds(body["approved"]), toIds(body["waiting"])], [[second], [first]]);
  });

  test("a publication that waits for another reason is not approved again (UNDO-10)", async () => {
    const scenario = await startScenario();
    const { client, postId, first, second } = scenario;
    // Rescheduled to the same time: the time is as approved, but someone has changed the publication since.
    await reschedulePublication(deps, client, { publicationId: first, at: monday });
    // Approved with the client's text, and then rescheduled by the client.
    const { revision } = await getPost(deps, owner, { postId });
    await approvePublication(deps, owner, { publicationId: second, revision });
    await reschedulePublication(deps, client, { publicationId: second, at: monday });
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
    assert.deepEqual(await listApprovable(scenario), []);
    const { body } = await undo(scenario, { approve: [first, second] });
    assert.deepEqual(body["approved"], []);
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
  });

  test("a change that did not return the publication does not approve it when it is undone (UNDO-10)", async () => {
    const scenario = await startScenario({ isEdited: false });
    const { client, postId, revision, first } = scenario;
    const other = await addClient(owner);
    const third = await addClient(owner);
    await updatePost(deps, other, { postId, body: "By the other client", revision });
    await updatePost(deps, client, { postId, body: "Text", revision: revision + 1 });
    await updatePost(deps, third, { postId, tags: ["new"] });
    const input = { since: oneHourAgo, grantId: third.grantId, approve: [first] };
    assert.deepEqual((await undoClientChanges(deps, owner, { ...input, dryRun: true })).approvable, []);
    assert.deepEqual((await undoClientChanges(deps, owner, input)).approved, []);
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
    // The same content, in a revision after the one that returned the publications.
    const preview = await restore({ ...scenario, revision: revision + 2 }, { dryRun: true });
    assert.deepEqual(preview.body["approvable"], []);
  });

  test("a publication that no person approved is not approved again (UNDO-10)", async () => {
    const scenario = await startScenario({ isEdited: false });
    const { client } = scenario;
    const { id: postId } = await createPost(deps, owner, { title: "Tuesday", body: "Text" });
    const publishingClient = await addClient(owner, { canPublish: true });
    const { publications } = await publishPost(deps, publishingClient, { postId, connectionIds, at: monday });
    assert.deepEqual(new Set(publications.map(({ state }) => state)), new Set(["scheduled"]));
    await updatePost(deps, client, { postId, body: "Changed", revision: 1 });
    assert.deepEqual(await listApprovable({ ...scenario, postId, revision: 1 }), []);
    await undo(scenario, { approve: publications.map(({ id }) => id) });
    assert.deepEqual(await readStates({ ...scenario, postId }), ["proposed", "proposed"]);
  });

  test("a publication that the undo cancels is neither approvable nor waiting (UNDO-9, UNDO-10)", async () => {
    const scenario = await startScenario({ isEdited: false });
    const { client } = scenario;
    const { id: postId } = await createPost(deps, owner, { title: "Tuesday", body: "Text" });
    const { publications } = await publishPost(deps, client, { postId, connectionIds, at: monday });
    for (const { id } of publications) await approvePublication(deps, owner, { publicationId: id, revision: 1 });
    await updatePost(deps, client, { postId, body: "Changed", revision: 1 });
    const ids = publications.map(({ id }) => id);
    for (const dryRun of [true, false]) {
      const { body } = await undo(scenario, { dryRun, approve: ids });
      assert.deepEqual([body["approvable"], body["approved"], body["waiting"]], [[], [], []]);
    }
    assert.deepEqual(await readStates({ ...scenario, postId }), ["canceled", "canceled"]);
  });

  test("an undo of an undo approves again what the undo returned (UNDO-1, UNDO-10)", async () => {
    const scenario = await startScenario({ isEdited: false });
    const { postId, revision, first, second } = scenario;
    const member = await newMember(deps, owner, "member");
    const client = await addClient(member, { canPublish: true });
    await updatePost(deps, client, { postId, body: "Improved", revision });
    assert.deepEqual(await readStates(scenario), ["scheduled", "scheduled"]);
    await updateStudio(deps, owner, { approval: "everyone" });
    const undone = await undoClientChanges(deps, member, { since: oneHourAgo, grantId: client.grantId });
    assert.deepEqual(toIds(undone.waiting), [first, second], "the member's undo itself returned them");
    const undoId = undone.undoId ?? "";
    assert.deepEqual(toIds((await undoUndo(deps, owner, { undoId, dryRun: true })).approvable), [first, second]);
    const reapplied = await undoUndo(deps, owner, { undoId, approve: [second] });
    assert.deepEqual([toIds(reapplied.approved), toIds(reapplied.waiting)], [[second], [first]]);
    assert.equal((await getPost(deps, owner, { postId })).body, "Improved");
  });

  test("an edit between the undo and the approval keeps the publication waiting (UNDO-10, B2)", async () => {
    const scenario = await startScenario();
    const { client, postId, first } = scenario;
    const publications = {
      ...deps.publications,
      listVoided: async (...args: Parameters<typeof deps.publications.listVoided>) => {
        const voidedPublications = await deps.publications.listVoided(...args);
        const { revision } = await getPost(deps, client, { postId });
        await updatePost(deps, client, { postId, body: "Changed meanwhile", revision });
        return voidedPublications;
      },
    };
    const input = { since: oneHourAgo, grantId: client.grantId, approve: [first] };
    assert.deepEqual((await undoClientChanges({ ...deps, publications }, owner, input)).approved, []);
    assert.deepEqual(await readStates(scenario), ["proposed", "proposed"]);
  });

  test("a cancellation in parallel with an undo is never lost (UNDO-10)", async () => {
    const scenario = await startScenario();
    const { first, second } = scenario;
    const [undone, canceled] = await Promise.all([
      undo(scenario, { approve: [first, second] }),
      publishing.api("POST", `/publications/${first}/cancel`),
    ]);
    assert.deepEqual([undone.status, canceled.status], [200, 200]);
    assert.deepEqual(await readStates(scenario), ["canceled", "scheduled"]);
  });
});
