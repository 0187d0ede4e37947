import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { defineTool, type Tool } from "#mcp/define-tool.ts";
import { tools } from "#mcp/tool-list.ts";
import { forEachEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  modernMeta,
  postMcp,
  startMcpServer,
  type TestMcpServer,
} from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createTestGrant } from "../support/tokens.ts";

forEachEngine("many at once", (fixture) => {
  let server: TestMcpServer;
  const states: string[] = [];
  const slow: Tool = defineTool({
    name: "slow",
    title: "Slow",
    description: "Takes its time.",
    scope: "studio:read",
    action: "studio.read",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: z.strictObject({}),
    output: z.object({}),
    async run(_, __, ___, { signal }) {
      states.push("started");
      await sleep(10_000, undefined, { signal }).catch((error: unknown) => {
        states.push("cancelled");
        throw error;
      });
      states.push("finished");
      return {};
    },
  });
  before(async () => void (server = await startMcpServer(fixture, { tools: [...tools, slow] })));
  after(() => server.close());

  async function newClient() {
    const owner = await newStudio(fixture.deps);
    const { token } = await createTestGrant(fixture.deps, owner);
    const me = { url: server.url, token };
    return { owner, me, session: (await initialize(me)).session };
  }

  const untilState = (state: string): Promise<void> => waitUntil(() => states.includes(state), { description: state });

  test("two people, 200 calls each, all with the same ids: no answer crosses (M4)", async () => {
    const people = await Promise.all([newClient(), newClient()]);
    const calls = people.flatMap(({ me, session, owner }) =>
      Array.from({ length: 200 }, async (_, i) => {
        const id = i % 5;
        const answer =
          i % 2 === 0
            ? await callModern(me, "tools/call", { name: "whoami" }, {}, id)
            : await callLegacy({ ...me, session }, "tools/call", { name: "whoami" }, {}, id);
        assert.equal(answer.json.id, id);
        assert.equal(answer.json.result.structuredContent.user.id, owner.user.id);
        assert.equal(answer.json.result._meta["atelier/studio"].id, owner.studio.id);
      }),
    );
    await Promise.all(calls);
  });

  test("a client that leaves ends its call (M14)", async () => {
    const { me } = await newClient();
    states.length = 0;
    const { hostname, port, pathname } = new URL(server.url);
    const headers = {
      authorization: `Bearer ${me.token}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "slow",
    };
    const leaving = request({ hostname, port, path: pathname, method: "POST", headers });
    leaving.on("error", () => {});
    leaving.end(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "slow", arguments: {}, _meta: modernMeta },
      }),
    );
    await untilState("started");
    leaving.destroy();
    await untilState("cancelled");
    assert.equal(states.includes("finished"), false);
  });

  test("the 2025 wire's own cancellation ends the call of its session, and of no other (M14)", async () => {
    const [mine, theirs] = [await newClient(), await newClient()];
    states.length = 0;
    const under = callLegacy(
      { ...mine.me, session: mine.session },
      "tools/call",
      { name: "slow", arguments: {} },
      {},
      7,
    );
    await untilState("started");
    const cancel = (client: typeof mine, session: string, requestId: unknown) =>
      postMcp(
        { ...client.me, session },
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
      );
    await cancel(theirs, theirs.session, 7);
    await cancel(mine, (await initialize(mine.me)).session, 7);
    await cancel(mine, mine.session, "7");
    await sleep(50);
    assert.deepEqual(states, ["started"]);
    assert.equal((await cancel(mine, mine.session, 7)).status, 202);
    await untilState("cancelled");
    assert.equal((await under).json.error.message, "Request cancelled");
  });

  test("a body that breaks off is no call, and leaves nothing behind (M14)", async () => {
    const { me, owner } = await newClient();
    const { hostname, port, pathname } = new URL(server.url);
    const headers = { authorization: `Bearer ${me.token}`, "content-type": "application/json", "content-length": 1000 };
    const half = request({ hostname, port, path: pathname, method: "POST", headers });
    half.on("error", () => {});
    half.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":{"title":"x"}}}',
    );
    await sleep(50);
    half.destroy();
    await sleep(100);
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 5 })).length, 0);
    assert.equal((await callModern(me, "tools/list")).status, 200);
  });
});
