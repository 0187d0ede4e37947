import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Sdk1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Sdk1Transport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { tools } from "#mcp/tool-list.ts";
import { forOneEngine } from "../support/engines.ts";
import { useMcpServer } from "../support/mcp.ts";
import { newPost } from "../support/subscription-fixture.ts";
import { waitUntil } from "../support/wait-until.ts";
import { newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

interface ToolResult {
  isError?: boolean | undefined;
  structuredContent?: unknown;
  content?: unknown;
}

/** The part of the API that all SDK clients share. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<ToolResult>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

const clientInfo = { name: "test", version: "1" };

const clients: Record<string, (url: URL, token: string) => Promise<AnyClient>> = {
  async "SDK 2, 2026-07-28"(url, token) {
    const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(url, bearer(token)));
    return client;
  },
  async "SDK 2, negotiated version"(url, token) {
    const client = new Client(clientInfo, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(url, bearer(token)));
    return client;
  },
  async "SDK 2, 2025-11-25"(url, token) {
    const client = new Client(clientInfo);
    await client.connect(new StreamableHTTPClientTransport(url, bearer(token)));
    return client;
  },
  async "SDK 1.32"(url, token) {
    const client = new Sdk1Client(clientInfo);
    await client.connect(new Sdk1Transport(url, bearer(token)));
    return client as AnyClient;
  },
};

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

forOneEngine("MCP clients", (fixture) => {
  const server = useMcpServer(fixture);

  test("SDK 1.32 and SDK 2 follow a post with resources/subscribe, and SDK 2 with subscriptions/listen (CHAT-20)", async () => {
    const owner = await newStudio(fixture.deps);
    const post = await newPost(fixture.deps, owner);
    const updates: string[] = [];
    const sdk1 = new Sdk1Client(clientInfo);
    const sdk2 = new Client(clientInfo);
    const modern = new Client(clientInfo, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const createAuth = async () => bearer((await createTestGrant(fixture.deps, owner)).token);
    await sdk1.connect(new Sdk1Transport(new URL(server.url), await createAuth()) as never);
    await sdk2.connect(new StreamableHTTPClientTransport(new URL(server.url), await createAuth()));
    await modern.connect(new StreamableHTTPClientTransport(new URL(server.url), await createAuth()));
    const record =
      (client: number) =>
      ({ params }: { params: { uri: string } }) =>
        void updates.push(`${client} ${params.uri}`);
    sdk1.setNotificationHandler(ResourceUpdatedNotificationSchema, record(1));
    sdk2.setNotificationHandler("notifications/resources/updated", record(2));
    modern.setNotificationHandler("notifications/resources/updated", record(3));
    await sdk1.subscribeResource({ uri: post.uri });
    await sdk2.subscribeResource({ uri: post.uri });
    await modern.listen({ resourceSubscriptions: [post.uri] });
    await post.change();
    await waitUntil(() => updates.length === 3, { description: "every client is notified" });
    assert.deepEqual(
      updates.toSorted(),
      [1, 2, 3].map((client) => `${client} ${post.uri}`),
    );
    for (const client of [sdk1, sdk2, modern]) await client.close();
  });

  for (const [name, connect] of Object.entries(clients)) {
    test(`${name}: lists and calls tools, and returns the server's error text`, async () => {
      const owner = await newStudio(fixture.deps, undefined, "North");
      const { token } = await createTestGrant(fixture.deps, owner);
      const client = await connect(new URL(server.url), token);
      try {
        assert.match(client.getInstructions() ?? "", /studio "North", with the role owner/);
        const list = await client.listTools();
        assert.deepEqual(
          list.tools.map((tool) => tool.name),
          tools.map((tool) => tool.name),
        );

        const createResult = await client.callTool({
          name: "create_post",
          arguments: { title: "Été 😀", body: "one\ntwo" },
        });
        const post = createResult.structuredContent as { id: string; title: string };
        assert.equal(post.title, "Été 😀");
        const getResult = await client.callTool({ name: "get_post", arguments: { postId: post.id } });
        assert.deepEqual(getResult.structuredContent, post);
        assert.deepEqual(JSON.parse((getResult.content as [{ text: string }])[0].text), post);

        const errorResult = await client.callTool({ name: "get_post", arguments: { postId: "pst_unknown" } });
        assert.equal(errorResult.isError, true);
        assert.match((errorResult.content as [{ text: string }])[0].text, /^not_found: /);
        assert.equal((errorResult.structuredContent as { code: string }).code, "not_found");

        for (const tool of ["whoami", "list_posts", "list_activity"])
          assert.ok(!(await client.callTool({ name: tool, arguments: {} })).isError, tool);
        const updateResult = await client.callTool({
          name: "update_post",
          arguments: { postId: post.id, status: "ready", revision: 1 },
        });
        assert.equal((updateResult.structuredContent as { revision: number }).revision, 2);
      } finally {
        await client.close();
      }
    });
  }
});
