import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startConnect } from "#domain/platforms/connect-link.ts";
import { finishConnect } from "#domain/platforms/finish-connect.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { changeRole } from "#domain/studios/members.ts";
import { minutes } from "#lib/clock.ts";
import { forOneEngine } from "../support/engines.ts";
import { modernMeta, postMcp, startMcpServer, type McpResponse } from "../support/mcp.ts";
import { newMember, newStudio } from "../support/users.ts";
import { connectAccount, extractToken, withPlatform } from "../support/platform-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { startStrictPlatform } from "../support/strict-platform.ts";
import { createTestGrant } from "../support/tokens.ts";

forOneEngine("platform tools", (fixture) => {
  const strict = startForSuite(() => startStrictPlatform());
  let deps: Deps;
  before(() => void (deps = withPlatform(fixture.deps, strict)));
  const server = startForSuite(() => startMcpServer({ deps }));

  /** Connects an MCP client. With `openUrl` it supports URL elicitation and calls `openUrl` for each URL. */
  async function connect(caller: Caller, openUrl?: (url: string) => Promise<"accept" | "decline">): Promise<Client> {
    const { token } = await createTestGrant(deps, caller);
    const client = new Client(
      { name: "test", version: "1" },
      {
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        ...(openUrl ? { capabilities: { elicitation: { url: {} } } } : {}),
      },
    );
    if (openUrl)
      client.setRequestHandler("elicitation/create", async ({ params }) => ({
        action: await openUrl((params as { url: string }).url),
      }));
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    return client;
  }

  type Structured = Record<string, any>;
  const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Structured> =>
    (await client.callTool({ name, arguments: args })).structuredContent as Structured;

  /** Does what the user does with a connect URL: opens it and grants access on the platform. */
  const completeConnect = async (caller: Caller, connectUrl: string): Promise<void> => {
    const { location, ...pending } = await startConnect(deps, caller, { token: extractToken(connectUrl) });
    await finishConnect(deps, caller, { callback: new URL(strict.authorize(location, "studio")), pending });
  };

  test("returns the connect URL to a client without URL elicitation; lists and disconnects the connection (PLATFORM-1, PLATFORM-3)", async () => {
    const owner = await newStudio(deps);
    const client = await connect(owner);
    const result = await call(client, "connect_platform", { platform: "strict" });
    assert.deepEqual(Object.keys(result), ["connectUrl", "expiresInMinutes"]);
    assert.equal(result["expiresInMinutes"], 15);
    await completeConnect(owner, result["connectUrl"] as string);
    const { connections } = await call(client, "list_platforms");
    assert.deepEqual([connections[0].account.handle, connections[0].state], ["studio", "connected"]);
    const { id } = connections[0];
    assert.deepEqual(await call(client, "disconnect_platform", { connectionId: id }), { disconnected: id });
    assert.deepEqual(await call(client, "disconnect_platform", { connectionId: id }), { disconnected: id });
    assert.equal((await call(client, "list_platforms"))["connections"][0].state, "disconnected");
    await client.close();
  });

  test("sends the connect URL as an input_required result to a client with URL elicitation, and returns the result after the user has opened the page (PLATFORM-1)", async () => {
    const owner = await newStudio(deps);
    const openedUrls: string[] = [];
    const client = await connect(owner, async (url) => {
      openedUrls.push(url);
      await completeConnect(owner, url);
      return "accept";
    });
    const result = await call(client, "connect_platform", { platform: "strict" });
    assert.deepEqual(openedUrls, [result["connectUrl"]]);
    assert.equal((await call(client, "list_platforms"))["connections"][0].state, "connected");
    await client.close();
  });

  const callConnectPlatform = async (token: string, params: Record<string, unknown>): Promise<McpResponse> =>
    postMcp(
      { url: server.url, token },
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "connect_platform",
          arguments: { platform: "strict" },
          ...params,
          _meta: { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } } },
        },
      }),
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "connect_platform" },
    );

  test("rejects a request state that is altered, expired, or from another client, tool or input (PLATFORM-1)", async () => {
    const owner = await newStudio(deps);
    const [{ token }, otherGrant] = [
      await createTestGrant(deps, owner),
      await createTestGrant(deps, owner, { client: "Other" }),
    ];
    const firstResult = (await callConnectPlatform(token, {})).json.result as unknown as {
      resultType: string;
      requestState: string;
      inputRequests: Structured;
    };
    assert.equal(firstResult.resultType, "input_required");
    assert.deepEqual(firstResult.inputRequests["open"].params.mode, "url");
    const inputResponses = { open: { action: "accept" } };
    const { requestState } = firstResult;
    for (const [callerToken, params] of [
      [token, { requestState: `${requestState}x`, inputResponses }],
      [token, { requestState: "x.y", inputResponses }],
      [otherGrant.token, { requestState, inputResponses }],
      [token, { requestState, inputResponses, arguments: { platform: "mastodon" } }],
    ] as const)
      assert.equal((await callConnectPlatform(callerToken, params)).json.error.code, -32602);
    for (const emptyResponses of [undefined, {}, { open: {} }])
      assert.equal(
        (await callConnectPlatform(token, { requestState, inputResponses: emptyResponses })).json.result["resultType"],
        "input_required",
      );
    for (const action of ["decline", "cancel", 1])
      assert.equal(
        (await callConnectPlatform(token, { requestState, inputResponses: { open: { action } } })).json.result
          .structuredContent.code,
        "connect_denied",
      );
    assert.match((await callConnectPlatform(token, { requestState, inputResponses })).text, /connectUrl/);
    fixture.clock.advance(minutes(15));
    assert.equal((await callConnectPlatform(token, { requestState, inputResponses })).json.error.code, -32602);
  });

  test("rejects the second round if the user is no longer an admin (PLATFORM-4)", async () => {
    const owner = await newStudio(deps);
    const admin = await newMember(deps, owner, "admin");
    const { token } = await createTestGrant(deps, admin);
    const { requestState } = (await callConnectPlatform(token, {})).json.result as unknown as { requestState: string };
    await changeRole(deps, owner, { userId: admin.user.id, role: "member" });
    for (const action of ["accept", "decline"]) {
      const { result } = (await callConnectPlatform(token, { requestState, inputResponses: { open: { action } } }))
        .json;
      assert.equal(result.structuredContent.code, "forbidden", action);
    }
  });

  test("rejects members, unknown platforms and platforms without settings (PLATFORM-4, PLATFORM-5)", async () => {
    const owner = await newStudio(deps);
    const memberClient = await connect(await newMember(deps, owner, "member"));
    assert.equal((await call(memberClient, "connect_platform", { platform: "strict" }))["code"], "forbidden");
    assert.equal((await call(memberClient, "list_platforms"))["platforms"].length, 3);
    const client = await connect(owner);
    assert.equal((await call(client, "connect_platform", { platform: "nope" }))["code"], "platform_unsupported");
    const unset = await call(client, "connect_platform", { platform: "unset" });
    assert.equal(unset["code"], "platform_not_configured");
    assert.match(unset["hint"], /PLATFORM_UNSET_CLIENT_ID/);
    assert.equal((await call(client, "disconnect_platform", { connectionId: "nope" }))["code"], "not_found");
    await Promise.all([memberClient.close(), client.close()]);
  });

  test("get_post lists what each connected platform would reject, with the date of its source (PLATFORM-12)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, {
      title: "A",
      body: "This text has more than twenty characters.",
    });
    const client = await connect(owner);
    assert.deepEqual((await call(client, "get_post", { postId }))["validation"], []);
    const connectionId = await connectAccount(deps, strict, owner);
    const { validation } = await call(client, "get_post", { postId });
    assert.deepEqual(validation, [
      {
        platform: "strict",
        connectionId,
        account: "studio",
        problems: [
          {
            level: "rejected",
            code: "text_too_long",
            message: "The text has 42 characters; the platform allows up to 20.",
          },
        ],
        text: { length: 42, max: 20, unit: "graphemes", variesByInstance: false },
        source: { url: "https://platform.test/docs", readOn: "2026-11-15" },
      },
    ]);
    const updatedPost = await call(client, "update_post", { postId, body: "Short", revision: 1 });
    assert.deepEqual(updatedPost["validation"][0].problems, []);
    await call(client, "disconnect_platform", { connectionId });
    assert.deepEqual((await call(client, "get_post", { postId }))["validation"], []);
    await client.close();
  });
});
