import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCallRecorder } from "#domain/access/call-counts.ts";
import { createGrant } from "#domain/access/create-grant.ts";
import { listClients, type ClientView } from "#domain/access/list-clients.ts";
import { createPurgeJob } from "#domain/housekeeping/purge-expired.ts";
import { revokeAllClients, revokeClient } from "#domain/access/revoke-client.ts";
import { setActiveStudio } from "#domain/access/me.ts";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import { removeMember } from "#domain/studios/members.ts";
import { days, minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { assertProblem, call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { forEachEngine } from "../support/engines.ts";
import { hostileIds } from "../support/hostile-ids.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember, newUser, newStudio } from "../support/users.ts";

forEachEngine("AI clients", (fixture) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(fixture.deps)));
  after(() => server.close());

  /** An approval, made while this studio is the person's active one. */
  async function approve(person: SignedInUser & Partial<Caller>, clientName: string): Promise<string> {
    if (person.studio) await setActiveStudio(fixture.deps, person, { studioId: person.studio.id });
    fixture.clock.advance(1);
    const client = { clientId: `id-of-${clientName}`, clientName, clientVerified: false, redirectHost: "localhost" };
    return (await createGrant(fixture.deps, person, { ...client, scopes: ["studio:read"] })).id;
  }

  const names = async (caller: Caller): Promise<string[]> =>
    (await listClients(fixture.deps, caller, { limit: 100 })).clients.map(({ clientName }) => clientName);

  const revocations = async (studioId: string) =>
    (await fixture.deps.activity.list(studioId, { limit: 100 })).filter(({ action }) => action === "client.revoked");

  test("members see their own, owners and admins all that act in the studio", async () => {
    const owner = await newStudio(fixture.deps);
    const [admin, member, other] = [
      await newMember(fixture.deps, owner, "admin"),
      await newMember(fixture.deps, owner, "member"),
      await newMember(fixture.deps, owner, "member"),
    ];
    for (const [person, name] of [
      [owner, "one"],
      [admin, "two"],
      [member, "three"],
      [other, "four"],
    ] as const)
      await approve(person, name);
    assert.deepEqual(await names(owner), ["four", "three", "two", "one"]);
    assert.deepEqual(await names(admin), ["four", "three", "two", "one"]);
    assert.deepEqual(await names(member), ["three"]);
    assert.deepEqual(await names(other), ["four"]);
    const { clients } = await listClients(fixture.deps, owner, { mine: true, limit: 100 });
    assert.deepEqual(
      clients.map(({ clientName }) => clientName),
      ["one"],
      "and of an owner only their own, where that is asked for",
    );
  });

  test("over HTTP: what is shown of each, and that revoking works twice", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const id = await approve(member, "Assistant");
    await fixture.deps.grants.touch(id, fixture.clock());
    const path = `/api/studios/${owner.studio.id}/clients`;
    const cookie = await server.signIn(owner);
    const { status, json } = await call<{ clients: ClientView[] }>(server, "GET", path, { cookie });
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
      (await call<{ clients: ClientView[] }>(server, "GET", path, { cookie })).json.clients[0]?.revokedAt,
      new Date(fixture.clock()).toISOString(),
    );
  });

  test("revoking acts on the very next call of the client, signing out does not", async () => {
    const owner = await newStudio(fixture.deps);
    const id = await approve(owner, "Assistant");
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
    const mcp = async () => (await call(server, "POST", "/mcp", { body, headers })).status;
    assert.equal(await mcp(), 200);
    const cookie = await server.signIn(owner);
    assert.equal((await call(server, "POST", "/api/sign-out", { cookie })).status, 204);
    assert.equal(await mcp(), 200, "signed out of the web app only");
    const again = await server.signIn(owner);
    const revoked = await call(server, "DELETE", `/api/studios/${owner.studio.id}/clients/${id}`, { cookie: again });
    assert.equal(revoked.status, 204);
    assert.equal(await mcp(), 401);
  });

  test("revoking leaves one row of activity: who, which client, whose (L5)", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const id = await approve(member, "Assistant");
    await Promise.all(Array.from({ length: 10 }, () => revokeClient(fixture.deps, owner, { grantId: id })));
    const rows = await revocations(owner.studio.id);
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
    assert.equal((await fixture.deps.grants.find(id))?.revokedAt, revokedAt, "the first time is kept");
    assert.equal((await revocations(owner.studio.id)).length, 1);
  });

  test("others' are revoked by owners and admins only, and only from the studio they act in (T1, T3)", async () => {
    const owner = await newStudio(fixture.deps);
    const [admin, member, other] = [
      await newMember(fixture.deps, owner, "admin"),
      await newMember(fixture.deps, owner, "member"),
      await newMember(fixture.deps, owner, "member"),
    ];
    const elsewhere = await newStudio(fixture.deps, { user: member.user });
    const foreign = await newStudio(fixture.deps);
    const [here, there] = [await approve(member, "here"), await approve(elsewhere, "there")];
    assert.equal(await getOutcome(revokeClient(fixture.deps, other, { grantId: here })), "not_found");
    assert.equal(await getOutcome(revokeClient(fixture.deps, foreign, { grantId: here })), "not_found");
    for (const manager of [owner, admin])
      assert.equal(await getOutcome(revokeClient(fixture.deps, manager, { grantId: there })), "not_found");
    for (const grantId of hostileIds("connection"))
      assert.equal(await getOutcome(revokeClient(fixture.deps, owner, { grantId })), "not_found");
    assert.deepEqual(
      [(await fixture.deps.grants.find(here))?.revokedAt, (await fixture.deps.grants.find(there))?.revokedAt],
      [null, null],
    );
    assert.equal(await getOutcome(revokeClient(fixture.deps, admin, { grantId: here })), "ok");
    assert.equal(
      await getOutcome(revokeClient(fixture.deps, member, { grantId: there })),
      "ok",
      "one's own, from any of one's studios",
    );
    assert.equal((await revocations(elsewhere.studio.id)).length, 1, "told where it acted");

    const cookie = await server.signIn(other);
    assertProblem(
      await call(server, "DELETE", `/api/studios/${owner.studio.id}/clients/${here}`, { cookie }),
      404,
      "not_found",
    );
    assertProblem(await call(server, "GET", `/api/studios/${foreign.studio.id}/clients`, { cookie }), 404, "not_found");
  });

  test("in pages, newest first; those that have ended apart where that is asked for", async () => {
    const owner = await newStudio(fixture.deps);
    const ids = [];
    for (const name of ["one", "two", "three", "four", "five"]) ids.unshift(await approve(owner, name));
    await revokeClient(fixture.deps, owner, { grantId: ids[1] ?? "" });
    const cookie = await server.signIn(owner);
    const path = `/api/studios/${owner.studio.id}/clients`;
    interface Answer {
      clients: ClientView[];
      nextCursor: string | null;
    }
    const read = async (filter: string): Promise<string[][]> => {
      const pages: string[][] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const { json } = await call<Answer>(server, "GET", `${path}?limit=2${filter}${next}`, { cookie });
        pages.push(json.clients.map(({ id }) => id));
        cursor = json.nextCursor;
      }
      return pages;
    };
    const [five, four, three, two, one] = ids;
    assert.deepEqual(await read(""), [[five, four], [three, two], [one]]);
    assert.deepEqual(await read("&ended=false"), [
      [five, three],
      [two, one],
    ]);
    assert.deepEqual(await read("&ended=true"), [[four]]);
    const { json } = await call<Answer>(server, "GET", `${path}?limit=2`, { cookie });
    const foreign = await call(server, "GET", `${path}?ended=true&cursor=${json.nextCursor}`, { cookie });
    assertProblem(foreign, 400, "invalid_input");
  });

  test("the calls of the last 30 days are counted, of all instances together, and older ones go", async () => {
    const owner = await newStudio(fixture.deps);
    const grantId = await approve(owner, "busy");
    const quiet = await approve(owner, "quiet");
    const calls = async () =>
      (await listClients(fixture.deps, owner, { limit: 2 })).clients.map((client) => client.calls);
    const [one, other] = [createCallRecorder(fixture.deps), createCallRecorder(fixture.deps)];
    for (const tally of [one, one, other]) tally.record(grantId);
    one.record("con_00000000000000000000000000"); // gone meanwhile: nothing to count, and no failure
    await Promise.all([one.flush(), other.flush()]);
    await one.flush();
    assert.deepEqual(await calls(), [0, 3]);
    fixture.clock.advance(days(29));
    other.record(grantId);
    await other.flush();
    assert.deepEqual(await calls(), [0, 4]);
    fixture.clock.advance(days(1));
    assert.deepEqual(await calls(), [0, 1]);
    fixture.clock.advance(days(1));
    await createPurgeJob(fixture.deps)({ pause: async () => {}, shouldStop: () => false });
    const kept = await fixture.deps.grants.listForStudio(owner.studio.id, {
      userId: owner.user.id,
      others: false,
      callsSince: 0,
    });
    assert.deepEqual(
      kept.map((grant) => [grant.id, grant.calls]),
      [
        [quiet, 0],
        [grantId, 1],
      ],
    );
  });

  test("what cannot be written down is counted the next time, once", async () => {
    const owner = await newStudio(fixture.deps);
    const grantId = await approve(owner, "patient");
    let broken = true;
    const addCalls: typeof fixture.deps.grants.addCalls = (...args) =>
      broken ? Promise.reject(new Error("no database")) : fixture.deps.grants.addCalls(...args);
    const tally = createCallRecorder({ ...fixture.deps, grants: { ...fixture.deps.grants, addCalls } });
    tally.record(grantId);
    await assert.rejects(tally.flush());
    tally.record(grantId);
    broken = false;
    await tally.flush();
    assert.equal((await listClients(fixture.deps, owner, { limit: 1 })).clients[0]?.calls, 2);
  });

  test("revoking all: a member's own everywhere; for owners and admins also all of the studio", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const other = await newMember(fixture.deps, owner, "member");
    const elsewhere = await newStudio(fixture.deps, { user: member.user });
    for (const [person, name] of [
      [owner, "owner's"],
      [member, "member's"],
      [elsewhere, "member's elsewhere"],
      [other, "other's"],
    ] as const)
      await approve(person, name);
    const live = async (caller: Caller) =>
      (await listClients(fixture.deps, caller, { limit: 100, ended: false })).clients.map(
        ({ clientName }) => clientName,
      );
    assert.deepEqual(await revokeAllClients(fixture.deps, member), { revoked: 2 });
    assert.deepEqual([await live(owner), await live(elsewhere)], [["other's", "owner's"], []]);
    assert.equal((await revocations(elsewhere.studio.id)).length, 1, "told where it acted");
    assert.deepEqual(await revokeAllClients(fixture.deps, owner), { revoked: 2 });
    assert.deepEqual([await live(owner), await live(other)], [[], []]);
    assert.deepEqual(await revokeAllClients(fixture.deps, owner), { revoked: 0 });
    assert.equal((await revocations(owner.studio.id)).length, 3);
  });

  test("a person finds their own wherever they act; a studio does not see what acts in another", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    const own = await newStudio(fixture.deps, { user: member.user });
    await approve(member, "work");
    await approve(own, "private");
    assert.deepEqual(await names(member), ["private", "work"]);
    assert.deepEqual(await names(own), ["private", "work"]);
    assert.deepEqual(await names(owner), ["work"]);
    const { clients } = await listClients(fixture.deps, member, { limit: 100 });
    assert.deepEqual(
      clients.map(({ studioId }) => studioId),
      [own.studio.id, owner.studio.id],
    );
  });

  test("what was approved with no studio, or in one the person has left, is listed where it acts now", async () => {
    const person = await newUser(fixture.deps);
    await approve(person, "early");
    const first = await newStudio(fixture.deps);
    const second = await newStudio(fixture.deps);
    const inFirst = await newMember(fixture.deps, first, "member", person);
    fixture.clock.advance(1);
    const inSecond = await newMember(fixture.deps, second, "member", person);
    await approve(inSecond, "later");
    assert.deepEqual([await names(first), await names(second)], [["early"], ["later"]]);
    await removeMember(fixture.deps, second, { userId: person.user.id });
    assert.deepEqual([await names(first), await names(second)], [["later", "early"], []]);
    await removeMember(fixture.deps, inFirst, { userId: person.user.id });
    assert.deepEqual(await names(first), []);
  });
});
