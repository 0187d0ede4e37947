import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setActiveStudio } from "#domain/access/set-active-studio.ts";
import type { SignedIn } from "#domain/caller.ts";
import { changeRole } from "#domain/studios/change-role.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { removeMember } from "#domain/studios/remove-member.ts";
import { forEachEngine } from "../support/engines.ts";
import {
  initialize,
  legacy,
  modern,
  post,
  startMcp,
  type Answer,
  type Caller,
  type McpServer,
} from "../support/mcp.ts";
import { newMember, newPerson, newStudio } from "../support/people.ts";
import { approve, newToken } from "../support/tokens.ts";

const studioOf = (answer: Answer): string => answer.json.result._meta["atelier/studio"].name;

forEachEngine("which studio a call acts on", (bed) => {
  let server: McpServer;
  before(async () => void (server = await startMcp(bed)));
  after(() => server.close());

  /** A person in two studios of other people: East first, then West, which is active. */
  async function inTwoStudios() {
    const { deps } = bed;
    const east = await newStudio(deps, undefined, "East");
    const west = await newStudio(deps, undefined, "West");
    const person = await newPerson(deps);
    const inEast = await newMember(deps, east, "member", person);
    bed.clock.advance(1000);
    const inWest = await newMember(deps, west, "member", person);
    await setActiveStudio(deps, person, { studioId: west.studio.id });
    const { token, grantId } = await approve(deps, person);
    return { east, west, person, inEast, inWest, grantId, me: { url: server.url, token } };
  }

  const activate = (person: SignedIn, studio: { studio: { id: string } }) =>
    setActiveStudio(bed.deps, person, { studioId: studio.studio.id });

  /** The studio that whoami answers; it is also the one in `_meta`. */
  async function where(me: Caller, wire: typeof modern | typeof legacy = modern): Promise<string> {
    const answer = await wire(me, "tools/call", { name: "whoami" });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.result.structuredContent.studio.name, studioOf(answer));
    return studioOf(answer);
  }

  test("2025 wire: the active studio at initialize; the open session stays, a new one moves", async () => {
    const { me, person, east } = await inTwoStudios();
    const first = await initialize(me);
    assert.equal(studioOf(first.answer), "West");
    assert.match(first.answer.json.result.instructions, /studio "West", with the role member/);
    await activate(person, east);
    assert.equal(await where({ ...me, session: first.session }, legacy), "West");
    const second = await initialize(me);
    assert.equal(await where({ ...me, session: second.session }, legacy), "East");
    assert.equal(await where({ ...me, session: first.session }, legacy), "West");
  });

  test("2025 wire: a session survives the refresh of its token", async () => {
    const { me, grantId } = await inTwoStudios();
    const { session } = await initialize(me);
    const token = await newToken(bed.deps, grantId);
    assert.equal(await where({ ...me, token, session }, legacy), "West");
  });

  test("2025 wire: a request without a session acts as on the new wire", async () => {
    const { me, person, east } = await inTwoStudios();
    await activate(person, east);
    assert.equal(await where(me, legacy), "West");
    await modern(me, "server/discover");
    assert.equal(await where(me, legacy), "East");
  });

  test("2026 wire: the studio of the approval; a switch alone moves nothing, connecting anew does, and activity tells", async () => {
    const { me, person, east, inEast } = await inTwoStudios();
    assert.equal(await where(me), "West");
    await activate(person, east);
    assert.equal(await where(me), "West");
    const discovered = await modern(me, "server/discover");
    assert.equal(studioOf(discovered), "East");
    assert.match(discovered.json.result.instructions, /studio "East"/);
    assert.equal(await where(me), "East");
    await modern(me, "server/discover");
    const rows = await bed.deps.activity.list(inEast.studio.id, { limit: 10 });
    assert.deepEqual(
      rows.filter(({ action }) => action === "client.moved").map(({ userId, clientName }) => ({ userId, clientName })),
      [{ userId: person.user.id, clientName: "Test client" }],
    );
  });

  test("an open 2025 session is not moved by a server/discover of the same approval", async () => {
    const { me, person, east } = await inTwoStudios();
    const { session } = await initialize(me);
    await activate(person, east);
    await modern(me, "server/discover");
    assert.equal(await where({ ...me, session }, legacy), "West");
    assert.equal(await where(me), "East");
  });

  test("membership lost: the first membership, on both wires, at once", async () => {
    const { me, west, inWest } = await inTwoStudios();
    const { session } = await initialize(me);
    await removeMember(bed.deps, west, { userId: inWest.user.id });
    assert.equal(await where(me), "East");
    assert.equal(await where({ ...me, session }, legacy), "East");
    const again = await initialize(me);
    assert.equal(studioOf(again.answer), "East");
    assert.equal(studioOf(await modern(me, "server/discover")), "East");
  });

  test("[STUDIO-2] [T10] a session whose studio was deleted gets 404, and a new one starts in a studio that exists", async () => {
    const { me, person, east, west } = await inTwoStudios();
    await activate(person, east);
    const open = await initialize(me);
    assert.equal(await where({ ...me, session: open.session }, legacy), "East");
    await deleteStudio(bed.deps, east, { name: "East" });
    for (const method of ["tools/list", "tools/call"]) {
      const answer = await legacy({ ...me, session: open.session }, method, { name: "whoami" });
      assert.equal(answer.status, 404, answer.text);
      assert.equal(answer.json.error.code, -32001);
    }
    const again = await initialize(me);
    assert.equal(studioOf(again.answer), "West");
    assert.equal(await where({ ...me, session: again.session }, legacy), "West");
    assert.equal(await where(me, legacy), "West", "without a session id the grant's studio counts");
    await removeMember(bed.deps, west, { userId: person.user.id });
    const answer = await legacy({ ...me, session: open.session }, "tools/list");
    assert.deepEqual([answer.status, answer.text], [403, "No studio membership"]);
  });

  test("[STUDIO-2] a session of a member who was removed from a studio that still exists moves to the first membership", async () => {
    const { me, west, inWest, person } = await inTwoStudios();
    const { session } = await initialize(me);
    await removeMember(bed.deps, west, { userId: inWest.user.id });
    assert.equal(await where({ ...me, session }, legacy), "East");
    await newMember(bed.deps, west, "member", person);
    assert.equal(await where({ ...me, session }, legacy), "West", "the session keeps its studio for when they return");
  });

  test("no membership at all: 403, text/plain, the words of the contract, whatever is asked", async () => {
    const { me, west, east, person } = await inTwoStudios();
    const { session } = await initialize(me);
    await removeMember(bed.deps, west, { userId: person.user.id });
    await removeMember(bed.deps, east, { userId: person.user.id });
    const answers = [
      await modern(me, "tools/call", { name: "whoami" }),
      await modern(me, "server/discover"),
      await legacy({ ...me, session }, "tools/list"),
      await legacy(me, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      }),
      await post(me, "not even JSON"),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get("content-type"), "text/plain");
      assert.equal(answer.text, "No studio membership");
    }
  });

  test("a role counts from the next call on", async () => {
    const { me, west, inWest } = await inTwoStudios();
    const call = () => modern(me, "tools/call", { name: "list_activity" });
    assert.match((await call()).json.result.content[0].text, /^forbidden: /);
    await changeRole(bed.deps, west, { userId: inWest.user.id, role: "admin" });
    assert.equal((await call()).json.result.isError, undefined);
    await changeRole(bed.deps, west, { userId: inWest.user.id, role: "member" });
    assert.equal((await call()).json.result.structuredContent.code, "forbidden");
  });

  test("[T2] no input chooses a studio or a user", async () => {
    const { me, east } = await inTwoStudios();
    for (const extra of [
      { studioId: east.studio.id },
      { studio_id: east.studio.id },
      { userId: east.user.id },
      { createdBy: east.user.id },
    ]) {
      const answer = await modern(me, "tools/call", { name: "create_post", arguments: { title: "x", ...extra } });
      assert.equal(answer.json.result.structuredContent.code, "invalid_input");
    }
    assert.equal((await bed.deps.posts.list(east.studio.id, { limit: 10 })).length, 0);
  });
});
