import assert from "node:assert/strict";
import { test } from "node:test";
import { setActiveStudio } from "#domain/access/me.ts";
import type { SignedInUser } from "#domain/caller.ts";
import { removeMember } from "#domain/studios/members.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  postMcp,
  useMcpServer,
  type McpResponse,
  type McpCaller,
} from "../support/mcp.ts";
import { newMember, newUser, newStudio } from "../support/users.ts";
import { createTestGrant, createTestToken } from "../support/tokens.ts";

const getStudioName = (response: McpResponse): string => response.json.result._meta["atelier/studio"].name;

forOneEngine("studio that an MCP call acts on", (fixture) => {
  const server = useMcpServer(fixture);

  /** Creates a user who is a member of two studios: East first, then West, which is active. */
  async function newMemberOfTwoStudios() {
    const { deps } = fixture;
    const eastOwner = await newStudio(deps, undefined, "East");
    const westOwner = await newStudio(deps, undefined, "West");
    const member = await newUser(deps);
    const eastMember = await newMember(deps, eastOwner, "member", member);
    fixture.clock.advance(1000);
    const westMember = await newMember(deps, westOwner, "member", member);
    await setActiveStudio(deps, member, { studioId: westOwner.studio.id });
    const { token, grantId } = await createTestGrant(deps, member);
    return { eastOwner, westOwner, member, eastMember, westMember, grantId, caller: { url: server.url, token } };
  }

  const activate = (user: SignedInUser, { studio }: { studio: { id: string } }) =>
    setActiveStudio(fixture.deps, user, { studioId: studio.id });

  /** Returns the studio in the result of whoami, and checks that `_meta` names the same one. */
  async function getCallStudio(
    caller: McpCaller,
    call: typeof callModern | typeof callLegacy = callModern,
  ): Promise<string> {
    const response = await call(caller, "tools/call", { name: "whoami" });
    assert.equal(response.status, 200, response.text);
    assert.equal(response.json.result.structuredContent.studio.name, getStudioName(response));
    return getStudioName(response);
  }

  test("a 2025 session keeps the studio that was active at initialize, and a new session uses the new one", async () => {
    const { caller, member, eastOwner } = await newMemberOfTwoStudios();
    const first = await initialize(caller);
    assert.equal(getStudioName(first.response), "West");
    assert.match(first.response.json.result.instructions, /studio "West", with the role member/);
    await activate(member, eastOwner);
    assert.equal(await getCallStudio({ ...caller, session: first.session }, callLegacy), "West");
    const second = await initialize(caller);
    assert.equal(await getCallStudio({ ...caller, session: second.session }, callLegacy), "East");
    assert.equal(await getCallStudio({ ...caller, session: first.session }, callLegacy), "West");
  });

  test("a 2025 session survives the refresh of its token", async () => {
    const { caller, grantId } = await newMemberOfTwoStudios();
    const { session } = await initialize(caller);
    const token = await createTestToken(fixture.deps, grantId);
    assert.equal(await getCallStudio({ ...caller, token, session }, callLegacy), "West");
  });

  test("a 2025 request without a session uses the studio of the grant", async () => {
    const { caller, member, eastOwner } = await newMemberOfTwoStudios();
    await activate(member, eastOwner);
    assert.equal(await getCallStudio(caller, callLegacy), "West");
    await callModern(caller, "server/discover");
    assert.equal(await getCallStudio(caller, callLegacy), "East");
  });

  test("a 2026 client keeps the studio of its grant until server/discover, and activity records the move", async () => {
    const { caller, member, eastOwner, eastMember } = await newMemberOfTwoStudios();
    assert.equal(await getCallStudio(caller), "West");
    await activate(member, eastOwner);
    assert.equal(await getCallStudio(caller), "West");
    const discovery = await callModern(caller, "server/discover");
    assert.equal(getStudioName(discovery), "East");
    assert.match(discovery.json.result.instructions, /studio "East"/);
    assert.equal(await getCallStudio(caller), "East");
    await callModern(caller, "server/discover");
    const rows = await fixture.deps.activity.list(eastMember.studio.id, { limit: 10 });
    assert.deepEqual(
      rows.filter(({ action }) => action === "client.moved").map(({ userId, clientName }) => ({ userId, clientName })),
      [{ userId: member.user.id, clientName: "Test client" }],
    );
  });

  test("server/discover does not move an open 2025 session of the same grant", async () => {
    const { caller, member, eastOwner } = await newMemberOfTwoStudios();
    const { session } = await initialize(caller);
    await activate(member, eastOwner);
    await callModern(caller, "server/discover");
    assert.equal(await getCallStudio({ ...caller, session }, callLegacy), "West");
    assert.equal(await getCallStudio(caller), "East");
  });

  test("a session whose studio was deleted gets 404, and a new one starts in a studio that exists (STUDIO-2, T10)", async () => {
    const { caller, member, eastOwner, westOwner } = await newMemberOfTwoStudios();
    await activate(member, eastOwner);
    const { session } = await initialize(caller);
    assert.equal(await getCallStudio({ ...caller, session }, callLegacy), "East");
    await deleteStudio(fixture.deps, eastOwner, { name: "East" });
    for (const method of ["tools/list", "tools/call"]) {
      const response = await callLegacy({ ...caller, session }, method, { name: "whoami" });
      assert.equal(response.status, 404, response.text);
      assert.equal(response.json.error.code, -32001);
    }
    const reopened = await initialize(caller);
    assert.equal(getStudioName(reopened.response), "West");
    assert.equal(await getCallStudio({ ...caller, session: reopened.session }, callLegacy), "West");
    assert.equal(await getCallStudio(caller, callLegacy), "West", "without a session, the studio of the grant");
    await removeMember(fixture.deps, westOwner, { userId: member.user.id });
    const response = await callLegacy({ ...caller, session }, "tools/list");
    assert.deepEqual([response.status, response.text], [403, "No studio membership"]);
  });

  test("when a user is removed from a studio, their session moves to the studio they joined first, and back when they rejoin (STUDIO-2)", async () => {
    const { caller, westOwner, westMember, member } = await newMemberOfTwoStudios();
    const { session } = await initialize(caller);
    await removeMember(fixture.deps, westOwner, { userId: westMember.user.id });
    assert.equal(await getCallStudio({ ...caller, session }, callLegacy), "East");
    assert.equal(await getCallStudio(caller), "East");
    assert.equal(getStudioName((await initialize(caller)).response), "East");
    await newMember(fixture.deps, westOwner, "member", member);
    assert.equal(await getCallStudio({ ...caller, session }, callLegacy), "West");
  });

  test("responds 403 No studio membership as plain text to every request from a user without a studio, until they have one (AUTH-3)", async () => {
    const { caller, westOwner, eastOwner, member } = await newMemberOfTwoStudios();
    const { session } = await initialize(caller);
    await removeMember(fixture.deps, westOwner, { userId: member.user.id });
    await removeMember(fixture.deps, eastOwner, { userId: member.user.id });
    const responses = [
      await callModern(caller, "tools/call", { name: "whoami" }),
      await callModern(caller, "server/discover"),
      await callLegacy({ ...caller, session }, "tools/list"),
      await callLegacy(caller, "initialize", { protocolVersion: "2025-11-25" }),
      await postMcp(caller, "not JSON"),
    ];
    for (const response of responses) {
      assert.equal(response.status, 403);
      assert.equal(response.headers.get("content-type"), "text/plain");
      assert.equal(response.text, "No studio membership");
    }
    await newStudio(fixture.deps, member, "Own");
    assert.equal(await getCallStudio(caller), "Own");
  });
});
