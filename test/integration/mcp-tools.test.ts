import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deps } from "#domain/deps.ts";
import { hours, minutes } from "#lib/clock.ts";
import { createCallLimiter } from "#domain/access/call-limiter.ts";
import { tools } from "#mcp/tool-list.ts";
import { forOneEngine } from "../support/engines.ts";
import { initialize, callLegacy, callModern, startMcpServer, type TestMcpServer } from "../support/mcp.ts";
import { newMember, newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

forOneEngine("MCP tools", (fixture) => {
  let server: TestMcpServer;
  before(async () => void (server = await startMcpServer(fixture)));
  after(() => server.close());

  async function newClient() {
    const owner = await newStudio(fixture.deps);
    const { token } = await createTestGrant(fixture.deps, owner);
    const caller = { url: server.url, token };
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      (await callModern(caller, "tools/call", { name, arguments: args })).json.result;
    return { owner, caller, call };
  }

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
    assert.ok(modernTools.length <= 30);
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

  test("post tools create, update and list posts, report a stale revision, and record the client in activity", async () => {
    const { call } = await newClient();
    const post = (await call("create_post", { title: "One" })).structuredContent;
    const update = await call("update_post", { postId: post.id, body: "text", revision: 1 });
    const { validation: _, publications: _publications, body, ...updated } = update.structuredContent;
    assert.deepEqual([updated.revision, body], [2, "text"]);
    const stale = await call("update_post", { postId: post.id, body: "other", revision: 1 });
    assert.equal(stale.structuredContent.code, "revision_conflict");
    assert.match(stale.structuredContent.hint, /get_post/);
    assert.match(stale.content[0].text, /^revision_conflict: /);
    assert.deepEqual((await call("list_posts", { query: "one" })).structuredContent, {
      posts: [{ ...updated, excerpt: body }],
      nextCursor: null,
    });
    const { activity } = (await call("list_activity")).structuredContent;
    assert.deepEqual(
      activity.map(({ action, client }) => [action, client?.name]),
      [
        ["post.updated", "Test client"],
        ["post.created", "Test client"],
        ["studio.created", undefined],
      ],
    );
  });

  test("ids of another studio get the same error as ids that do not exist", async () => {
    const { call } = await newClient();
    const otherClient = await newClient();
    const { id } = (await otherClient.call("create_post", { title: "secret" })).structuredContent;
    const missing = await call("get_post", { postId: fixture.deps.newId("post") });
    assert.deepEqual(await call("get_post", { postId: id }), missing);
    assert.deepEqual(await call("update_post", { postId: id, title: "x", revision: 1 }), missing);
    assert.equal(missing.structuredContent.code, "not_found");
  });

  test("20 parallel creates with one idempotency key create one post, and other input is a conflict (R4)", async () => {
    const { call, owner } = await newClient();
    const input = { title: "Once", body: "b", idempotencyKey: "attempt 1" };
    const results = await Promise.all(Array.from({ length: 20 }, () => call("create_post", input)));
    const [first] = results;
    assert.ok(first);
    assert.equal(new Set(results.map(({ structuredContent }) => structuredContent.id)).size, 1);
    assert.deepEqual(new Set(results.map((result) => JSON.stringify(result))).size, 1);
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 100, maxTextLength: 1e6 })).items.length, 1);
    assert.equal(
      (await call("create_post", { ...input, title: "Other" })).structuredContent.code,
      "idempotency_conflict",
    );
    await call("update_post", { postId: first.structuredContent.id, title: "Changed later", revision: 1 });
    assert.deepEqual(await call("create_post", input), first);

    const colleague = await newMember(fixture.deps, owner, "member");
    const { token } = await createTestGrant(fixture.deps, colleague);
    const otherResponse = await callModern({ url: server.url, token }, "tools/call", {
      name: "create_post",
      arguments: input,
    });
    assert.notEqual(otherResponse.json.result.structuredContent.id, first.structuredContent.id);
  });

  test("an idempotency key expires after 24 hours (R4)", async () => {
    const owner = await newStudio(fixture.deps);
    const create = async () => {
      const { token } = await createTestGrant(fixture.deps, owner);
      return (
        await callModern({ url: server.url, token }, "tools/call", {
          name: "create_post",
          arguments: { title: "x", idempotencyKey: "k" },
        })
      ).json.result.structuredContent.id;
    };
    const first = await create();
    fixture.clock.advance(hours(23));
    assert.equal(await create(), first);
    fixture.clock.advance(hours(1));
    assert.notEqual(await create(), first);
  });

  test("a failed create does not use up its idempotency key", async () => {
    const { caller, owner } = await newClient();
    const failingDeps: Deps = {
      ...fixture.deps,
      transact: (authority, work) =>
        fixture.deps.transact(authority, async (tx) => {
          await work(tx);
          throw new Error("commit failed");
        }),
    };
    const failingServer = await startMcpServer({ deps: failingDeps });
    const args = { name: "create_post", arguments: { title: "x", idempotencyKey: "k" } };
    try {
      assert.equal(
        (await callModern({ ...caller, url: failingServer.url }, "tools/call", args)).json.result.structuredContent
          .code,
        "internal",
      );
    } finally {
      await failingServer.close();
    }
    assert.equal((await callModern(caller, "tools/call", args)).json.result.isError, undefined);
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 100, maxTextLength: 1e6 })).items.length, 1);
  });

  test("limits calls per user, not per client, and resets after the minute", async () => {
    const limitedServer = await startMcpServer(fixture, {
      checkCallLimit: createCallLimiter(fixture.deps, "calls", { perMinute: 5 }).check,
    });
    try {
      fixture.clock.advance(minutes(2));
      const owner = await newStudio(fixture.deps);
      const otherOwner = await newStudio(fixture.deps);
      const clients = await Promise.all([owner, owner, otherOwner].map((user) => createTestGrant(fixture.deps, user)));
      const [firstClient, secondClient, otherUserClient] = clients.map(({ token }) => ({
        url: limitedServer.url,
        token,
      }));
      const call = async (caller: typeof firstClient) =>
        (await callModern(caller!, "tools/call", { name: "whoami" })).json.result.structuredContent.code;
      for (let i = 0; i < 5; i++) assert.equal(await call(i % 2 === 0 ? firstClient : secondClient), undefined);
      assert.equal(await call(firstClient), "rate_limited");
      assert.equal(await call(secondClient), "rate_limited");
      assert.equal(await call(otherUserClient), undefined);
      assert.equal((await callModern(firstClient!, "tools/list")).status, 200);
      fixture.clock.advance(minutes(2));
      assert.equal(await call(firstClient), undefined);
    } finally {
      await limitedServer.close();
    }
  });
});
