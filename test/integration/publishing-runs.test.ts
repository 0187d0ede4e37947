import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { revokeClient } from "#domain/access/clients.ts";
import type { Caller } from "#domain/caller.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { cancelPublication, reschedulePublication, resolvePublication } from "#domain/publishing/change-publication.ts";
import { runPublication } from "#domain/jobs/publishing/run-publication.ts";
import { publishPost, type publishPostInput } from "#domain/publishing/publish-post.ts";
import { unscheduledColumns } from "#domain/model/publish-time.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { removeMember } from "#domain/studios/members.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { hours, minutes, seconds, toIsoTime } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import type { z } from "zod";
import { forOneEngine, type TestDeps } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { callModern } from "../support/mcp.ts";
import { getOutcome } from "../support/outcome.ts";
import { addConnections, oneSlot, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { createSandboxPlatforms, sandboxPlatformIds, type SandboxPlatformId } from "../support/sandbox-platforms.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { createTestGrant } from "../support/tokens.ts";
import { newMember } from "../support/users.ts";

forOneEngine("runs of publications", (fixture) => {
  let publishing: PublishingFixture;
  const connections = {} as Record<SandboxPlatformId, string>;
  /**
   * Each function responds to one of the next publish requests, in order. The platform receives the request only if the
   * function calls `send`.
   */
  let nextResponses: ((send: () => Promise<Response>) => Promise<Response>)[] = [];
  let publishRequests = 0;

  const scriptFetch =
    (fetch: PublicFetch): PublicFetch =>
    async (url, request) => {
      const isPublish = request?.method === "POST" && /\/api\/(posts|records|publish)/.test(url);
      if (!isPublish) return fetch(url, request);
      publishRequests++;
      const respond = nextResponses.shift();
      return respond ? respond(() => fetch(url, request)) : fetch(url, request);
    };

  before(async () => {
    const base = await findFreeBaseUrl();
    const platforms = createSandboxPlatforms({ base, wrapFetch: scriptFetch });
    publishing = await startPublishing(fixture, ["harbour"], {
      base,
      clock: fixture.clock,
      platforms: platforms.filter(({ platform }) => platform.id !== "sandbox"),
    });
    for (const platformId of sandboxPlatformIds)
      connections[platformId] = (await addConnections(publishing, platformId, 1))[0] ?? "";
    // Only this connection has its own refresh token.
    connections.sandbox = publishing.connectionIds[0] ?? "";
  });
  after(() => publishing.close());

  async function publish(
    platformId: SandboxPlatformId,
    body: string,
    options: { caller?: Caller } & Partial<z.infer<typeof publishPostInput>> = {},
  ): Promise<PublicationView & { postId: string }> {
    const { service, owner } = publishing;
    const { caller = owner, ...input } = options;
    const { id: postId } = await createPost(service.deps, owner, { title: "Title", body });
    const request = { postId, connectionIds: [connections[platformId]], ...input };
    const [publication] = (await publishPost(service.deps, caller, request)).publications;
    assert.ok(publication);
    return publication;
  }
  const countPosts = async (text: string) =>
    (await publishing.listSandboxPosts()).filter((post) => post.text === text).length;
  const respondWith =
    (status: number, headers: Record<string, string> = {}) =>
    async () =>
      new Response("{}", { status, headers });
  const sendAndLose = async (send: () => Promise<Response>) => {
    await send();
    throw new Error("the response was lost");
  };
  const inOneHour = () => toIsoTime(fixture.clock() + hours(1));
  for (const platformId of sandboxPlatformIds.filter((name) => name !== "sandbox")) {
    test(`${platformId}: a publication whose response is lost becomes published, with one post (PUB-2)`, async () => {
      nextResponses = [sendAndLose];
      const { id } = await publish(platformId, `Lost ${platformId}`);
      await publishing.waitForState(id, "published");
      assert.equal(await countPosts(`Lost ${platformId}`), 1);
    });
  }

  test("after a lost response, a rate limit or an outage does not lead to a second post (PUB-2)", async () => {
    nextResponses = [sendAndLose, respondWith(429, { "retry-after": "1" }), respondWith(503), respondWith(500)];
    const { id } = await publish("sandbox-keyed", "Lost, then limited");
    await publishing.waitForState(id, "published");
    assert.equal(await countPosts("Lost, then limited"), 1);
  });

  test("a rejected repetition of a commit whose response is lost leaves the publication unconfirmed (PUB-2)", async () => {
    nextResponses = [sendAndLose, respondWith(403)];
    const { id } = await publish("sandbox-keyed", "Lost, then rejected");
    const { problem } = await publishing.waitForState(id, "unconfirmed", "failed");
    assert.equal(problem?.code, "unconfirmed");
    assert.match(problem.message, /rejected the post \(status 403\)\. Check the account/);
    assert.equal(await countPosts("Lost, then rejected"), 1);
  });

  test("a commit whose key the platform no longer recognizes is not repeated and renews no token (PUB-2)", async () => {
    const { deps } = publishing.service;
    const [connectionId = ""] = await addConnections(publishing, "sandbox-keyed", 1);
    const findConnection = () => deps.platformStore.find(publishing.owner.studio.id, connectionId);
    const requestsBefore = publishRequests;
    const connectionBefore = await findConnection();
    nextResponses = [
      sendAndLose,
      async () => {
        fixture.clock.advance(hours(24));
        return new Response("{}", { status: 503 });
      },
    ];
    const { id } = await publish("sandbox-keyed", "Key expired", { connectionIds: [connectionId] });
    await publishing.waitForState(id, "unconfirmed");
    assert.equal(publishRequests - requestsBefore, 2);
    assert.deepEqual(await findConnection(), connectionBefore);
    assert.equal(await countPosts("Key expired"), 1);
  });

  test("publishes a container again only after the platform reports that it is not public (PUB-2)", async () => {
    nextResponses = [respondWith(503), respondWith(502)];
    const { id } = await publish("sandbox-container", "Container");
    await publishing.waitForState(id, "published");
    assert.equal(await countPosts("Container"), 1);
  });

  test("with read-back only, does not repeat a request that failed in an outage, and a person resolves it (PUB-2, PUB-15)", async () => {
    const { service, owner } = publishing;
    const requestsBefore = publishRequests;
    nextResponses = [respondWith(503), respondWith(503)];
    const otherConnectionIds = await addConnections(publishing, "sandbox-read-back", 1);
    const [first, second] = [
      await publish("sandbox-read-back", "Unconfirmed 1"),
      await publish("sandbox-read-back", "Unconfirmed 2", { connectionIds: otherConnectionIds }),
    ];
    for (const { id } of [first, second]) await publishing.waitForState(id, "unconfirmed");
    assert.equal(publishRequests - requestsBefore, 2);
    assert.equal(
      await getOutcome(() => updatePost(service.deps, owner, { postId: first.postId, status: "archived" })),
      "post_in_use",
    );
    const resolve = (id: string, body: object) => publishing.api("POST", `/publications/${id}/resolve`, body);
    const url = `${service.base}/sandbox/posts/1`;
    const published = await resolve(first.id, { outcome: "published", url });
    assert.deepEqual([published.status, published.body["state"], published.body["url"]], [200, "published", url]);
    assert.equal((await resolve(first.id, { outcome: "retry" })).body["code"], "too_late");
    const again = await resolve(second.id, { outcome: "retry" });
    assert.deepEqual([again.status, again.body["state"]], [200, "scheduled"]);
    await publishing.waitForState(second.id, "published");
    assert.deepEqual([await countPosts("Unconfirmed 1"), await countPosts("Unconfirmed 2")], [0, 1]);
  });

  test("a run that follows an unconfirmed commit looks for the post, even if the platform would reject it now (PUB-2, PUB-15)", async () => {
    const { deps } = publishing.service;
    const [connectionId = ""] = await addConnections(publishing, "sandbox-container", 1);
    const requestsBefore = publishRequests;
    nextResponses = [
      async (send) => {
        await send();
        return new Response("{}", { status: 429, headers: { "retry-after": "3000" } });
      },
    ];
    const { id } = await publish("sandbox-container", "Public all along", { connectionIds: [connectionId] });
    await publishing.run(id);
    const content = { title: null, text: "Public all along", assets: [] };
    const change = { ...unscheduledColumns, state: "unconfirmed", content } as const;
    await deps.writes.publications.update(id, change, { states: ["scheduled"] });
    await fixture.database.q
      .updateTable("platformConnections")
      .set({ limits: { maxCharacters: 5 } })
      .where("id", "=", connectionId)
      .execute();
    await resolvePublication(deps, publishing.owner, { publicationId: id, outcome: "retry" });
    await publishing.waitForState(id, "published");
    assert.deepEqual([publishRequests - requestsBefore, await countPosts("Public all along")], [1, 1]);
  });

  test("a crash after an earlier commit turns out to have failed does not publish what was sent before an edit (PUB-2, PUB-4)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const [connectionId = ""] = await addConnections(publishing, "sandbox-container", 1);
    const { id, postId } = await publish("sandbox-container", "Before the crash", {
      connectionIds: [connectionId],
      at: inOneHour(),
    });
    const content = { title: null, text: "Before the crash", assets: [] };
    const progress = { platform: { mediaIds: {}, containerId: "expired" } };
    const change = { ...unscheduledColumns, state: "unconfirmed", scheduledFor: null, content, progress } as const;
    await deps.writes.publications.update(id, change, { states: ["scheduled"] });
    await updatePost(deps, owner, { postId, body: "Edited before the crash" });
    await resolvePublication(deps, owner, { publicationId: id, outcome: "retry" });
    const now = fixture.clock();
    const claimedPublication = await deps.publicationRuns.claimDue({ now, leaseExpiresAt: now, slots: oneSlot });
    assert.equal(claimedPublication?.id, id);
    let transactions = 0;
    const transact: TestDeps["transact"] = async (authority, work, options) => {
      if (++transactions === 2) throw new Error("the process crashed");
      return deps.transact(authority, work, options);
    };
    const run = runPublication({ ...deps, transact }, claimedPublication, new AbortController().signal);
    await assert.rejects(run, /the process crashed/);
    await publishing.waitForState(id, "published");
    assert.deepEqual([await countPosts("Before the crash"), await countPosts("Edited before the crash")], [0, 1]);
  });

  test("a rate-limited publication waits for Retry-After, and fails if that is more than an hour (PUB-13)", async () => {
    const startedAt = fixture.clock();
    nextResponses = [respondWith(429, { "retry-after": "3000" })];
    const limited = await publish("sandbox-keyed", "Limited");
    await publishing.waitForState(limited.id, "published");
    assert.equal(fixture.clock(), startedAt + seconds(3000));
    nextResponses = [respondWith(429, { "retry-after": "3700" })];
    const blocked = await publish("sandbox-keyed", "Blocked");
    await publishing.waitForState(blocked.id, "failed");
    assert.deepEqual([await countPosts("Limited"), await countPosts("Blocked")], [1, 0]);
  });

  test("the sandbox fails as often as its faults are set to, and an empty object clears them (PUB-2, PUB-16)", async () => {
    const { base } = publishing.service;
    const put = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${base}/sandbox/faults`, { method: "PUT", body, headers });
    assert.equal((await put(JSON.stringify({ rejectNext: -1 }))).status, 400);
    assert.equal((await put(JSON.stringify({ unknown: 1 }))).status, 400);
    assert.equal((await put("{", {})).status, 400);
    assert.equal((await put("{}", { origin: "https://evil.example" })).status, 403);
    assert.equal((await fetch(`${base}/sandbox/posts`, { headers: { "x-forwarded-for": "1.2.3.4" } })).status, 403);
    await publishing.setFaults({ rejectNext: 5, dropResponses: 5, unavailableNext: 5 });
    await publishing.setFaults({});
    const { id } = await publish("sandbox", "No faults");
    await publishing.waitForState(id, "published");
    await publishing.setFaults({ dropResponses: 1 });
    const dropped = await publish("sandbox", "Lost once");
    await publishing.waitForState(dropped.id, "published");
    await publishing.setFaults({ unavailableNext: 8 });
    const unavailable = await publish("sandbox", "Eight outages");
    await publishing.waitForState(unavailable.id, "published");
    await publishing.setFaults({ unavailableNext: 1, rejectNext: 1 });
    const rejected = await publish("sandbox", "Outage, then rejected");
    await publishing.waitForState(rejected.id, "failed");
    const texts = ["Lost once", "Eight outages", "Outage, then rejected"];
    assert.deepEqual(await Promise.all(texts.map(countPosts)), [1, 1, 0]);
  });

  test("the person or client behind a publication must still be allowed to publish when it starts (PUB-12, B2)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const at = inOneHour();
    const member = await newMember(deps, owner, "member");
    const byMember = await publish("sandbox-keyed", "By a former member", { caller: member, at });
    await removeMember(deps, owner, { userId: member.user.id });
    const client = await actThroughClient(deps, owner);
    const byClient = await publish("sandbox-keyed", "By a revoked client", { caller: client, at });
    assert.equal(byClient.state, "scheduled");
    await revokeClient(deps, owner, { grantId: client.grantId });
    for (const { id } of [byMember, byClient]) {
      const { problem } = await publishing.waitForState(id, "failed");
      assert.equal(problem?.code, "forbidden");
    }
    const approvedClient = await actThroughClient(deps, owner, "Other");
    const approved = await publish("sandbox-keyed", "Approved", { caller: approvedClient, propose: true });
    await approvePublication(deps, owner, { publicationId: approved.id, revision: 1 });
    await revokeClient(deps, owner, { grantId: approvedClient.grantId });
    const published = await publishing.waitForState(approved.id, "published");
    assert.equal(published.approvedBy?.id, owner.user.id);
  });

  test("if the approval rule of the studio is `everyone`, members propose and can't approve (PUB-3)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const member = await newMember(deps, owner, "member");
    assert.equal(await getOutcome(() => updateStudio(deps, member, { approval: "everyone" })), "forbidden");
    await updateStudio(deps, owner, { approval: "everyone" });
    const { id, state } = await publish("sandbox-keyed", "By a member", { caller: member });
    assert.equal(state, "proposed");
    for (const publicationId of [id, "pub_unknown"])
      assert.equal(
        await getOutcome(() => approvePublication(deps, member, { publicationId, revision: 1 })),
        "forbidden",
      );
    await approvePublication(deps, owner, { publicationId: id, revision: 1 });
    await updateStudio(deps, owner, { approval: "clients" });
    await publishing.waitForState(id, "published");
  });

  test("a publication that has ended can't be changed (ERR-too_late)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const { id } = await publish("sandbox-keyed", "Ended", { at: inOneHour() });
    await cancelPublication(deps, owner, { publicationId: id });
    for (const change of [
      () => cancelPublication(deps, owner, { publicationId: id }),
      () => reschedulePublication(deps, owner, { publicationId: id, at: inOneHour() }),
      () => approvePublication(deps, owner, { publicationId: id, revision: 1 }),
      () => resolvePublication(deps, owner, { publicationId: id, outcome: "retry" }),
    ])
      assert.equal(await getOutcome(change), "too_late");
  });

  test("the same idempotency key returns the first result, even after the scheduled time (PUB-5, ERR-already_scheduled)", async () => {
    const { service, owner } = publishing;
    const { id: postId } = await createPost(service.deps, owner, { title: "Title", body: "Once" });
    const request = { postId, connectionIds: [connections["sandbox-keyed"]], at: inOneHour(), idempotencyKey: postId };
    const first = await publishPost(service.deps, owner, request);
    const later = { ...service.deps, clock: () => fixture.clock() + hours(1) + minutes(10) };
    assert.deepEqual(await publishPost(later, owner, request), first);
    const { idempotencyKey: _, ...withoutKey } = request;
    assert.equal(await getOutcome(() => publishPost(service.deps, owner, withoutKey)), "already_scheduled");
  });

  test("the tool error not_publishable lists the problems of each account (ERR-not_publishable)", async () => {
    const { service, owner } = publishing;
    const { token } = await createTestGrant(service.deps, owner);
    const { id: postId } = await createPost(service.deps, owner, { title: "Title", body: "x".repeat(281) });
    const input = { postId, connectionIds: [connections.sandbox] };
    const call = (name: string, args: object) =>
      callModern({ url: `${service.base}/mcp`, token }, "tools/call", { name, arguments: args });
    const { json } = await call("publish_post", input);
    const { code, problems } = json.result.structuredContent as unknown as {
      code: string;
      problems: { connectionId: string; problems: { code: string }[] }[];
    };
    assert.ok(json.result.isError);
    assert.deepEqual(
      [code, problems.map(({ connectionId }) => connectionId), problems[0]?.problems[0]?.code],
      ["not_publishable", [connections.sandbox], "text_too_long"],
    );
    await updatePost(service.deps, owner, { postId, status: "archived" });
    const archived = (await call("publish_post", input)).json.result.structuredContent;
    assert.equal((archived as unknown as { code: string }).code, "not_publishable");
  });

  // The last tests invalidate the access token that all connections share.

  test("a rejected access token is renewed once; if that fails, so does the publication (PUB-13)", async () => {
    const { q } = fixture.database;
    await q.deleteFrom("oauthRecords").where("model", "=", "SandboxAccessToken").execute();
    const renewed = await publish("sandbox", "Renewed");
    await publishing.waitForState(renewed.id, "published");
    const rejected = await publish("sandbox-keyed", "Not renewed");
    const { problem } = await publishing.waitForState(rejected.id, "failed");
    assert.equal(problem?.code, "connect_expired");
    assert.deepEqual([await countPosts("Renewed"), await countPosts("Not renewed")], [1, 0]);
  });

  test("disconnecting an account cancels its scheduled publications, and archiving a post its proposed ones (ERR-post_in_use)", async () => {
    const { service, owner } = publishing;
    const { deps } = service;
    const [connectionId = ""] = await addConnections(publishing, "sandbox", 1);
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: "Disconnected" });
    const request = { postId, connectionIds: [connectionId] };
    const [scheduled] = (await publishPost(deps, owner, { ...request, at: inOneHour() })).publications;
    assert.equal(await getOutcome(() => updatePost(deps, owner, { postId, status: "archived" })), "post_in_use");
    await disconnectPlatform(deps, owner, { connectionId });
    const { body } = await publishing.api("GET", `/publications/${scheduled?.id}`);
    assert.equal(body["state"], "canceled");
    assert.equal(await getOutcome(() => publishPost(deps, owner, request)), "not_publishable");
    const proposed = await publish("sandbox-container", "Archived", { propose: true });
    await updatePost(deps, owner, { postId: proposed.postId, status: "archived" });
    await publishing.waitForState(proposed.id, "canceled");
  });
});
