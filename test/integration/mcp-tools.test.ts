import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deps } from "#domain/deps.ts";
import { hours, minutes } from "#lib/clock.ts";
import { createCallLimiter } from "#domain/access/call-limiter.ts";
import { tools } from "#mcp/tool-list.ts";
import { forEachEngine } from "../support/engines.ts";
import { initialize, callLegacy, callModern, startMcpServer, type TestMcpServer } from "../support/mcp.ts";
import { newMember, newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

forEachEngine("mcp tools", (fixture) => {
  let server: TestMcpServer;
  before(async () => void (server = await startMcpServer(fixture)));
  after(() => server.close());

  async function newClient() {
    const owner = await newStudio(fixture.deps);
    const { token } = await createTestGrant(fixture.deps, owner);
    const me = { url: server.url, token };
    const call = async (name: string, args: Record<string, unknown> = {}) =>
      (await callModern(me, "tools/call", { name, arguments: args })).json.result;
    return { owner, me, call };
  }

  test("tools/list: a fixed order, the same on both wires, with title, hints and both schemas", async () => {
    const { me } = await newClient();
    const { session } = await initialize(me);
    const { tools: now } = (await callModern(me, "tools/list")).json.result;
    const { tools: before2026 } = (await callLegacy({ ...me, session }, "tools/list")).json.result;
    assert.deepEqual(now, before2026);
    assert.deepEqual(
      now.map(({ name }) => name),
      tools.map(({ name }) => name),
    );
    for (const tool of now) {
      assert.ok(tool.title && tool.description.length > 80, tool.name);
      assert.equal(tool.inputSchema.type, "object");
      assert.equal(tool.inputSchema.additionalProperties, false);
      assert.equal(tool.outputSchema.type, "object");
      for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"])
        assert.equal(typeof tool.annotations[hint], "boolean", `${tool.name} ${hint}`);
      assert.equal(
        tool.annotations.readOnlyHint,
        tools.find(({ name }) => name === tool.name)?.scope === "studio:read",
      );
    }
    assert.ok(now.length <= 25);
  });

  test("every result of the new wire carries its kind, the server and the studio; lists say how long they keep", async () => {
    const { me, owner } = await newClient();
    for (const [method, params, ttl] of [
      ["server/discover", {}, 0],
      ["tools/list", {}, 300_000],
      ["tools/call", { name: "whoami" }, undefined],
    ] as const) {
      const { result } = (await callModern(me, method, params)).json;
      assert.equal(result.resultType, "complete");
      assert.deepEqual(result._meta["atelier/studio"], { id: owner.studio.id, name: owner.studio.name });
      assert.equal(result._meta["io.modelcontextprotocol/serverInfo"].name, "atelier");
      assert.equal(result.ttlMs, ttl);
      assert.equal(result.cacheScope, ttl === undefined ? undefined : "private");
    }
  });

  test("whoami: user, studio, role, scopes, client, limits and types", async () => {
    const { call, owner } = await newClient();
    const { structuredContent: me } = await call("whoami");
    assert.deepEqual(me.user, owner.user);
    assert.deepEqual([me.role, me.scopes, me.client.name], ["owner", ["studio:read", "studio:write"], "Test client"]);
    assert.equal(me.limits.inlineBytes, 5 * 1024 * 1024);
    assert.equal(me.limits.kinds.video.maxBytes, 4 * 2 ** 30);
    assert.ok(me.limits.kinds.document.mimeTypes.includes("text/markdown"));
    assert.ok(!JSON.stringify(me.limits).includes("svg"));
  });

  test("posts: created, read, listed, changed; a stale revision is told; activity names the client", async () => {
    const { call } = await newClient();
    const post = (await call("create_post", { title: "One" })).structuredContent;
    const { validation: _, ...changed } = (await call("update_post", { postId: post.id, body: "text", revision: 1 }))
      .structuredContent;
    assert.equal(changed.revision, 2);
    const stale = await call("update_post", { postId: post.id, body: "other", revision: 1 });
    assert.equal(stale.structuredContent.code, "revision_conflict");
    assert.match(stale.structuredContent.hint, /get_post/);
    assert.match(stale.content[0].text, /^revision_conflict: /);
    assert.deepEqual((await call("list_posts", { query: "one" })).structuredContent, {
      posts: [changed],
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

  test("ids of another studio answer exactly as ids that do not exist", async () => {
    const { call } = await newClient();
    const other = await newClient();
    const { id } = (await other.call("create_post", { title: "secret" })).structuredContent;
    const missing = await call("get_post", { postId: fixture.deps.newId("post") });
    assert.deepEqual(await call("get_post", { postId: id }), missing);
    assert.deepEqual(await call("update_post", { postId: id, title: "x" }), missing);
    assert.equal(missing.structuredContent.code, "not_found");
  });

  test("20 parallel creates with one key make one post; other input is a conflict; a day later the key is free (R4)", async () => {
    const { call, owner } = await newClient();
    const input = { title: "Once", body: "b", idempotencyKey: "attempt 1" };
    const all = await Promise.all(Array.from({ length: 20 }, () => call("create_post", input)));
    const [first] = all;
    assert.ok(first);
    assert.equal(new Set(all.map(({ structuredContent }) => structuredContent.id)).size, 1);
    assert.deepEqual(new Set(all.map((result) => JSON.stringify(result))).size, 1);
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 100 })).length, 1);
    assert.equal(
      (await call("create_post", { ...input, title: "Other" })).structuredContent.code,
      "idempotency_conflict",
    );
    await call("update_post", { postId: first.structuredContent.id, title: "Changed since" });
    assert.deepEqual(await call("create_post", input), first);

    const colleague = await newMember(fixture.deps, owner, "member");
    const { token } = await createTestGrant(fixture.deps, colleague);
    const theirs = await callModern({ url: server.url, token }, "tools/call", {
      name: "create_post",
      arguments: input,
    });
    assert.notEqual(theirs.json.result.structuredContent.id, first.structuredContent.id);
  });

  test("a key is forgotten after 24 hours (R4)", async () => {
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

  test("a create that fails keeps nothing under its key", async () => {
    const { me, owner } = await newClient();
    const failing: Deps = {
      ...fixture.deps,
      transact: (work) =>
        fixture.deps.transact(async (tx) => {
          await work(tx);
          throw new Error("lost");
        }),
    };
    const broken = await startMcpServer({ deps: failing });
    const args = { name: "create_post", arguments: { title: "x", idempotencyKey: "k" } };
    try {
      assert.equal(
        (await callModern({ ...me, url: broken.url }, "tools/call", args)).json.result.structuredContent.code,
        "internal",
      );
    } finally {
      await broken.close();
    }
    assert.equal((await callModern(me, "tools/call", args)).json.result.isError, undefined);
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 100 })).length, 1);
  });

  test("calls are limited for each user, not for each client, and the minute passes", async () => {
    const limited = await startMcpServer(fixture, {
      checkCallLimit: createCallLimiter(fixture.deps, "calls", { perMinute: 5 }).check,
    });
    try {
      fixture.clock.advance(minutes(2));
      const owner = await newStudio(fixture.deps);
      const other = await newStudio(fixture.deps);
      const clients = await Promise.all([owner, owner, other].map((person) => createTestGrant(fixture.deps, person)));
      const [one, two, else_] = clients.map(({ token }) => ({ url: limited.url, token }));
      const call = async (me: typeof one) =>
        (await callModern(me!, "tools/call", { name: "whoami" })).json.result.structuredContent.code;
      for (let i = 0; i < 5; i++) assert.equal(await call(i % 2 === 0 ? one : two), undefined);
      assert.equal(await call(one), "rate_limited");
      assert.equal(await call(two), "rate_limited");
      assert.equal(await call(else_), undefined);
      assert.equal((await callModern(one!, "tools/list")).status, 200);
      fixture.clock.advance(minutes(2));
      assert.equal(await call(one), undefined);
    } finally {
      await limited.close();
    }
  });
});
