import assert from "node:assert/strict";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { accessEndings, readContentRows } from "../support/ending-access.ts";
import { forOneEngine } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { createTestToken } from "../support/tokens.ts";
import { createInvitationToken, newMember, newStudio, newUser } from "../support/users.ts";

interface SlowRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

forOneEngine("requests whose body arrives slowly", (fixture) => {
  let server: ApiServer;
  /** Called when the server has read who makes a request, which then waits for the result. */
  let onAuthenticated = async (): Promise<void> => {};
  const notify = async <T>(result: Promise<T>): Promise<T> => {
    const value = await result;
    await onAuthenticated();
    return value;
  };
  before(async () => {
    const { sessions, tokens, uploads, memberships } = fixture.deps;
    const deps: Deps = {
      ...fixture.deps,
      sessions: { ...sessions, findUser: (...args) => notify(sessions.findUser(...args)) },
      tokens: { ...tokens, resolve: (...args) => notify(tokens.resolve(...args)) },
      uploads: { ...uploads, findLink: (...args) => notify(uploads.findLink(...args)) },
      memberships: { ...memberships, findWithStudio: (...args) => notify(memberships.findWithStudio(...args)) },
    };
    server = await startApiServer(deps);
  });
  after(() => server.close());

  /** Sends one byte of the body, calls `change` when the server has read the caller's authority, and sends the rest. */
  async function sendSlowly(
    { method, path, headers, body }: SlowRequest,
    authorityReads: number,
    change: () => Promise<unknown>,
  ): Promise<{ status: number; text: string }> {
    const { host, port } = new URL(server.base);
    let reads = 0;
    const authenticated = new Promise<void>((resolve) => {
      onAuthenticated = async () => {
        if (++reads === authorityReads) resolve();
      };
      if (authorityReads === 0) resolve();
    });
    const req: ClientRequest = request({
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: { host, "content-length": String(Buffer.byteLength(body)), ...headers },
      agent: false,
    });
    const responded = new Promise<IncomingMessage>((resolve, reject) => {
      req.on("response", resolve);
      req.on("error", reject);
    });
    req.write(body.slice(0, 1));
    await authenticated;
    // The server now waits for the body, so nothing else reads the authority.
    onAuthenticated = async () => {};
    await change();
    req.end(body.slice(1));
    const res = await responded;
    const chunks: Buffer[] = [];
    for await (const chunk of res) chunks.push(chunk as Buffer);
    return { status: res.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
  }

  const apiRequest = async (caller: Caller, method: string, path: string, body: object): Promise<SlowRequest> => ({
    method,
    path: `/api/studios/${caller.studio.id}${path}`,
    headers: {
      cookie: await server.signIn(caller),
      "content-type": "application/json",
      origin: server.base,
      "sec-fetch-site": "same-origin",
    },
    body: JSON.stringify(body),
  });

  const mcpHeaders = (token: string): Record<string, string> => ({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });

  const mcpRequest = (token: string, call: object): SlowRequest => ({
    method: "POST",
    path: "/mcp",
    headers: mcpHeaders(token),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  });

  const demote = async ({ user, studio }: Caller) =>
    fixture.database.q
      .updateTable("memberships")
      .set({ role: "member" })
      .where("userId", "=", user.id)
      .where("studioId", "=", studio.id)
      .execute();

  const signOut = (cookie: string) =>
    fetch(`${server.base}/api/sign-out`, { method: "POST", headers: { cookie, origin: server.base } });

  /** Asserts that the request changes nothing if `end` runs before its last byte. */
  async function assertUnchanged(
    slowRequest: SlowRequest,
    authorityReads: number,
    end: () => Promise<unknown>,
    status: number,
  ): Promise<string> {
    let rows: unknown;
    const response = await sendSlowly(slowRequest, authorityReads, async () => {
      await end();
      rows = await readContentRows(fixture);
    });
    assert.equal(response.status, status, response.text);
    assert.deepEqual(await readContentRows(fixture), rows);
    return response.text;
  }

  test("an owner who is removed, demoted or signed out meanwhile changes nothing through the JSON API (F1)", async () => {
    const endings: [end: (caller: Caller, cookie: string) => Promise<unknown>, status: number][] = [
      [(caller) => accessEndings.removal(fixture, caller), 404],
      [demote, 403],
      [(_, cookie) => signOut(cookie), 401],
    ];
    for (const [end, status] of endings) {
      const owner = await newStudio(fixture.deps);
      const friend = await newMember(fixture.deps, owner, "member");
      const requests = [
        ["PATCH", `/members/${friend.user.id}`, { role: "owner" }],
        ["PATCH", "", { name: "Taken over" }],
        ["POST", "/deletion", { name: "Studio" }],
      ] as const;
      for (const [method, path, body] of requests) {
        const caller = await newMember(fixture.deps, owner, "owner");
        const slowRequest = await apiRequest(caller, method, path, body);
        // The session and the membership.
        await assertUnchanged(slowRequest, 2, () => end(caller, slowRequest.headers["cookie"] ?? ""), status);
      }
    }
  });

  test("a demoted user still does what the new role allows (F1)", async () => {
    const owner = await newStudio(fixture.deps);
    const admin = await newMember(fixture.deps, owner, "admin");
    const { id } = await createPost(fixture.deps, owner, { title: "Post", body: "" });
    const slowRequest = await apiRequest(admin, "PATCH", `/posts/${id}`, { title: "Edited" });
    const response = await sendSlowly(slowRequest, 2, () => demote(admin));
    assert.equal(response.status, 200, response.text);
  });

  test("a client that is revoked, or whose user is removed, changes nothing through /mcp (F1)", async () => {
    for (const [ending, status] of [
      ["credential", 401],
      ["removal", 403],
    ] as const) {
      const owner = await newStudio(fixture.deps);
      const client = await actThroughClient(fixture.deps, owner);
      const { id: postId } = await createPost(fixture.deps, owner, { title: "Post", body: "" });
      const token = await createTestToken(server.deps, client.grantId);
      const call = { name: "update_post", arguments: { postId, title: "Rewritten", revision: 1 } };
      await assertUnchanged(mcpRequest(token, call), 1, () => accessEndings[ending](fixture, client), status);
    }
  });

  test("an upload link that is withdrawn, or whose creator is removed, starts no file (F1, F2)", async () => {
    for (const ending of ["credential", "removal"] as const) {
      const owner = await newStudio(fixture.deps);
      const { id: postId } = await createPost(fixture.deps, owner, { title: "Post", body: "" });
      const { url } = await createUploadSession(server.deps, owner, { postId });
      const links = fixture.database.q.selectFrom("uploadLinks").select("id").where("postId", "=", postId);
      const { id: linkId } = await links.executeTakeFirstOrThrow();
      const slowRequest: SlowRequest = {
        method: "POST",
        path: "/api/uploads/files",
        headers: { "upload-token": url.split("/u/")[1] ?? "", "content-type": "application/json" },
        body: JSON.stringify({ name: "a.pdf", size: 10, lastModified: 1 }),
      };
      const caller: Caller = { ...owner, credential: { kind: "uploadLink", linkId, grantId: null } };
      await assertUnchanged(slowRequest, 1, () => accessEndings[ending](fixture, caller), 403);
    }
  });

  test("a user who signs out meanwhile does not join a studio (F1)", async () => {
    const owner = await newStudio(fixture.deps);
    const invitee = await newUser(fixture.deps);
    const cookie = await server.signIn(invitee);
    const path = `/join/${await createInvitationToken(fixture.deps, owner, "admin")}`;
    const page = await (await fetch(server.base + path, { headers: { cookie } })).text();
    const formToken = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? assert.fail("the page has no form");
    const slowRequest: SlowRequest = {
      method: "POST",
      path,
      headers: { cookie, "content-type": "application/x-www-form-urlencoded", origin: server.base },
      body: new URLSearchParams({ form: formToken }).toString(),
    };
    // The page reads the session only after the form.
    await assertUnchanged(slowRequest, 0, () => signOut(cookie), 303);
    assert.equal(await fixture.deps.memberships.find(owner.studio.id, invitee.user.id), undefined);
  });

  test("a call whose user leaves the studio meanwhile is not made in another studio (F1)", async () => {
    const owner = await newStudio(fixture.deps);
    const member = await newMember(fixture.deps, owner, "member");
    await fixture.database.q
      .updateTable("users")
      .set({ activeStudioId: owner.studio.id })
      .where("id", "=", member.user.id)
      .execute();
    const client = await actThroughClient(fixture.deps, member);
    await newStudio(fixture.deps, member, "Own");
    const call = { name: "create_post", arguments: { title: "For the first studio", body: "" } };
    const token = await createTestToken(server.deps, client.grantId);
    await assertUnchanged(mcpRequest(token, call), 1, () => accessEndings.removal(fixture, member), 403);
  });

  test("the calls of a batch stop when the client is revoked (F1)", async () => {
    const owner = await newStudio(fixture.deps);
    const client = await actThroughClient(fixture.deps, owner);
    const token = await createTestToken(server.deps, client.grantId);
    const body = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "list_posts" } }));
    // The first read authorizes the request and its first call, the second one the second call.
    let reads = 0;
    onAuthenticated = async () => {
      if (++reads === 1) await accessEndings.credential(fixture, client);
    };
    const response = await fetch(`${server.base}/mcp`, {
      method: "POST",
      headers: { ...mcpHeaders(token), "mcp-protocol-version": "2025-03-26" },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 401, await response.text());
  });
});
