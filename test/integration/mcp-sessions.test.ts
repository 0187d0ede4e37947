import assert from "node:assert/strict";
import { test } from "node:test";
import { days } from "#lib/clock.ts";
import { createSigner } from "#lib/signed-token.ts";
import { tools } from "#mcp/tool-list.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  newMcpClient,
  postMcp,
  startMcpServer,
  useMcpServer,
} from "../support/mcp.ts";
import { newUser } from "../support/users.ts";
import { createTestGrant, createTestToken } from "../support/tokens.ts";

const challenge = (base: string, error = "") =>
  `Bearer ${error}resource_metadata="${base}/.well-known/oauth-protected-resource"`;

forOneEngine("MCP sessions and tokens", (fixture) => {
  const server = useMcpServer(fixture);
  const newClient = () => newMcpClient(fixture, server);

  test("rejects a session sent without a token, or with a token of another grant, even the same user's (M12)", async () => {
    const { caller, owner } = await newClient();
    const otherClient = await newClient();
    const { session } = await initialize(caller);
    const { token: otherToken } = await createTestGrant(fixture.deps, owner);
    for (const token of [otherToken, otherClient.caller.token]) {
      const response = await callLegacy({ url: server.url, token, session }, "tools/list");
      assert.equal(response.status, 404);
      assert.equal(response.json.error.code, -32001);
    }
    assert.equal((await callLegacy({ url: server.url, session }, "tools/list")).status, 401);
    assert.equal((await callLegacy({ ...caller, session }, "tools/list")).status, 200);
  });

  test("responds 404 to a session that is altered, expired, or signed with another secret or for another purpose (M12)", async () => {
    const { caller, grantId, owner } = await newClient();
    const { session } = await initialize(caller);
    const claims = { g: grantId, s: owner.studio.id, v: "2025-11-25" };
    const expiresAt = fixture.clock() + days(1);
    const signer = fixture.deps.signer;
    const otherSigner = createSigner(["another secret of thirty-two bytes!!"], fixture.clock);
    const forgedIds = [
      otherSigner.sign("mcp-session", claims, expiresAt),
      signer.sign("upload", claims, expiresAt),
      signer.sign("mcp-session", claims, fixture.clock() - 1),
    ];
    const alteredIds = [`${session}x`, session.slice(1), session.split(".")[0] ?? "", "x", "a.b", "x".repeat(5000)];
    for (const id of [...forgedIds, ...alteredIds]) {
      const response = await callLegacy({ ...caller, session: id }, "tools/list");
      assert.equal(response.status, 404, id);
      assert.equal(response.text.includes(id.slice(0, 20)), false);
    }
  });

  test("responds 405 to methods other than POST, with or without a session, except a GET for events (M11)", async () => {
    const { caller } = await newClient();
    const { session } = await initialize(caller);
    for (const method of ["GET", "DELETE", "PUT", "PATCH"]) {
      for (const headers of [{}, { "mcp-session-id": session }]) {
        const response = await fetch(server.url, {
          method,
          headers: { ...headers, authorization: `Bearer ${caller.token}` },
        });
        assert.equal(response.status, 405);
        assert.equal(response.headers.get("allow"), "GET, POST");
      }
    }
  });

  test("allows GET and DELETE across origins, so that browser clients can read the 405 (M11)", async () => {
    const headers = { origin: "http://localhost:6274", "access-control-request-method": "DELETE" };
    const preflight = await fetch(server.url, { method: "OPTIONS", headers });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-methods"), "POST, GET, DELETE");
    assert.equal(preflight.headers.get("access-control-allow-origin"), headers.origin);
  });

  test("accepts a session on every instance that has the secret", async (t) => {
    const { caller } = await newClient();
    const { session } = await initialize(caller);
    const otherServer = await startMcpServer(fixture);
    t.after(() => otherServer.close());
    assert.equal((await callLegacy({ ...caller, url: otherServer.url, session }, "tools/list")).status, 200);
  });

  test("ignores the session header and creates no session in protocol version 2026-07-28", async () => {
    const { caller } = await newClient();
    const response = await callModern({ ...caller, session: "invalid" }, "tools/list");
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("mcp-session-id"), null);
  });

  test("initialize accepts each 2025 protocol version, and offers the newest one for any other", async () => {
    const { caller } = await newClient();
    for (const protocolVersion of ["2025-11-25", "2025-06-18", "2025-03-26"])
      assert.equal((await initialize(caller, protocolVersion)).response.json.result.protocolVersion, protocolVersion);
    for (const protocolVersion of ["2024-11-05", "2099-01-01", "", "2026-07-28"])
      assert.equal((await initialize(caller, protocolVersion)).response.json.result.protocolVersion, "2025-11-25");
  });

  test("responds 401 with a challenge to every method without a token (M1, AUTH-1)", async () => {
    for (const method of ["POST", "GET", "DELETE"]) {
      for (const authorization of [undefined, "Basic eDp5", "Bearer", "token"]) {
        const response = await fetch(server.url, { method, headers: authorization ? { authorization } : {} });
        assert.equal(response.status, 401);
        assert.equal(response.headers.get("www-authenticate"), challenge(fixture.deps.baseUrl));
      }
    }
  });

  test("responds 401 to a token that is invalid, expired, or sent in the query or a cookie (M1, M3, A13, AUTH-2)", async () => {
    const { caller, grantId } = await newClient();
    const expired = await createTestToken(fixture.deps, grantId);
    fixture.clock.advance(days(1));
    for (const token of [expired, "garbage", "x".repeat(5000), "a b", "é", `${caller.token}x`]) {
      const response = await postMcp({ url: server.url }, "{}", { authorization: `Bearer ${encodeURI(token)}` });
      assert.equal(response.status, 401, token);
      const header = response.headers.get("www-authenticate") ?? "";
      assert.match(header, /^Bearer error="invalid_token", /);
      assert.ok(header.endsWith(`resource_metadata="${fixture.deps.baseUrl}/.well-known/oauth-protected-resource"`));
    }
    const freshToken = await createTestToken(fixture.deps, grantId);
    assert.equal((await fetch(`${server.url}?access_token=${freshToken}`, { method: "POST" })).status, 401);
    const cookieHeaders = { cookie: `access_token=${freshToken}` };
    assert.equal((await fetch(server.url, { method: "POST", headers: cookieHeaders })).status, 401);
    assert.equal((await callModern({ ...caller, token: freshToken }, "tools/list")).status, 200);
  });

  test("hides tools whose scope was not granted, and rejects calls to them with 403 and a challenge (M15)", async () => {
    const { owner, caller } = await newMcpClient(fixture, server, undefined, { scopes: ["studio:read"] });
    const toolNames = (await callModern(caller, "tools/list")).json.result.tools.map(({ name }) => name);
    assert.deepEqual(
      toolNames,
      tools.filter(({ scope }) => scope === "studio:read").map(({ name }) => name),
    );
    assert.ok(toolNames.includes("get_post") && !toolNames.includes("create_post"));
    const { session } = await initialize(caller);
    for (const response of [
      await callModern(caller, "tools/call", { name: "create_post", arguments: { title: "x" } }),
      await callModern(caller, "tools/call", { name: "copy_asset", arguments: { assetId: "ast_x" } }),
      await callLegacy({ ...caller, session }, "tools/call", { name: "create_post", arguments: { title: "x" } }),
    ]) {
      assert.equal(response.status, 403);
      assert.equal(
        response.headers.get("www-authenticate"),
        `Bearer error="insufficient_scope", scope="studio:read studio:write", resource_metadata="${fixture.deps.baseUrl}/.well-known/oauth-protected-resource"`,
      );
      assert.equal(response.json.id, 1);
    }
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 5, maxTextLength: 1e6 })).items.length, 0);
    assert.match((await initialize(caller)).response.json.result.instructions, /is read-only/);
  });

  test("rejects an unauthorized request before reading its body (M1, AUTH-1)", async () => {
    const user = await newUser(fixture.deps);
    const { token } = await createTestGrant(fixture.deps, user);
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: `Bearer ${token}` }, 403],
    ] as const) {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) });
      assert.equal((await postMcp({ url: server.url }, body, headers)).status, status);
    }
  });
});
