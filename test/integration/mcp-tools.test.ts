import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deps } from "#domain/ports/deps.ts";
import { hours, minutes } from "#lib/clock.ts";
import { createCallLimiter } from "#domain/access/call-limiter.ts";
import { tools } from "#mcp/tool-list.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  newMcpClient,
  startMcpServer,
  useMcpServer,
  type TestMcpClient,
} from "../support/mcp.ts";
import { newMember } from "../support/users.ts";

forOneEngine("MCP tools", (fixture) => {
  const server = useMcpServer(fixture);
  const newClient = () => newMcpClient(fixture, server);
  const countPosts = async ({ owner }: TestMcpClient) =>
    (await fixture.deps.posts.list(owner.studio.id, { limit: 100, maxTextLength: 1e6 })).items.length;

  test("tools/list returns the same order, titles, hints and schemas in both protocol versions", async () => {
    const { caller } = await newClient();
    const { session } = await initialize(caller);
    const { tools: modernTools } = (await callModern(caller, "tools/list")).json.result;
    const { tools: legacyTools } = (await callLegacy({ ...caller, session }, "tools/list")).json.result;
    assert.deepEqual(modernTools, legacyTools);
    assert.deepEqual(
      modernTools.map(({ name }) => name),
      tools.map(({ name }) => name),
    );
    for (const tool of modernTools) {
      assert.ok(tool.title && tool.description.length > 80, tool.name);
      assert.equal(tool.inputSchema.type, "object");
      assert.equal(tool.outputSchema.type, "object");
      for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"])
        assert.equal(typeof tool.annotations[hint], "boolean", `${tool.name} ${hint}`);
      assert.equal(
        tool.annotations.readOnlyHint,
        tools.find(({ name }) => name === tool.name)?.scope === "studio:read",
      );
    }
    assert.ok(modernTools.length <= 32, "more than 32 tools: models choose worse among many, so extend one instead");
  });

  test("every 2026 result has a type, the server and the studio, and lists have a cache lifetime", async () => {
    const { caller, owner } = await newClient();
    for (const [method, params, ttlMs] of [
      ["server/discover", {}, 0],
      ["tools/list", {}, 300_000],
      ["tools/call", { name: "whoami" }, undefined],
    ] as const) {
      const { result } = (await callModern(caller, method, params)).json;
      assert.equal(result.resultType, "complete");
      assert.deepEqual(result._meta["atelier/studio"], { id: owner.studio.id, name: owner.studio.name });
      assert.equal(result._meta["io.modelcontextprotocol/serverInfo"].name, "atelier");
      assert.equal(result.ttlMs, ttlMs);
      assert.equal(result.cacheScope, ttlMs === undefined ? undefined : "private");
    }
  });

  test("whoami returns user, role, scopes, client, limits and accepted types", async () => {
    const { call, owner } = await newClient();
    const { structuredContent: identity } = await call("whoami");
    assert.deepEqual(identity.user, owner.user);
    assert.deepEqual(
      [identity.role, identity.scopes, identity.client.name],
      ["owner", ["studio:read", "studio:write", "studio:publish"], "Test client"],
    );
    assert.equal(identity.limits.inlineBytes, 5 * 1024 * 1024);
    assert.equal(identity.limits.kinds.video.maxBytes, 4 * 2 ** 30);
    assert.ok(identity.limits.kinds.document.mimeTypes.includes("text/markdown"));
    assert.ok(!JSON.stringify(identity.limits).includes("svg"));
  });

  test("20 parallel creates with one idempotency key create one post; other input is a conflict, other users have their own keys (R4, T2)", async () => {
    const client = await newClient();
    const { call, owner } = client;
    const input = { title: "Once", body: "b", idempotencyKey: "attempt 1" };
    const results = await Promise.all(Array.from({ length: 20 }, () => call("create_post", input)));
    const [first] = results;
    assert.ok(first);
    assert.equal(new Set(results.map(({ structuredContent }) => structuredContent.id)).size, 1);
    assert.deepEqual(new Set(results.map((result) => JSON.stringify(result))).size, 1);
    assert.equal(await countPosts(client), 1);
    const conflict = await call("create_post", { ...input, title: "Other" });
    assert.equal(conflict.structuredContent.code, "idempotency_conflict");
    await call("update_post", { postId: first.structuredContent.id, title: "Changed later", revision: 1 });
    assert.deepEqual(await call("create_post", input), first);

    const colleague = await newMcpClient(fixture, server, await newMember(fixture.deps, owner, "member"));
    const otherPost = (await colleague.call("create_post", input)).structuredContent;
    assert.notEqual(otherPost.id, first.structuredContent.id);
  });

  test("an idempotency key expires after 24 hours (R4)", async () => {
    const { owner } = await newClient();
    const create = async () => {
      const { call } = await newMcpClient(fixture, server, owner);
      return (await call("create_post", { title: "x", idempotencyKey: "k" })).structuredContent.id;
    };
    const first = await create();
    fixture.clock.advance(hours(23));
    assert.equal(await create(), first);
    fixture.clock.advance(hours(1));
    assert.notEqual(await create(), first);
  });

  test("a failed create does not use up its idempotency key", async (t) => {
    const client = await newClient();
    const failingDeps: Deps = {
      ...fixture.deps,
      transact: (authority, work) =>
        fixture.deps.transact(authority, async (tx) => {
          await work(tx);
          throw new Error("commit failed");
        }),
    };
    const failingServer = await startMcpServer({ deps: failingDeps });
    t.after(() => failingServer.close());
    const args = { title: "x", idempotencyKey: "k" };
    const failingClient = await newMcpClient(fixture, failingServer, client.owner);
    assert.equal((await failingClient.call("create_post", args)).structuredContent.code, "internal");
    assert.equal((await client.call("create_post", args)).isError, undefined);
    assert.equal(await countPosts(client), 1);
  });

  test("limits calls per user, not per client, and resets after the minute", async (t) => {
    const limitedServer = await startMcpServer(fixture, {
      checkCallLimit: createCallLimiter(fixture.deps, "calls", { perMinute: 5 }).check,
    });
    t.after(() => limitedServer.close());
    fixture.clock.advance(minutes(2));
    const first = await newMcpClient(fixture, limitedServer);
    const second = await newMcpClient(fixture, limitedServer, first.owner);
    const otherUser = await newMcpClient(fixture, limitedServer);
    const callWhoami = async ({ call }: TestMcpClient) => (await call("whoami")).structuredContent.code;
    for (let i = 0; i < 5; i++) assert.equal(await callWhoami(i % 2 === 0 ? first : second), undefined);
    for (const client of [first, second]) assert.equal(await callWhoami(client), "rate_limited");
    assert.equal(await callWhoami(otherUser), undefined);
    assert.equal((await callModern(first.caller, "tools/list")).status, 200);
    fixture.clock.advance(minutes(2));
    assert.equal(await callWhoami(first), undefined);
  });

  test("limits all messages of a user, also those that are not calls (X7)", async (t) => {
    const limitedServer = await startMcpServer(fixture, {
      checkMessageLimit: createCallLimiter(fixture.deps, "messages", { perMinute: 8 }).check,
    });
    t.after(() => limitedServer.close());
    fixture.clock.advance(minutes(2));
    const { caller } = await newMcpClient(fixture, limitedServer);
    const otherUser = await newMcpClient(fixture, limitedServer);
    const methods = ["tools/list", "prompts/list", "resources/templates/list", "server/discover", "tools/unknown"];
    const statuses: number[] = [];
    for (const method of [...methods, ...methods]) statuses.push((await callModern(caller, method)).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 404, 200, 200, 200, 429, 429]);
    const response = await callModern(caller, "tools/list");
    assert.match(response.json.error.message, /^rate_limited: /);
    assert.ok(Number(response.headers.get("retry-after")) > 0);
    assert.equal((await callModern(otherUser.caller, "tools/list")).status, 200);
    fixture.clock.advance(minutes(2));
    assert.equal((await callModern(caller, "tools/list")).status, 200);
  });
});
