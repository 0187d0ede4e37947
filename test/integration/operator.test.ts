import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { SignedInUser } from "#domain/caller.ts";
import { disableUser, enableUser, revokeGrants } from "#domain/operator/user-access.ts";
import { handOverStudio } from "#domain/operator/transfer-studio.ts";
import { listGrants, listStudios, listUsers } from "#domain/operator/lookups.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { listMembers } from "#domain/studios/members.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { createHttpBrowser, signInFromPage } from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";
import { createTestGrant, createTestToken } from "../support/tokens.ts";

const operator = { operator: true } as const;

forEachEngine("the operator", (fixture) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(fixture.deps)));
  after(() => server.close());

  const mcpStatus = async (token: string): Promise<number> => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } };
    const headers = {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    };
    return (await call(server, "POST", "/mcp", { body, headers: { ...headers, origin: undefined } })).status;
  };
  const meStatus = async (cookie: string) => (await call(server, "GET", "/api/me", { cookie })).status;
  const linkStatus = async (url: string) => {
    const headers = { "upload-token": url.slice(url.lastIndexOf("/") + 1) };
    return (await call(server, "GET", "/api/uploads/session", { headers })).status;
  };
  const actions = async (studioId: string) =>
    (await fixture.deps.activity.list(studioId, { limit: 50 })).map(({ action, userId, detail }) => [
      action,
      userId,
      detail["by"],
    ]);

  /** Everything a person can hold: a session, a token, an upload link, an invitation they made. */
  async function everythingOf(person: Awaited<ReturnType<typeof newStudio>>) {
    const deps = server.deps;
    const post = await createPost(deps, person, { title: "A", body: "" });
    const { url } = await createUploadSession(deps, person, { postId: post.id });
    const { token, grantId } = await createTestGrant(deps, person);
    return {
      cookie: await server.signIn(person),
      url,
      token,
      grantId,
      invitation: await createInvitationToken(deps, person, "admin"),
    };
  }

  test("disabling a user ends all they hold, from the next call on, and their studios can read it (L5)", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "owner");
    const held = await everythingOf(member);
    const others = await everythingOf(owner);
    assert.deepEqual(
      [await mcpStatus(held.token), await meStatus(held.cookie), await linkStatus(held.url)],
      [200, 200, 200],
    );
    const done = await disableUser(fixture.deps, operator, { user: member.user.id });
    assert.deepEqual(done, {
      userId: member.user.id,
      changed: true,
      ended: { sessions: 1, clients: 1, uploadLinks: 1, invitations: 1 },
      withoutOwner: [],
    });
    assert.deepEqual(
      [await mcpStatus(held.token), await meStatus(held.cookie), await linkStatus(held.url)],
      [401, 401, 403],
    );
    assert.equal((await call(server, "GET", `/join/${held.invitation}`)).status, 404);
    assert.deepEqual(
      [await mcpStatus(others.token), await meStatus(others.cookie), await linkStatus(others.url)],
      [200, 200, 200],
      "nobody else lost anything",
    );
    assert.deepEqual((await actions(owner.studio.id))[0], ["member.disabled", null, "operator"]);

    const again = await disableUser(fixture.deps, operator, { user: member.user.id });
    assert.deepEqual([again.changed, again.ended.clients], [false, 0]);
  });

  test("what is made in the same moment as the disabling is good for nothing either", async () => {
    const owner = await newStudio(fixture.deps);
    await disableUser(fixture.deps, operator, { user: owner.user.id });
    const late = await everythingOf(owner);
    assert.deepEqual(
      [await mcpStatus(late.token), await meStatus(late.cookie), await linkStatus(late.url)],
      [401, 401, 403],
    );
    assert.equal(await mcpStatus(await createTestToken(server.deps, late.grantId)), 401);
    await enableUser(fixture.deps, operator, { user: owner.user.id });
    assert.deepEqual(
      [await mcpStatus(late.token), await meStatus(late.cookie), await linkStatus(late.url)],
      [401, 401, 403],
      "nor when they are let in again",
    );
  });

  test("a disabled user cannot sign in, and after enabling can, with nothing of before", async () => {
    const email = `shut-out-${fixture.engine}@example.com`;
    const signIn = async () => {
      const browser = createHttpBrowser();
      return signInFromPage(browser, await browser.open(`${server.base}/login?switch=1`), email);
    };
    assert.equal((await signIn()).status, 404, "signed in, and the web app of this test has no pages");
    const owner = await studioOf(email);
    const { token } = await createTestGrant(server.deps, owner);
    assert.equal(await mcpStatus(token), 200);

    await disableUser(fixture.deps, operator, { user: email.toUpperCase() });
    const refused = await signIn();
    assert.equal(refused.status, 403);
    assert.match(refused.text, /This account has been disabled/);

    assert.deepEqual(await enableUser(fixture.deps, operator, { user: email }), {
      userId: owner.user.id,
      changed: true,
    });
    assert.deepEqual((await actions(owner.studio.id))[0], ["member.enabled", null, "operator"]);
    assert.equal((await enableUser(fixture.deps, operator, { user: email })).changed, false);
    assert.equal((await signIn()).status, 404);
    assert.equal(await mcpStatus(token), 401);
    assert.equal(await mcpStatus((await createTestGrant(server.deps, owner)).token), 200);
  });

  async function studioOf(email: string) {
    const [user] = await listUsers(fixture.deps, operator, { search: email, limit: 1 });
    assert.ok(user);
    return newStudio(fixture.deps, { user: { id: user.id, name: user.name, email: user.email } });
  }

  test("a studio whose only owner is disabled is named, and gets a new one, member or not (L5)", async () => {
    for (const role of ["admin", undefined] as const) {
      const owner = await newStudio(fixture.deps);
      const heir: SignedInUser = role ? await newMember(fixture.deps, owner, role) : await newUser(fixture.deps);
      const { withoutOwner } = await disableUser(fixture.deps, operator, { user: owner.user.id });
      assert.deepEqual(withoutOwner, [{ id: owner.studio.id, name: "Studio" }]);

      const input = { studioId: owner.studio.id, user: heir.user.id };
      assert.equal((await handOverStudio(fixture.deps, operator, input)).changed, true);
      assert.equal((await handOverStudio(fixture.deps, operator, input)).changed, false);
      assert.deepEqual((await actions(owner.studio.id))[0], ["studio.handed_over", null, "operator"]);
      const caller = await resolveStudioCaller(fixture.deps, heir, owner.studio.id);
      assert.equal(caller.role, "owner");
      const { members } = await listMembers(fixture.deps, caller);
      assert.equal(members.filter((one) => one.role === "owner").length, 2);

      const back = { studioId: owner.studio.id, user: owner.user.id };
      assert.equal(await getOutcome(handOverStudio(fixture.deps, operator, back)), "forbidden", "disabled");
    }
  });

  test("twenty hand-overs at once make one owner", async () => {
    const [owner, heir] = [await newStudio(fixture.deps), await newUser(fixture.deps)];
    const input = { studioId: owner.studio.id, user: heir.user.id };
    const all = await Promise.all(Array.from({ length: 20 }, () => handOverStudio(fixture.deps, operator, input)));
    assert.equal(all.filter(({ changed }) => changed).length, 1);
    const [studio] = await listStudios(fixture.deps, operator, { limit: 1 });
    assert.deepEqual([studio?.id, studio?.members, studio?.owners.length], [owner.studio.id, 2, 2]);
    const counted = fixture.database.q.selectFrom("studios").select("owner_count").where("id", "=", owner.studio.id);
    assert.equal((await counted.executeTakeFirstOrThrow()).owner_count, 2);
  });

  test("approvals are listed for everyone, one user or one client, and end at once (L5)", async () => {
    const owner = await newStudio(fixture.deps);
    const first = await createTestGrant(server.deps, owner, { client: "One" });
    const second = await createTestGrant(server.deps, owner, { client: "Two" });
    const list = async (filter: { user?: string; clientId?: string; ended?: boolean }) =>
      (await listGrants(fixture.deps, operator, { ended: false, limit: 100, ...filter })).map(({ id }) => id);
    assert.deepEqual(await list({ user: owner.user.id }), [second.grantId, first.grantId]);
    assert.deepEqual((await list({})).slice(0, 2), [second.grantId, first.grantId]);
    assert.ok((await list({ clientId: "client-one" })).includes(first.grantId));

    assert.equal(
      await getOutcome(revokeGrants(fixture.deps, operator, { grantIds: [first.grantId, "con_x"] })),
      "not_found",
    );
    assert.equal(await mcpStatus(first.token), 200, "all or none are known");
    assert.deepEqual(await revokeGrants(fixture.deps, operator, { grantIds: [first.grantId] }), {
      ended: [first.grantId],
      before: [],
    });
    assert.deepEqual([await mcpStatus(first.token), await mcpStatus(second.token)], [401, 200]);
    assert.deepEqual((await actions(owner.studio.id))[0], ["client.revoked", null, "operator"]);
    assert.deepEqual(await list({ user: owner.user.id }), [second.grantId]);
    assert.deepEqual(await list({ user: owner.user.id, ended: true }), [second.grantId, first.grantId]);
    assert.deepEqual((await revokeGrants(fixture.deps, operator, { grantIds: [first.grantId] })).before, [
      first.grantId,
    ]);
  });

  test("users are listed by page, found by name or address, and never by half an address", async () => {
    const shared = `twin-${fixture.engine}@example.com`;
    const [one, two] = [await newUser(fixture.deps, { email: shared }), await newUser(fixture.deps, { email: shared })];
    const owner = await newStudio(fixture.deps, one, "Atelier 100%");
    const page = await listUsers(fixture.deps, operator, { search: "TWIN-", limit: 1 });
    assert.deepEqual(
      page.map(({ id }) => id),
      [two.user.id],
    );
    const rest = await listUsers(fixture.deps, operator, { search: "TWIN-", before: two.user.id, limit: 5 });
    assert.deepEqual(rest[0]?.studios, [{ id: owner.studio.id, name: "Atelier 100%", role: "owner" }]);
    const named = await listStudios(fixture.deps, operator, { search: "100%", limit: 5 });
    assert.deepEqual(
      named.map(({ id }) => id),
      [owner.studio.id],
    );
    assert.equal(await getOutcome(disableUser(fixture.deps, operator, { user: shared })), "invalid_input");
    for (const user of ["twin", "@example.com", "usr_", "nobody@example.com", "%"])
      assert.equal(await getOutcome(disableUser(fixture.deps, operator, { user })), "not_found", user);
    assert.equal(
      await getOutcome(handOverStudio(fixture.deps, operator, { studioId: "std_x", user: one.user.id })),
      "not_found",
    );
  });
});
