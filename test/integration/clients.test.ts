import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCallRecorder } from "#domain/access/call-counts.ts";
import { createGrant } from "#domain/access/create-grant.ts";
import { listClients, type GrantView } from "#domain/access/list-clients.ts";
import { createPurgeJob } from "#domain/housekeeping/purge-expired.ts";
import { revokeAllClients, revokeClient } from "#domain/access/revoke-client.ts";
import { setActiveStudio } from "#domain/access/me.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import { removeMember } from "#domain/studios/members.ts";
import { days, minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { assertProblem, call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { untilDone } from "../support/batch-options.ts";
import { forOneEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember, newUser, newStudio } from "../support/users.ts";

forOneEngine("AI clients", (fixture) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(fixture.deps)));
  after(() => server.close());

  /** Creates a grant. If the user has a studio, makes it their active studio first. */
  async function newGrant(signedInUser: SignedInUser & Partial<Caller>, clientName: string): Promise<string> {
    if (signedInUser.studio) await setActiveStudio(fixture.deps, signedInUser, { studioId: signedInUser.studio.id });
    fixture.clock.advance(1);
    const client = { clientId: `id-of-${clientName}`, clientName, clientVerified: false, redirectHost: "localhost" };
    return (await createGrant(fixture.deps, signedInUser, { ...client, scopes: ["studio:read"] })).id;
  }

  const listNames = async (caller: Caller): Promise<string[]> =>
    (await listClients(fixture.deps, caller, { limit: 100 })).clients.map(({ clientName }) => clientName);

  const listRevocations = async (studioId: string) =>
    (await fixture.deps.activity.list(studioId, { limit: 100 })).filter(({ action }) => action === "client.revoked");

  test("members see their own clients; owners and admins see all clients of the studio", async () => {
    const owner = await newStudio(fixture.deps);
    const [admin, member, other] = [
      await newMember(fixture.deps, owner, "admin"),
      await newMember(fixture.deps, owner, "member"),
      await newMember(fixture.deps, owner, "member"),
    ];
    for (const [signedInUser, name] of [
      [owner, "one"],
      [admin, "two"],
      [member, "three"],
      [other, "four"],
    ] as const)
      await newGrant(signedInUser, name);
    assert.deepEqual(await listNames(owner), ["four", "three", "two", "one"]);
    assert.deepEqual(await listNames(admin), ["four", "three", "two", "one"]);
    assert.deepEqual(await listNames(member), ["three"]);
    assert.deepEqual(await listNames(other), ["four"]);
    const { clients } = await listClients(fixture.deps, owner, { mine: true, limit: 100 });
    assert.deepEqual(
      clients.map(({ clientName }) => clientName),
      ["one"],
      "mine: true lists only the owner's own clients",
    );
  });

  test("the JSON API shows each client's details, and revoking twice succeeds", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const id = await newGrant(member, "Assistant");
    await fixture.deps.grants.touch(id, fixture.clock());
    const path = `/api/studios/${owner.studio.id}/clients`;
    const cookie = await server.signIn(owner);
    const { status, json } = await call<{ clients: GrantView[] }>(server, "GET", path, { cookie });
    assert.equal(status, 200);
    assert.deepEqual(json, {
      clients: [
        {
          id,
          clientId: "id-of-Assistant",
          clientName: "Assistant",
          verified: false,
          redirectHost: "localhost",
          user: member.user,
          studioId: owner.studio.id,
          scopes: ["studio:read"],
          grantedAt: new Date(fixture.clock()).toISOString(),
          lastUsedAt: new Date(fixture.clock()).toISOString(),
          calls: 0,
          revokedAt: null,
        },
      ],
      nextCursor: null,
    });
    for (const _ of [1, 2]) assert.equal((await call(server, "DELETE", `${path}/${id}`, { cookie })).status, 204);
    assert.equal(
      (await call<{ clients: GrantView[] }>(server, "GET", path, { cookie })).json.clients[0]?.revokedAt,
      new Date(fixture.clock()).toISOString(),
    );
  });

  test("the client's next call fails after its grant is revoked, but not after its user signs out", async () => {
    const owner = await newStudio(fixture.deps);
    const id = await newGrant(owner, "Assistant");
    const audience = `${server.base}/mcp`;
    const expiresAt = fixture.clock() + minutes(60);
    await fixture.deps.oauthRecords.put("AccessToken", sha256("a-token"), {
      payload: {},
      grantId: id,
      audience,
      scope: "studio:read",
      expiresAt,
    });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const headers = { authorization: "Bearer a-token", accept: "application/json, text/event-stream" };
    const callMcp = async () => (await call(server, "POST", "/mcp", { body, headers })).status;
    assert.equal(await callMcp(), 200);
    const cookie = await server.signIn(owner);
    assert.equal((await call(server, "POST", "/api/sign-out", { cookie })).status, 204);
    assert.equal(await callMcp(), 200, "signed out of the web app only");
    const newCookie = await server.signIn(owner);
    const revoked = await call(server, "DELETE", `/api/studios/${owner.studio.id}/clients/${id}`, {
      cookie: newCookie,
    });
    assert.equal(revoked.status, 204);
    assert.equal(await callMcp(), 401);
  });

  test("revoking records one activity row with the actor, the client and its user (L5)", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const id = await newGrant(member, "Assistant");
    await Promise.all(Array.from({ length: 10 }, () => revokeClient(fixture.deps, owner, { grantId: id })));
    const rows = await listRevocations(owner.studio.id);
    assert.deepEqual(
      rows.map(({ userId, subjectId, detail }) => ({ userId, subjectId, detail })),
      [
        {
          userId: owner.user.id,
          subjectId: id,
          detail: { clientId: "id-of-Assistant", clientName: "Assistant", userId: member.user.id },
        },
      ],
    );
    const revokedAt = (await fixture.deps.grants.find(id))?.revokedAt;
    fixture.clock.advance(minutes(1));
    await revokeClient(fixture.deps, owner, { grantId: id });
    assert.equal(
      (await fixture.deps.grants.find(id))?.revokedAt,
      revokedAt,
      "the time of the first revocation does not change",
    );
    assert.equal((await listRevocations(owner.studio.id)).length, 1);
  });

  test("only owners and admins can revoke other users' clients, and only from the studio where the clients act (T1, T3)", async () => {
    const owner = await newStudio(fixture.deps);
    const [admin, member, other] = [
      await newMember(fixture.deps, owner, "admin"),
      await newMember(fixture.deps, owner, "member"),
      await newMember(fixture.deps, owner, "member"),
    ];
    const memberElsewhere = await newStudio(fixture.deps, member);
    const otherOwner = await newStudio(fixture.deps);
    const [grantHere, grantElsewhere] = [await newGrant(member, "here"), await newGrant(memberElsewhere, "there")];
    assert.equal(await getOutcome(revokeClient(fixture.deps, other, { grantId: grantHere })), "not_found");
    assert.equal(await getOutcome(revokeClient(fixture.deps, otherOwner, { grantId: grantHere })), "not_found");
    for (const manager of [owner, admin])
      assert.equal(await getOutcome(revokeClient(fixture.deps, manager, { grantId: grantElsewhere })), "not_found");
    for (const grantId of listHostileIds("grant"))
      assert.equal(await getOutcome(revokeClient(fixture.deps, owner, { grantId })), "not_found");
    assert.deepEqual(
      [
        (await fixture.deps.grants.find(grantHere))?.revokedAt,
        (await fixture.deps.grants.find(grantElsewhere))?.revokedAt,
      ],
      [null, null],
    );
    assert.equal(await getOutcome(revokeClient(fixture.deps, admin, { grantId: grantHere })), "ok");
    assert.equal(
      await getOutcome(revokeClient(fixture.deps, member, { grantId: grantElsewhere })),
      "ok",
      "a user can revoke their own client from any of their studios",
    );
    assert.equal(
      (await listRevocations(memberElsewhere.studio.id)).length,
      1,
      "recorded in the studio where the client acted",
    );

    const cookie = await server.signIn(other);
    assertProblem(
      await call(server, "DELETE", `/api/studios/${owner.studio.id}/clients/${grantHere}`, { cookie }),
      404,
      "not_found",
    );
    assertProblem(
      await call(server, "GET", `/api/studios/${otherOwner.studio.id}/clients`, { cookie }),
      404,
      "not_found",
    );
  });

  test("lists clients newest first, in pages, and can list only active or only ended clients", async () => {
    const owner = await newStudio(fixture.deps);
    const ids = [];
    for (const name of ["one", "two", "three", "four", "five"]) ids.unshift(await newGrant(owner, name));
    await revokeClient(fixture.deps, owner, { grantId: ids[1] ?? "" });
    const cookie = await server.signIn(owner);
    const path = `/api/studios/${owner.studio.id}/clients`;
    interface ClientPage {
      clients: GrantView[];
      nextCursor: string | null;
    }
    const readPages = async (filter: string): Promise<string[][]> => {
      const pages: string[][] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const { json } = await call<ClientPage>(server, "GET", `${path}?limit=2${filter}${next}`, { cookie });
        pages.push(json.clients.map(({ id }) => id));
        cursor = json.nextCursor;
      }
      return pages;
    };
    const [five, four, three, two, one] = ids;
    assert.deepEqual(await readPages(""), [[five, four], [three, two], [one]]);
    assert.deepEqual(await readPages("&ended=false"), [
      [five, three],
      [two, one],
    ]);
    assert.deepEqual(await readPages("&ended=true"), [[four]]);
    const { json } = await call<ClientPage>(server, "GET", `${path}?limit=2`, { cookie });
    // A cursor is valid only with the filter of its list.
    const response = await call(server, "GET", `${path}?ended=true&cursor=${json.nextCursor}`, { cookie });
    assertProblem(response, 400, "invalid_input");
  });

  test("counts the calls of the last 30 days across all instances, and deletes older counts", async () => {
    const owner = await newStudio(fixture.deps);
    const busyGrantId = await newGrant(owner, "busy");
    const quietGrantId = await newGrant(owner, "quiet");
    const listCallCounts = async () =>
      (await listClients(fixture.deps, owner, { limit: 2 })).clients.map((client) => client.calls);
    const [firstInstance, secondInstance] = [createCallRecorder(fixture.deps), createCallRecorder(fixture.deps)];
    for (const recorder of [firstInstance, firstInstance, secondInstance]) recorder.record(busyGrantId);
    firstInstance.record("con_00000000000000000000000000"); // a deleted grant is ignored
    await Promise.all([firstInstance.flush(), secondInstance.flush()]);
    await firstInstance.flush();
    assert.deepEqual(await listCallCounts(), [0, 3]);
    fixture.clock.advance(days(29));
    secondInstance.record(busyGrantId);
    await secondInstance.flush();
    assert.deepEqual(await listCallCounts(), [0, 4]);
    fixture.clock.advance(days(1));
    assert.deepEqual(await listCallCounts(), [0, 1]);
    fixture.clock.advance(days(1));
    await createPurgeJob(fixture.deps)(untilDone);
    const grants = await fixture.deps.grants.listVisible(owner.studio.id, {
      userId: owner.user.id,
      includeOthers: false,
      callsSince: 0,
    });
    assert.deepEqual(
      grants.map((grant) => [grant.id, grant.calls]),
      [
        [quietGrantId, 0],
        [busyGrantId, 1],
      ],
    );
  });

  test("call counts that could not be stored are stored once, by the next flush", async () => {
    const owner = await newStudio(fixture.deps);
    const grantId = await newGrant(owner, "Assistant");
    let isDatabaseDown = true;
    const addCalls: typeof fixture.deps.grants.addCalls = (...args) =>
      isDatabaseDown ? Promise.reject(new Error("no database")) : fixture.deps.grants.addCalls(...args);
    const recorder = createCallRecorder({ ...fixture.deps, grants: { ...fixture.deps.grants, addCalls } });
    recorder.record(grantId);
    await assert.rejects(recorder.flush());
    recorder.record(grantId);
    isDatabaseDown = false;
    await recorder.flush();
    assert.equal((await listClients(fixture.deps, owner, { limit: 1 })).clients[0]?.calls, 2);
  });

  test("revoking all clients revokes the caller's own in every studio; for owners and admins, also all clients of the studio", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const other = await newMember(fixture.deps, owner, "member");
    const memberElsewhere = await newStudio(fixture.deps, member);
    for (const [signedInUser, name] of [
      [owner, "owner's"],
      [member, "member's"],
      [memberElsewhere, "member's elsewhere"],
      [other, "other's"],
    ] as const)
      await newGrant(signedInUser, name);
    const listActive = async (caller: Caller) =>
      (await listClients(fixture.deps, caller, { limit: 100, ended: false })).clients.map(
        ({ clientName }) => clientName,
      );
    assert.deepEqual(await revokeAllClients(fixture.deps, member), { revoked: 2 });
    assert.deepEqual([await listActive(owner), await listActive(memberElsewhere)], [["other's", "owner's"], []]);
    assert.equal(
      (await listRevocations(memberElsewhere.studio.id)).length,
      1,
      "recorded in the studio where the client acted",
    );
    assert.deepEqual(await revokeAllClients(fixture.deps, owner), { revoked: 2 });
    assert.deepEqual([await listActive(owner), await listActive(other)], [[], []]);
    assert.deepEqual(await revokeAllClients(fixture.deps, owner), { revoked: 0 });
    assert.equal((await listRevocations(owner.studio.id)).length, 3);
  });

  test("users see their own clients from every studio; other members see only clients that act in their studio", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const memberElsewhere = await newStudio(fixture.deps, member);
    await newGrant(member, "work");
    await newGrant(memberElsewhere, "private");
    assert.deepEqual(await listNames(member), ["private", "work"]);
    assert.deepEqual(await listNames(memberElsewhere), ["private", "work"]);
    assert.deepEqual(await listNames(owner), ["work"]);
    const { clients } = await listClients(fixture.deps, member, { limit: 100 });
    assert.deepEqual(
      clients.map(({ studioId }) => studioId),
      [memberElsewhere.studio.id, owner.studio.id],
    );
  });

  test("a client granted without a studio, or in a studio the user has left, is listed in the studio where it acts now", async () => {
    const signedInUser = await newUser(fixture.deps);
    await newGrant(signedInUser, "early");
    const first = await newStudio(fixture.deps);
    const second = await newStudio(fixture.deps);
    const inFirst = await newMember(fixture.deps, first, "member", signedInUser);
    fixture.clock.advance(1);
    const inSecond = await newMember(fixture.deps, second, "member", signedInUser);
    await newGrant(inSecond, "later");
    assert.deepEqual([await listNames(first), await listNames(second)], [["early"], ["later"]]);
    await removeMember(fixture.deps, second, { userId: signedInUser.user.id });
    assert.deepEqual([await listNames(first), await listNames(second)], [["later", "early"], []]);
    await removeMember(fixture.deps, inFirst, { userId: signedInUser.user.id });
    assert.deepEqual(await listNames(first), []);
  });
});
