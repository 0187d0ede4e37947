import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCallTally } from "#domain/access/call-tally.ts";
import { approveClient } from "#domain/access/approve-client.ts";
import { listClients, type ClientView } from "#domain/access/list-clients.ts";
import { createPurge } from "#domain/housekeeping/purge-expired.ts";
import { revokeAllClients } from "#domain/access/revoke-all-clients.ts";
import { revokeClient } from "#domain/access/revoke-client.ts";
import { setActiveStudio } from "#domain/access/set-active-studio.ts";
import type { Caller, SignedIn } from "#domain/caller.ts";
import { removeMember } from "#domain/studios/remove-member.ts";
import { days, minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import { assertProblem, call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { forEachEngine } from "../support/engines.ts";
import { hostileIds } from "../support/hostile.ts";
import { outcome } from "../support/outcome.ts";
import { newMember, newPerson, newStudio } from "../support/people.ts";

forEachEngine("AI clients", (bed) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(bed.deps)));
  after(() => server.close());

  /** An approval, made while this studio is the person's active one. */
  async function approve(person: SignedIn & Partial<Caller>, clientName: string): Promise<string> {
    if (person.studio) await setActiveStudio(bed.deps, person, { studioId: person.studio.id });
    bed.clock.advance(1);
    const client = { clientId: `id-of-${clientName}`, clientName, clientVerified: false, redirectHost: "localhost" };
    return (await approveClient(bed.deps, person, { ...client, scopes: ["studio:read"] })).id;
  }

  const names = async (caller: Caller): Promise<string[]> =>
    (await listClients(bed.deps, caller, { limit: 100 })).clients.map(({ clientName }) => clientName);

  const revocations = async (studioId: string) =>
    (await bed.deps.activity.list(studioId, { limit: 100 })).filter(({ action }) => action === "client.revoked");

  test("members see their own, owners and admins all that act in the studio", async () => {
    const owner = await newStudio(bed.deps);
    const [admin, member, other] = [
      await newMember(bed.deps, owner, "admin"),
      await newMember(bed.deps, owner, "member"),
      await newMember(bed.deps, owner, "member"),
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
    const { clients } = await listClients(bed.deps, owner, { mine: true, limit: 100 });
    assert.deepEqual(
      clients.map(({ clientName }) => clientName),
      ["one"],
      "and of an owner only their own, where that is asked for",
    );
  });

  test("over HTTP: what is shown of each, and that revoking works twice", async () => {
    const owner = await newStudio(bed.deps);
    const member = await newMember(bed.deps, owner, "member");
    const id = await approve(member, "Assistant");
    await bed.deps.grants.touch(id, bed.clock());
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
          grantedAt: new Date(bed.clock()).toISOString(),
          lastUsedAt: new Date(bed.clock()).toISOString(),
          calls: 0,
          revokedAt: null,
        },
      ],
      nextCursor: null,
    });
    for (const _ of [1, 2]) assert.equal((await call(server, "DELETE", `${path}/${id}`, { cookie })).status, 204);
    assert.equal(
      (await call<{ clients: ClientView[] }>(server, "GET", path, { cookie })).json.clients[0]?.revokedAt,
      new Date(bed.clock()).toISOString(),
    );
  });

  test("revoking acts on the very next call of the client, signing out does not", async () => {
    const owner = await newStudio(bed.deps);
    const id = await approve(owner, "Assistant");
    const audience = `${server.base}/mcp`;
    const expiresAt = bed.clock() + minutes(60);
    await bed.deps.oauthRecords.put("AccessToken", sha256("a-token"), {
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

  test("[L5] revoking leaves one row of activity: who, which client, whose", async () => {
    const owner = await newStudio(bed.deps);
    const member = await newMember(bed.deps, owner, "member");
    const id = await approve(member, "Assistant");
    await Promise.all(Array.from({ length: 10 }, () => revokeClient(bed.deps, owner, { grantId: id })));
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
    const revokedAt = (await bed.deps.grants.find(id))?.revokedAt;
    bed.clock.advance(minutes(1));
    await revokeClient(bed.deps, owner, { grantId: id });
    assert.equal((await bed.deps.grants.find(id))?.revokedAt, revokedAt, "the first time is kept");
    assert.equal((await revocations(owner.studio.id)).length, 1);
  });

  test("[T1] [T3] others' are revoked by owners and admins only, and only from the studio they act in", async () => {
    const owner = await newStudio(bed.deps);
    const [admin, member, other] = [
      await newMember(bed.deps, owner, "admin"),
      await newMember(bed.deps, owner, "member"),
      await newMember(bed.deps, owner, "member"),
    ];
    const elsewhere = await newStudio(bed.deps, { user: member.user });
    const foreign = await newStudio(bed.deps);
    const [here, there] = [await approve(member, "here"), await approve(elsewhere, "there")];
    assert.equal(await outcome(revokeClient(bed.deps, other, { grantId: here })), "not_found");
    assert.equal(await outcome(revokeClient(bed.deps, foreign, { grantId: here })), "not_found");
    for (const manager of [owner, admin])
      assert.equal(await outcome(revokeClient(bed.deps, manager, { grantId: there })), "not_found");
    for (const grantId of hostileIds("connection"))
      assert.equal(await outcome(revokeClient(bed.deps, owner, { grantId })), "not_found");
    assert.deepEqual(
      [(await bed.deps.grants.find(here))?.revokedAt, (await bed.deps.grants.find(there))?.revokedAt],
      [null, null],
    );
    assert.equal(await outcome(revokeClient(bed.deps, admin, { grantId: here })), "ok");
    assert.equal(
      await outcome(revokeClient(bed.deps, member, { grantId: there })),
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
    const owner = await newStudio(bed.deps);
    const ids = [];
    for (const name of ["one", "two", "three", "four", "five"]) ids.unshift(await approve(owner, name));
    await revokeClient(bed.deps, owner, { grantId: ids[1] ?? "" });
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
    const owner = await newStudio(bed.deps);
    const grantId = await approve(owner, "busy");
    const quiet = await approve(owner, "quiet");
    const calls = async () => (await listClients(bed.deps, owner, { limit: 2 })).clients.map((client) => client.calls);
    const [one, other] = [createCallTally(bed.deps), createCallTally(bed.deps)];
    for (const tally of [one, one, other]) tally.note(grantId);
    one.note("con_00000000000000000000000000"); // gone meanwhile: nothing to count, and no failure
    await Promise.all([one.settle(), other.settle()]);
    await one.settle();
    assert.deepEqual(await calls(), [0, 3]);
    bed.clock.advance(days(29));
    other.note(grantId);
    await other.settle();
    assert.deepEqual(await calls(), [0, 4]);
    bed.clock.advance(days(1));
    assert.deepEqual(await calls(), [0, 1]);
    bed.clock.advance(days(1));
    await createPurge(bed.deps)({ pause: async () => {}, isOver: () => false });
    const kept = await bed.deps.grants.listForStudio(owner.studio.id, {
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
    const owner = await newStudio(bed.deps);
    const grantId = await approve(owner, "patient");
    let broken = true;
    const addCalls: typeof bed.deps.grants.addCalls = (...args) =>
      broken ? Promise.reject(new Error("no database")) : bed.deps.grants.addCalls(...args);
    const tally = createCallTally({ ...bed.deps, grants: { ...bed.deps.grants, addCalls } });
    tally.note(grantId);
    await assert.rejects(tally.settle());
    tally.note(grantId);
    broken = false;
    await tally.settle();
    assert.equal((await listClients(bed.deps, owner, { limit: 1 })).clients[0]?.calls, 2);
  });

  test("revoking all: a member's own everywhere; for owners and admins also all of the studio", async () => {
    const owner = await newStudio(bed.deps);
    const member = await newMember(bed.deps, owner, "member");
    const other = await newMember(bed.deps, owner, "member");
    const elsewhere = await newStudio(bed.deps, { user: member.user });
    for (const [person, name] of [
      [owner, "owner's"],
      [member, "member's"],
      [elsewhere, "member's elsewhere"],
      [other, "other's"],
    ] as const)
      await approve(person, name);
    const live = async (caller: Caller) =>
      (await listClients(bed.deps, caller, { limit: 100, ended: false })).clients.map(({ clientName }) => clientName);
    assert.deepEqual(await revokeAllClients(bed.deps, member), { revoked: 2 });
    assert.deepEqual([await live(owner), await live(elsewhere)], [["other's", "owner's"], []]);
    assert.equal((await revocations(elsewhere.studio.id)).length, 1, "told where it acted");
    assert.deepEqual(await revokeAllClients(bed.deps, owner), { revoked: 2 });
    assert.deepEqual([await live(owner), await live(other)], [[], []]);
    assert.deepEqual(await revokeAllClients(bed.deps, owner), { revoked: 0 });
    assert.equal((await revocations(owner.studio.id)).length, 3);
  });

  test("a person finds their own wherever they act; a studio does not see what acts in another", async () => {
    const owner = await newStudio(bed.deps);
    const member = await newMember(bed.deps, owner, "member");
    const own = await newStudio(bed.deps, { user: member.user });
    await approve(member, "work");
    await approve(own, "private");
    assert.deepEqual(await names(member), ["private", "work"]);
    assert.deepEqual(await names(own), ["private", "work"]);
    assert.deepEqual(await names(owner), ["work"]);
    const { clients } = await listClients(bed.deps, member, { limit: 100 });
    assert.deepEqual(
      clients.map(({ studioId }) => studioId),
      [own.studio.id, owner.studio.id],
    );
  });

  test("what was approved with no studio, or in one the person has left, is listed where it acts now", async () => {
    const person = await newPerson(bed.deps);
    await approve(person, "early");
    const first = await newStudio(bed.deps);
    const second = await newStudio(bed.deps);
    const inFirst = await newMember(bed.deps, first, "member", person);
    bed.clock.advance(1);
    const inSecond = await newMember(bed.deps, second, "member", person);
    await approve(inSecond, "later");
    assert.deepEqual([await names(first), await names(second)], [["early"], ["later"]]);
    await removeMember(bed.deps, second, { userId: person.user.id });
    assert.deepEqual([await names(first), await names(second)], [["later", "early"], []]);
    await removeMember(bed.deps, inFirst, { userId: person.user.id });
    assert.deepEqual(await names(first), []);
  });
});
