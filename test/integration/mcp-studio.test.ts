import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setActiveStudio } from "#domain/access/me.ts";
import type { SignedInUser } from "#domain/caller.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { forEachEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  postMcp,
  startMcpServer,
  type McpResponse,
  type McpCaller,
  type TestMcpServer,
} from "../support/mcp.ts";
import { newMember, newUser, newStudio } from "../support/users.ts";
import { createTestGrant, createTestToken } from "../support/tokens.ts";

const studioOf = (answer: McpResponse): string => answer.json.result._meta["atelier/studio"].name;

forEachEngine("which studio a call acts on", (fixture) => {
  let server: TestMcpServer;
  before(async () => void (server = await startMcpServer(fixture)));
  after(() => server.close());

  /** A person in two studios of other people: East first, then West, which is active. */
  async function inTwoStudios() {
    const { deps } = fixture;
    const east = await newStudio(deps, undefined, "East");
    const west = await newStudio(deps, undefined, "West");
    const person = await newUser(deps);
    const inEast = await newMember(deps, east, "member", person);
    fixture.clock.advance(1000);
    const inWest = await newMember(deps, west, "member", person);
    await setActiveStudio(deps, person, { studioId: west.studio.id });
    const { token, grantId } = await createTestGrant(deps, person);
    return { east, west, person, inEast, inWest, grantId, me: { url: server.url, token } };
  }

  const activate = (person: SignedInUser, studio: { studio: { id: string } }) =>
    setActiveStudio(fixture.deps, person, { studioId: studio.studio.id });

  /** The studio that whoami answers; it is also the one in `_meta`. */
  async function where(me: McpCaller, wire: typeof callModern | typeof callLegacy = callModern): Promise<string> {
    const answer = await wire(me, "tools/call", { name: "whoami" });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.result.structuredContent.studio.name, studioOf(answer));
    return studioOf(answer);
  }

  test("2025 wire: the active studio at initialize; the open session stays, a new one moves", async () => {
    const { me, person, east } = await inTwoStudios();
    const first = await initialize(me);
    assert.equal(studioOf(first.response), "West");
    assert.match(first.response.json.result.instructions, /studio "West", with the role member/);
    await activate(person, east);
    assert.equal(await where({ ...me, session: first.session }, callLegacy), "West");
    const second = await initialize(me);
    assert.equal(await where({ ...me, session: second.session }, callLegacy), "East");
    assert.equal(await where({ ...me, session: first.session }, callLegacy), "West");
  });

  test("2025 wire: a session survives the refresh of its token", async () => {
    const { me, grantId } = await inTwoStudios();
    const { session } = await initialize(me);
    const token = await createTestToken(fixture.deps, grantId);
    assert.equal(await where({ ...me, token, session }, callLegacy), "West");
  });

  test("2025 wire: a request without a session acts as on the new wire", async () => {
    const { me, person, east } = await inTwoStudios();
    await activate(person, east);
    assert.equal(await where(me, callLegacy), "West");
    await callModern(me, "server/discover");
    assert.equal(await where(me, callLegacy), "East");
  });

  test("2026 wire: the studio of the approval; a switch alone moves nothing, connecting anew does, and activity tells", async () => {
    const { me, person, east, inEast } = await inTwoStudios();
    assert.equal(await where(me), "West");
    await activate(person, east);
    assert.equal(await where(me), "West");
    const discovered = await callModern(me, "server/discover");
    assert.equal(studioOf(discovered), "East");
    assert.match(discovered.json.result.instructions, /studio "East"/);
    assert.equal(await where(me), "East");
    await callModern(me, "server/discover");
    const rows = await fixture.deps.activity.list(inEast.studio.id, { limit: 10 });
    assert.deepEqual(
      rows.filter(({ action }) => action === "client.moved").map(({ userId, clientName }) => ({ userId, clientName })),
      [{ userId: person.user.id, clientName: "Test client" }],
    );
  });

  test("an open 2025 session is not moved by a server/discover of the same approval", async () => {
    const { me, person, east } = await inTwoStudios();
    const { session } = await initialize(me);
    await activate(person, east);
    await callModern(me, "server/discover");
    assert.equal(await where({ ...me, session }, callLegacy), "West");
    assert.equal(await where(me), "East");
  });

  test("membership lost: the first membership, on both wires, at once", async () => {
    const { me, west, inWest } = await inTwoStudios();
    const { session } = await initialize(me);
    await removeMember(fixture.deps, west, { userId: inWest.user.id });
    assert.equal(await where(me), "East");
    assert.equal(await where({ ...me, session }, callLegacy), "East");
    const again = await initialize(me);
    assert.equal(studioOf(again.response), "East");
    assert.equal(studioOf(await callModern(me, "server/discover")), "East");
  });

  test("a session whose studio was deleted gets 404, and a new one starts in a studio that exists (STUDIO-2, T10)", async () => {
    const { me, person, east, west } = await inTwoStudios();
    await activate(person, east);
    const open = await initialize(me);
    assert.equal(await where({ ...me, session: open.session }, callLegacy), "East");
    await deleteStudio(fixture.deps, east, { name: "East" });
    for (const method of ["tools/list", "tools/call"]) {
      const answer = await callLegacy({ ...me, session: open.session }, method, { name: "whoami" });
      assert.equal(answer.status, 404, answer.text);
      assert.equal(answer.json.error.code, -32001);
    }
    const again = await initialize(me);
    assert.equal(studioOf(again.response), "West");
    assert.equal(await where({ ...me, session: again.session }, callLegacy), "West");
    assert.equal(await where(me, callLegacy), "West", "without a session id the grant's studio counts");
    await removeMember(fixture.deps, west, { userId: person.user.id });
    const answer = await callLegacy({ ...me, session: open.session }, "tools/list");
    assert.deepEqual([answer.status, answer.text], [403, "No studio membership"]);
  });

  test("a session of a member who was removed from a studio that still exists moves to the first membership (STUDIO-2)", async () => {
    const { me, west, inWest, person } = await inTwoStudios();
    const { session } = await initialize(me);
    await removeMember(fixture.deps, west, { userId: inWest.user.id });
    assert.equal(await where({ ...me, session }, callLegacy), "East");
    await newMember(fixture.deps, west, "member", person);
    assert.equal(
      await where({ ...me, session }, callLegacy),
      "West",
      "the session keeps its studio for when they return",
    );
  });

  test("no membership at all: 403, text/plain, the words of the contract, whatever is asked", async () => {
    const { me, west, east, person } = await inTwoStudios();
    const { session } = await initialize(me);
    await removeMember(fixture.deps, west, { userId: person.user.id });
    await removeMember(fixture.deps, east, { userId: person.user.id });
    const answers = [
      await callModern(me, "tools/call", { name: "whoami" }),
      await callModern(me, "server/discover"),
      await callLegacy({ ...me, session }, "tools/list"),
      await callLegacy(me, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      }),
      await postMcp(me, "not even JSON"),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get("content-type"), "text/plain");
      assert.equal(answer.text, "No studio membership");
    }
  });

  test("a role counts from the next call on", async () => {
    const { me, west, inWest } = await inTwoStudios();
    const call = () => callModern(me, "tools/call", { name: "list_activity" });
    assert.match((await call()).json.result.content[0].text, /^forbidden: /);
    await changeRole(fixture.deps, west, { userId: inWest.user.id, role: "admin" });
    assert.equal((await call()).json.result.isError, undefined);
    await changeRole(fixture.deps, west, { userId: inWest.user.id, role: "member" });
    assert.equal((await call()).json.result.structuredContent.code, "forbidden");
  });

  test("no input chooses a studio or a user (T2)", async () => {
    const { me, east } = await inTwoStudios();
    for (const extra of [
      { studioId: east.studio.id },
      { studio_id: east.studio.id },
      { userId: east.user.id },
      { createdBy: east.user.id },
    ]) {
      const answer = await callModern(me, "tools/call", { name: "create_post", arguments: { title: "x", ...extra } });
      assert.equal(answer.json.result.structuredContent.code, "invalid_input");
    }
    assert.equal((await fixture.deps.posts.list(east.studio.id, { limit: 10 })).length, 0);
  });
});
