import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import { addOwner, disableUser, enableUser, revokeGrants } from "#domain/operator/user-access.ts";
import { listGrants, listStudios, listUsers } from "#domain/operator/lookups.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { listMembers } from "#domain/studios/members.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { call, startApiServer } from "../support/api-server.ts";
import { createHttpBrowser, signInFromPage } from "../support/http-browser.ts";
import { forOneEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { createInvitationToken, newMember, newStudio, newUser, signInUser } from "../support/users.ts";
import { createTestGrant, createTestToken } from "../support/tokens.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const operator = { operator: true } as const;

forOneEngine("operator", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));

  const getMcpStatus = async (token: string): Promise<number> => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } };
    const headers = {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    };
    return (await call(server, "POST", "/mcp", { body, headers: { ...headers, origin: undefined } })).status;
  };
  const getMeStatus = async (cookie: string) => (await call(server, "GET", "/api/me", { cookie })).status;
  const getLinkStatus = async (url: string) => {
    const headers = { "upload-token": url.slice(url.lastIndexOf("/") + 1) };
    return (await call(server, "GET", "/api/uploads/session", { headers })).status;
  };
  const getStatuses = async ({ token, cookie, url }: { token: string; cookie: string; url: string }) => [
    await getMcpStatus(token),
    await getMeStatus(cookie),
    await getLinkStatus(url),
  ];
  const listActions = async (studioId: string) =>
    (await fixture.deps.activity.list(studioId, { limit: 50 })).map(({ action, userId, detail }) => [
      action,
      userId,
      detail["by"],
    ]);

  /** Creates every kind of access that a user can have: a session, a token, an upload link and an invitation. */
  async function createAllAccess(caller: Caller) {
    const deps = server.deps;
    const post = await createPost(deps, caller, { title: "A", body: "" });
    const { url } = await createUploadSession(deps, caller, { postId: post.id });
    const { token, grantId } = await createTestGrant(deps, caller);
    return {
      cookie: await server.signIn(caller),
      url,
      token,
      grantId,
      invitation: await createInvitationToken(deps, caller, "admin"),
    };
  }

  test("disabling a user ends all their access from the next call on, and adds an activity entry (L5)", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "owner");
    const access = await createAllAccess(member);
    const otherAccess = await createAllAccess(owner);
    assert.deepEqual(await getStatuses(access), [200, 200, 200]);
    const result = await disableUser(fixture.deps, operator, { user: member.user.id });
    assert.deepEqual(result, {
      userId: member.user.id,
      changed: true,
      ended: { sessions: 2, clients: 1, uploadLinks: 1, invitations: 1, calendarFeeds: 0 },
      withoutOwner: [],
    });
    assert.deepEqual(await getStatuses(access), [401, 401, 403]);
    assert.equal((await call(server, "GET", `/join/${access.invitation}`)).status, 404);
    assert.deepEqual(await getStatuses(otherAccess), [200, 200, 200], "other users keep their access");
    assert.deepEqual((await listActions(owner.studio.id))[0], ["member.disabled", null, "operator"]);

    const repeatedResult = await disableUser(fixture.deps, operator, { user: member.user.id });
    assert.deepEqual([repeatedResult.changed, repeatedResult.ended.clients], [false, 0]);
  });

  test("a call that runs while its user is disabled creates no access", async () => {
    const owner = await newStudio(fixture.deps);
    await disableUser(fixture.deps, operator, { user: owner.user.id });
    assert.equal(await getOutcome(createAllAccess(owner)), "not_found");
    const { grantId, token } = await createTestGrant(server.deps, owner);
    assert.equal(await getMcpStatus(token), 401);
    await enableUser(fixture.deps, operator, { user: owner.user.id });
    assert.equal(await getMcpStatus(await createTestToken(server.deps, grantId)), 401, "not even afterwards");
  });

  test("finds a user by email among many whose email contains it", async () => {
    const email = `an-${fixture.engine}@example.com`;
    const { user } = await newUser(fixture.deps, { email });
    for (let i = 0; i < 100; i++) await newUser(fixture.deps, { email: `j${i}${email}` });
    assert.equal((await disableUser(fixture.deps, operator, { user: email })).userId, user.id);
  });

  test("a disabled user cannot sign in; after enabling, the user can, but old access stays revoked", async () => {
    const email = `disabled-${fixture.engine}@example.com`;
    const signIn = async () => {
      const browser = createHttpBrowser();
      return signInFromPage(browser, await browser.open(`${server.base}/login?switch=1`), email);
    };
    assert.equal((await signIn()).status, 404, "signed in; this test serves no web app");
    const owner = await newStudioOf(email);
    const { token } = await createTestGrant(server.deps, owner);
    assert.equal(await getMcpStatus(token), 200);

    await disableUser(fixture.deps, operator, { user: email.toUpperCase() });
    const rejectedPage = await signIn();
    assert.equal(rejectedPage.status, 403);
    assert.match(rejectedPage.text, /This account has been disabled/);

    const enabled = await enableUser(fixture.deps, operator, { user: email });
    assert.deepEqual(enabled, { userId: owner.user.id, changed: true });
    assert.deepEqual((await listActions(owner.studio.id))[0], ["member.enabled", null, "operator"]);
    assert.equal((await enableUser(fixture.deps, operator, { user: email })).changed, false);
    assert.equal((await signIn()).status, 404);
    assert.equal(await getMcpStatus(token), 401);
    assert.equal(await getMcpStatus((await createTestGrant(server.deps, owner)).token), 200);
  });

  async function newStudioOf(email: string) {
    const [user] = await listUsers(fixture.deps, operator, { search: email, limit: 1 });
    assert.ok(user);
    return newStudio(fixture.deps, await signInUser(fixture.deps, user));
  }

  test("disabling the only owner reports the studio, which can be transferred to any user (L5)", async () => {
    for (const role of ["admin", undefined] as const) {
      const owner = await newStudio(fixture.deps);
      const newOwner: SignedInUser = role ? await newMember(fixture.deps, owner, role) : await newUser(fixture.deps);
      const { withoutOwner } = await disableUser(fixture.deps, operator, { user: owner.user.id });
      assert.deepEqual(withoutOwner, [{ id: owner.studio.id, name: "Studio" }]);

      const input = { studioId: owner.studio.id, user: newOwner.user.id };
      assert.equal((await addOwner(fixture.deps, operator, input)).changed, true);
      assert.equal((await addOwner(fixture.deps, operator, input)).changed, false);
      assert.deepEqual((await listActions(owner.studio.id))[0], ["studio.handed_over", null, "operator"]);
      const caller = await resolveStudioCaller(fixture.deps, newOwner, owner.studio.id);
      assert.equal(caller.role, "owner");
      const { members } = await listMembers(fixture.deps, caller);
      assert.equal(members.filter((member) => member.role === "owner").length, 2);

      const disabledInput = { studioId: owner.studio.id, user: owner.user.id };
      assert.equal(await getOutcome(addOwner(fixture.deps, operator, disabledInput)), "forbidden");
    }
  });

  test("does not transfer a studio to a user whose email is not verified, except by id (A24)", async () => {
    const { studio } = await newStudio(fixture.deps);
    const { user } = await newUser(fixture.deps, { email: "claimed@example.com", emailVerified: false });
    const transferTo = (idOrEmail: string) =>
      getOutcome(addOwner(fixture.deps, operator, { studioId: studio.id, user: idOrEmail }));
    assert.equal(await transferTo("claimed@example.com"), "invalid_input");
    assert.equal(await transferTo(user.id), "ok");
  });

  test("twenty concurrent transfers add one owner", async () => {
    const [owner, newOwner] = [await newStudio(fixture.deps), await newUser(fixture.deps)];
    const input = { studioId: owner.studio.id, user: newOwner.user.id };
    const results = await Promise.all(Array.from({ length: 20 }, () => addOwner(fixture.deps, operator, input)));
    assert.equal(results.filter(({ changed }) => changed).length, 1);
    const [studio] = await listStudios(fixture.deps, operator, { limit: 1 });
    assert.deepEqual([studio?.id, studio?.members, studio?.owners.length], [owner.studio.id, 2, 2]);
    const ownerCountQuery = fixture.database.q
      .selectFrom("studios")
      .select("ownerCount")
      .where("id", "=", owner.studio.id);
    assert.equal((await ownerCountQuery.executeTakeFirstOrThrow()).ownerCount, 2);
  });

  test("lists grants of all users, one user or one client, and revokes them immediately (L5)", async () => {
    const owner = await newStudio(fixture.deps);
    const firstGrant = await createTestGrant(server.deps, owner, { client: "One" });
    const secondGrant = await createTestGrant(server.deps, owner, { client: "Two" });
    const listGrantIds = async (filter: { user?: string; clientId?: string; includeRevoked?: boolean }) =>
      (await listGrants(fixture.deps, operator, { includeRevoked: false, limit: 100, ...filter })).map(({ id }) => id);
    assert.deepEqual(await listGrantIds({ user: owner.user.id }), [secondGrant.grantId, firstGrant.grantId]);
    assert.deepEqual((await listGrantIds({})).slice(0, 2), [secondGrant.grantId, firstGrant.grantId]);
    assert.ok((await listGrantIds({ clientId: "client-one" })).includes(firstGrant.grantId));

    const revoke = (...grantIds: string[]) => revokeGrants(fixture.deps, operator, { grantIds });
    assert.equal(await getOutcome(revoke(firstGrant.grantId, "con_x")), "not_found");
    assert.equal(await getMcpStatus(firstGrant.token), 200, "a request with an unknown id revokes no grant");
    assert.deepEqual(await revoke(firstGrant.grantId), { ended: [firstGrant.grantId], before: [] });
    assert.deepEqual([await getMcpStatus(firstGrant.token), await getMcpStatus(secondGrant.token)], [401, 200]);
    assert.deepEqual((await listActions(owner.studio.id))[0], ["client.revoked", null, "operator"]);
    assert.deepEqual(await listGrantIds({ user: owner.user.id }), [secondGrant.grantId]);
    assert.deepEqual(await listGrantIds({ user: owner.user.id, includeRevoked: true }), [
      secondGrant.grantId,
      firstGrant.grantId,
    ]);
    assert.deepEqual((await revoke(firstGrant.grantId)).before, [firstGrant.grantId]);
  });

  test("lists users by page, finds them by name or email, and never acts on a partial email", async () => {
    const sharedEmail = `twin-${fixture.engine}@example.com`;
    const [firstUser, secondUser] = [
      await newUser(fixture.deps, { email: sharedEmail }),
      await newUser(fixture.deps, { email: sharedEmail }),
    ];
    const owner = await newStudio(fixture.deps, firstUser, "Atelier 100%");
    const page = await listUsers(fixture.deps, operator, { search: "TWIN-", limit: 1 });
    assert.deepEqual(
      page.map(({ id }) => id),
      [secondUser.user.id],
    );
    const nextPage = await listUsers(fixture.deps, operator, { search: "TWIN-", before: secondUser.user.id, limit: 5 });
    assert.deepEqual(nextPage[0]?.studios, [{ id: owner.studio.id, name: "Atelier 100%", role: "owner" }]);
    const studios = await listStudios(fixture.deps, operator, { search: "100%", limit: 5 });
    assert.deepEqual(
      studios.map(({ id }) => id),
      [owner.studio.id],
    );
    await newStudio(fixture.deps, firstUser, "Élan");
    const [elan] = await listStudios(fixture.deps, operator, { search: "ÉL", limit: 5 });
    assert.equal(elan?.name, "Élan");
    assert.equal(await getOutcome(disableUser(fixture.deps, operator, { user: sharedEmail })), "invalid_input");
    for (const user of ["twin", "@example.com", "usr_", "unknown@example.com", "%"])
      assert.equal(await getOutcome(disableUser(fixture.deps, operator, { user })), "not_found", user);
    assert.equal(
      await getOutcome(addOwner(fixture.deps, operator, { studioId: "std_x", user: firstUser.user.id })),
      "not_found",
    );
  });
});
