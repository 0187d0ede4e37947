import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type ClientRequest } from "node:http";
import { test } from "node:test";
import { z } from "zod";
import { defineTool, type Tool } from "#mcp/define-tool.ts";
import { tools } from "#mcp/tool-list.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  createModernRequest,
  newMcpClient,
  postMcp,
  useMcpServer,
} from "../support/mcp.ts";
import { waitUntil } from "../support/wait-until.ts";

forOneEngine("concurrent calls", (fixture) => {
  const states: string[] = [];
  const slowTool: Tool = defineTool({
    name: "slow",
    title: "Slow",
    description: "Runs until it is canceled.",
    action: "studio.read",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: z.strictObject({}),
    output: z.object({}),
    async run(_, __, ___, { getSignal }) {
      states.push("started");
      const signal = getSignal();
      await once(signal, "abort");
      states.push("cancelled");
      throw signal.reason;
    },
  });
  const server = useMcpServer(fixture, { tools: [...tools, slowTool] });

  async function newClient() {
    const client = await newMcpClient(fixture, server);
    return { ...client, session: (await initialize(client.caller)).session };
  }

  /** Opens a request that the test can destroy. */
  const openRequest = (headers: Record<string, string | number>): ClientRequest =>
    request(server.url, { method: "POST", headers }).on("error", () => {});

  const waitForState = (state: string): Promise<void> =>
    waitUntil(() => states.includes(state), { description: state });

  test("two users with 50 concurrent calls each and the same request ids get only their own responses (M4)", async () => {
    const clients = await Promise.all([newClient(), newClient()]);
    const calls = clients.flatMap(({ caller, session, owner }) =>
      Array.from({ length: 50 }, async (_, i) => {
        const id = i % 5;
        const response =
          i % 2 === 0
            ? await callModern(caller, "tools/call", { name: "whoami" }, {}, id)
            : await callLegacy({ ...caller, session }, "tools/call", { name: "whoami" }, {}, id);
        assert.equal(response.json.id, id);
        assert.equal(response.json.result.structuredContent.user.id, owner.user.id);
        assert.equal(response.json.result._meta["atelier/studio"].id, owner.studio.id);
      }),
    );
    await Promise.all(calls);
  });

  test("cancels the call of a client that disconnects (M14)", async () => {
    const { caller } = await newClient();
    states.length = 0;
    const { headers, body } = createModernRequest(caller, "tools/call", { name: "slow", arguments: {} });
    const req = openRequest(headers).end(body);
    await waitForState("started");
    req.destroy();
    await waitForState("cancelled");
  });

  test("notifications/cancelled cancels a call only in its own session (M14)", async () => {
    const [client, otherClient] = [await newClient(), await newClient()];
    states.length = 0;
    const pendingCall = callLegacy(
      { ...client.caller, session: client.session },
      "tools/call",
      { name: "slow", arguments: {} },
      {},
      7,
    );
    await waitForState("started");
    const cancel = ({ caller }: typeof client, session: string, requestId: unknown) =>
      postMcp(
        { ...caller, session },
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }),
      );
    await cancel(otherClient, otherClient.session, 7);
    await cancel(client, (await initialize(client.caller)).session, 7);
    await cancel(client, client.session, "7");
    await callModern(client.caller, "tools/list");
    assert.deepEqual(states, ["started"]);
    assert.equal((await cancel(client, client.session, 7)).status, 202);
    await waitForState("cancelled");
    assert.equal((await pendingCall).json.error.message, "Request cancelled");
  });

  test("ignores a request whose body ends early (M14)", async () => {
    const { caller, owner } = await newClient();
    const req = openRequest({ ...createModernRequest(caller, "tools/call").headers, "content-length": 1000 });
    req.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":{"title":"x"}}}',
      () => req.destroy(),
    );
    await new Promise((resolve) => req.on("close", resolve));
    assert.equal((await callModern(caller, "tools/list")).status, 200);
    assert.equal((await fixture.deps.posts.list(owner.studio.id, { limit: 5, maxTextLength: 1e6 })).items.length, 0);
  });
});
