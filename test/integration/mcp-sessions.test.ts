import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { days } from "#lib/clock.ts";
import { createSigner } from "#lib/signed-token.ts";
import { tools } from "#mcp/tool-list.ts";
import { forEachEngine } from "../support/engines.ts";
import { initialize, callLegacy, callModern, postMcp, startMcpServer, type TestMcpServer } from "../support/mcp.ts";
import { newUser, newStudio } from "../support/users.ts";
import { createTestGrant, createTestToken } from "../support/tokens.ts";

const challenge = (base: string, error = "") =>
  `Bearer ${error}resource_metadata="${base}/.well-known/oauth-protected-resource"`;

forEachEngine("mcp sessions and tokens", (fixture) => {
  let server: TestMcpServer;
  before(async () => void (server = await startMcpServer(fixture)));
  after(() => server.close());

  async function newClient() {
    const owner = await newStudio(fixture.deps);
    const { token, grantId } = await createTestGrant(fixture.deps, owner);
    return { owner, grantId, me: { url: server.url, token } };
  }

  test("a session is 404 for any other grant, even of the same person, and for nobody a way in (M12)", async () => {
    const { me, owner } = await newClient();
    const stranger = await newClient();
    const { session } = await initialize(me);
    const { token: other } = await createTestGrant(fixture.deps, owner);
    for (const token of [other, stranger.me.token]) {
      const answer = await callLegacy({ url: server.url, token, session }, "tools/list");
      assert.equal(answer.status, 404);
      assert.equal(answer.json.error.code, -32001);
    }
    assert.equal((await callLegacy({ url: server.url, session }, "tools/list")).status, 401);
    assert.equal((await callLegacy({ ...me, session }, "tools/list")).status, 200);
  });

  test("forged, altered, foreign and worn-out sessions are 404 (M12)", async () => {
    const { me, grantId, owner } = await newClient();
    const { session } = await initialize(me);
    const claims = { g: grantId, s: owner.studio.id, v: "2025-11-25" };
    const later = fixture.clock() + days(1);
    const foreign = createSigner(["another secret of thirty-two bytes!!"], fixture.clock).sign(
      "mcp-session",
      claims,
      later,
    );
    const misused = createSigner(["a secret of at least thirty-two bytes"], fixture.clock).sign(
      "upload",
      claims,
      later,
    );
    const old = createSigner(["a secret of at least thirty-two bytes"], fixture.clock).sign(
      "mcp-session",
      claims,
      fixture.clock() - 1,
    );
    for (const id of [
      `${session}x`,
      session.slice(1),
      session.split(".")[0] ?? "",
      "x",
      "a.b",
      foreign,
      misused,
      old,
      "x".repeat(5000),
    ]) {
      const answer = await callLegacy({ ...me, session: id }, "tools/list");
      assert.equal(answer.status, 404, id);
      assert.equal(answer.text.includes(id.slice(0, 20)), false);
    }
  });

  test("GET and DELETE are 405, with or without a session (M11)", async () => {
    const { me } = await newClient();
    const { session } = await initialize(me);
    for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
      for (const headers of [{}, { "mcp-session-id": session }]) {
        const answer = await fetch(server.url, {
          method,
          headers: { ...headers, authorization: `Bearer ${me.token}` },
        });
        assert.equal(answer.status, 405);
        assert.equal(answer.headers.get("allow"), "POST");
      }
    }
  });

  test("a page may send what clients send, so that it reads the 405 as well (M11)", async () => {
    const headers = { origin: "http://localhost:6274", "access-control-request-method": "DELETE" };
    const preflight = await fetch(server.url, { method: "OPTIONS", headers });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-methods"), "POST, GET, DELETE");
    assert.equal(preflight.headers.get("access-control-allow-origin"), headers.origin);
  });

  test("the session holds on any instance that has the secret", async () => {
    const { me } = await newClient();
    const { session } = await initialize(me);
    const other = await startMcpServer(fixture);
    try {
      assert.equal((await callLegacy({ ...me, url: other.url, session }, "tools/list")).status, 200);
    } finally {
      await other.close();
    }
  });

  test("the new wire has no sessions: the header is not looked at, and none is given", async () => {
    const { me } = await newClient();
    const answer = await callModern({ ...me, session: "nonsense" }, "tools/list");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("mcp-session-id"), null);
  });

  test("initialize agrees on each revision of 2025, and offers the newest for any other", async () => {
    const { me } = await newClient();
    for (const revision of ["2025-11-25", "2025-06-18", "2025-03-26"])
      assert.equal((await initialize(me, revision)).response.json.result.protocolVersion, revision);
    for (const revision of ["2024-11-05", "2099-01-01", "", "2026-07-28"])
      assert.equal((await initialize(me, revision)).response.json.result.protocolVersion, "2025-11-25");
  });

  test("no token: 401 with the challenge of the contract, on every method (M1)", async () => {
    for (const method of ["POST", "GET", "DELETE"]) {
      for (const headers of [
        {},
        { authorization: "Basic eDp5" },
        { authorization: "Bearer" },
        { authorization: "token" },
      ]) {
        const answer = await fetch(server.url, { method, headers: headers as Record<string, string> });
        assert.equal(answer.status, 401);
        assert.equal(answer.headers.get("www-authenticate"), challenge(fixture.deps.base));
      }
    }
  });

  test("a bad, expired or misplaced token: 401 (M1, M3)", async () => {
    const { me, grantId } = await newClient();
    const expired = await createTestToken(fixture.deps, grantId);
    fixture.clock.advance(days(1));
    for (const token of [expired, "garbage", "x".repeat(5000), "a b", "é", `${me.token}x`]) {
      const answer = await postMcp({ url: server.url }, "{}", { authorization: `Bearer ${encodeURI(token)}` });
      assert.equal(answer.status, 401, token);
      const header = answer.headers.get("www-authenticate") ?? "";
      assert.match(header, /^Bearer error="invalid_token", /);
      assert.ok(header.endsWith(`resource_metadata="${fixture.deps.base}/.well-known/oauth-protected-resource"`));
    }
    const fresh = await createTestToken(fixture.deps, grantId);
    assert.equal((await fetch(`${server.url}?access_token=${fresh}`, { method: "POST" })).status, 401);
    assert.equal(
      (await fetch(server.url, { method: "POST", headers: { cookie: `access_token=${fresh}` } })).status,
      401,
    );
    assert.equal((await callModern({ ...me, token: fresh }, "tools/list")).status, 200);
  });

  test("a revoked grant ends its tokens and sessions at once (A10)", async () => {
    const { me, grantId } = await newClient();
    const { session } = await initialize(me);
    await fixture.deps.grants.revoke(grantId, fixture.clock());
    assert.equal((await callModern(me, "tools/list")).status, 401);
    assert.equal((await callLegacy({ ...me, session }, "tools/list")).status, 401);
  });

  test("a scope that was not granted: 403, naming it and where to ask; the tool is not listed (M15)", async () => {
    const owner = await newStudio(fixture.deps);
    const { token } = await createTestGrant(fixture.deps, owner, { scopes: ["studio:read"] });
    const me = { url: server.url, token };
    const listed = (await callModern(me, "tools/list")).json.result.tools.map(({ name }) => name);
    assert.deepEqual(
      listed,
      tools.filter(({ scope }) => scope === "studio:read").map(({ name }) => name),
    );
    assert.ok(listed.includes("get_post") && !listed.includes("create_post"));
    const { session } = await initialize(me);
    for (const answer of [
      await callModern(me, "tools/call", { name: "create_post", arguments: { title: "x" } }),
      await callLegacy({ ...me, session }, "tools/call", { name: "create_post", arguments: { title: "x" } }),
    ]) {
      assert.equal(answer.status, 403);
      assert.equal(
        answer.headers.get("www-authenticate"),
        `Bearer error="insufficient_scope", scope="studio:read studio:write", resource_metadata="${fixture.deps.base}/.well-known/oauth-protected-resource"`,
      );
      assert.equal(answer.json.id, 1);
    }
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 5 })).length, 0);
    assert.match((await initialize(me)).response.json.result.instructions, /is read-only/);
  });

  test("the refusal comes before the body is read (M1)", async () => {
    const person = await newUser(fixture.deps);
    const { token } = await createTestGrant(fixture.deps, person);
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: `Bearer ${token}` }, 403],
    ] as const) {
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("{"));
        },
      });
      const answer = await fetch(server.url, {
        method: "POST",
        body,
        duplex: "half",
        headers: { "content-type": "application/json", ...headers },
      });
      assert.equal(answer.status, status);
      await answer.text();
    }
  });
});
