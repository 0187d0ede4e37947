import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallRecorder } from "#domain/access/call-counts.ts";
import { createGrant, listClients, revokeAllClients, revokeClient } from "#domain/access/clients.ts";
import type { GrantView } from "#domain/model/grant.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { setActiveStudio } from "#domain/access/me.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import { removeMember } from "#domain/studios/members.ts";
import { days, minutes } from "#lib/clock.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { untilDone } from "../support/batch-options.ts";
import { forOneEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { readPages } from "../support/read-pages.ts";
import { newMember, newUser, newStudio } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forOneEngine("AI clients", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));

  /** Creates a grant. If the user has a studio, makes it their active studio first. */
  async function newGrant(signedInUser: SignedInUser & Partial<Caller>, clientName: string): Promise<string> {
    if (signedInUser.studio) await setActiveStudio(fixture.deps, signedInUser, { studioId: signedInUser.studio.id });
    fixture.clock.advance(1);
    const client = { clientId: `id-of-${clientName}`, clientName, clientVerified: false, redirectHost: "localhost" };
    return (await createGrant(fixture.deps, signedInUser, { ...client, scopes: ["studio:read"] })).id;
  }

  const listNames = async (caller: Caller, filter: { mine?: true; ended?: boolean } = {}): Promise<string[]> =>
    (await listClients(fixture.deps, caller, { limit: 100, ...filter })).clients.map(({ clientName }) => clientName);

  const listRevocations = async (studioId: string) =>
    (await fixture.deps.activity.list(studioId, { limit: 100 })).filter(({ action }) => action === "client.revoked");

  test("members see their own clients; owners and admins see all clients of the studio", async () => {
    const owner = await newStudio(fixture.deps);
    const admin = await newMember(fixture.deps, owner, "admin");
    const member = await newMember(fixture.deps, owner, "member");
    await newGrant(owner, "one");
    await newGrant(admin, "two");
    await newGrant(member, "three");
    assert.deepEqual(await listNames(owner), ["three", "two", "one"]);
    assert.deepEqual(await listNames(admin), ["three", "two", "one"]);
    assert.deepEqual(await listNames(member), ["three"]);
    assert.deepEqual(await listNames(owner, { mine: true }), ["one"]);
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
          issuer: null,
          isBlocked: false,
          grantedAt: new Date(fixture.clock()).toISOString(),
          lastUsedAt: new Date(fixture.clock()).toISOString(),
          unusedTokenAt: null,
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
    assert.equal((await fixture.deps.grants.find(id))?.revokedAt, revokedAt, "the first time stays");
    assert.equal((await listRevocations(owner.studio.id)).length, 1);
  });

  test("only owners and admins can revoke other users' clients, and only from the studio where the clients act (T1, T3)", async () => {
    const owner = await newStudio(fixture.deps);
    const admin = await newMember(fixture.deps, owner, "admin");
    const member = await newMember(fixture.deps, owner, "member");
    const other = await newMember(fixture.deps, owner, "member");
    const memberElsewhere = await newStudio(fixture.deps, member);
    const otherOwner = await newStudio(fixture.deps);
    const [grantHere, grantElsewhere] = [await newGrant(member, "here"), await newGrant(memberElsewhere, "there")];
    const tryRevoke = (caller: Caller, grantId: string) => getOutcome(revokeClient(fixture.deps, caller, { grantId }));
    for (const caller of [other, otherOwner]) assert.equal(await tryRevoke(caller, grantHere), "not_found");
    for (const manager of [owner, admin]) assert.equal(await tryRevoke(manager, grantElsewhere), "not_found");
    for (const grantId of [grantHere, grantElsewhere])
      assert.equal((await fixture.deps.grants.find(grantId))?.revokedAt, null);
    assert.equal(await tryRevoke(admin, grantHere), "ok");
    assert.equal(await tryRevoke(member, grantElsewhere), "ok", "their own client, from any of their studios");
    assert.equal((await listRevocations(memberElsewhere.studio.id)).length, 1, "in the studio where the client acted");
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
    const listPages = async (filter: string): Promise<string[][]> => {
      const pages = await readPages(async (cursor) => {
        const next = cursor === undefined ? "" : `&cursor=${cursor}`;
        return (await call<ClientPage>(server, "GET", `${path}?limit=2${filter}${next}`, { cookie })).json;
      });
      return pages.map(({ clients }) => clients.map(({ id }) => id));
    };
    const [five, four, three, two, one] = ids;
    assert.deepEqual(await listPages(""), [[five, four], [three, two], [one]]);
    assert.deepEqual((await listPages("&ended=false")).flat(), [five, three, two, one]);
    assert.deepEqual(await listPages("&ended=true"), [[four]]);
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
    const countsById = Object.fromEntries(grants.map((grant) => [grant.id, grant.calls]));
    assert.deepEqual(countsById, { [quietGrantId]: 0, [busyGrantId]: 1 });
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
    await newGrant(owner, "owner's");
    await newGrant(member, "member's");
    await newGrant(memberElsewhere, "member's elsewhere");
    await newGrant(other, "other's");
    const listActive = (caller: Caller) => listNames(caller, { ended: false });
    assert.deepEqual(await revokeAllClients(fixture.deps, member), { revoked: 2 });
    assert.deepEqual([await listActive(owner), await listActive(memberElsewhere)], [["other's", "owner's"], []]);
    assert.equal((await listRevocations(memberElsewhere.studio.id)).length, 1);
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
