import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startConnect } from "#domain/platforms/connect-page.ts";
import { finishConnect } from "#domain/platforms/finish-connect.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { changeRole } from "#domain/studios/members.ts";
import { minutes } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { modernMeta, postMcp, startMcpServer, type McpResponse, type TestMcpServer } from "../support/mcp.ts";
import { newMember, newStudio } from "../support/users.ts";
import { connectAccount, extractToken, withPlatform } from "../support/platform-fixture.ts";
import { startStrictPlatform, type StrictPlatform } from "../support/strict-platform.ts";
import { createTestGrant } from "../support/tokens.ts";

forEachEngine("platform tools", (fixture) => {
  let strict: StrictPlatform;
  let deps: Deps;
  let server: TestMcpServer;
  before(async () => {
    strict = await startStrictPlatform();
    deps = withPlatform(fixture.deps, strict);
    server = await startMcpServer({ deps });
  });
  after(async () => {
    await server.close();
    await strict.close();
  });

  /** A real client; `open` is what it does where it is asked to open a page. */
  async function connect(person: Caller, open?: (url: string) => Promise<"accept" | "decline">): Promise<Client> {
    const { token } = await createTestGrant(deps, person);
    const client = new Client(
      { name: "test", version: "1" },
      {
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        ...(open ? { capabilities: { elicitation: { url: {} } } } : {}),
      },
    );
    if (open)
      client.setRequestHandler("elicitation/create", async ({ params }) => ({
        action: await open((params as { url: string }).url),
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

  /** What the person does with the address: opens it, and gives access at the platform. */
  const walk = async (person: Caller, connectUrl: string): Promise<void> => {
    const { location, ...pending } = await startConnect(deps, person, { token: extractToken(connectUrl) });
    await finishConnect(deps, person, { callback: new URL(strict.authorize(location, "studio")), pending });
  };

  test("a client without a way to open pages is given the address; list, disconnect (PLATFORM-1, PLATFORM-3)", async () => {
    const owner = await newStudio(deps);
    const client = await connect(owner);
    const answer = await call(client, "connect_platform", { platform: "strict" });
    assert.deepEqual(Object.keys(answer), ["connectUrl", "expiresInMinutes"]);
    assert.equal(answer["expiresInMinutes"], 15);
    await walk(owner, answer["connectUrl"] as string);
    const { connections } = await call(client, "list_platforms");
    assert.deepEqual([connections[0].account.handle, connections[0].state], ["studio", "connected"]);
    const { id } = connections[0];
    assert.deepEqual(await call(client, "disconnect_platform", { connectionId: id }), { disconnected: id });
    assert.deepEqual(await call(client, "disconnect_platform", { connectionId: id }), { disconnected: id });
    assert.equal((await call(client, "list_platforms"))["connections"][0].state, "disconnected");
    await client.close();
  });

  test("a client that can is asked through input_required, and answered when its person has opened the page (PLATFORM-1)", async () => {
    const owner = await newStudio(deps);
    const opened: string[] = [];
    const client = await connect(owner, async (url) => {
      opened.push(url);
      await walk(owner, url);
      return "accept";
    });
    const answer = await call(client, "connect_platform", { platform: "strict" });
    assert.deepEqual(opened, [answer["connectUrl"]]);
    assert.equal((await call(client, "list_platforms"))["connections"][0].state, "connected");
    await client.close();
  });

  test("and told connect_denied where the person does not want to (PLATFORM-1)", async () => {
    const owner = await newStudio(deps);
    const client = await connect(owner, async () => "decline");
    const answer = await call(client, "connect_platform", { platform: "strict" });
    assert.equal(answer["code"], "connect_denied");
    await client.close();
  });

  const ask = async (token: string, params: Record<string, unknown>): Promise<McpResponse> =>
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

  test("the state between the rounds is ours: altered, old, or of another client, tool or input it is refused (PLATFORM-1)", async () => {
    const owner = await newStudio(deps);
    const [{ token }, other] = [
      await createTestGrant(deps, owner),
      await createTestGrant(deps, owner, { client: "Other" }),
    ];
    const first = (await ask(token, {})).json.result as unknown as {
      resultType: string;
      requestState: string;
      inputRequests: Structured;
    };
    assert.equal(first.resultType, "input_required");
    assert.deepEqual(first.inputRequests["open"].params.mode, "url");
    const inputResponses = { open: { action: "accept" } };
    const { requestState } = first;
    for (const [who, params] of [
      [token, { requestState: `${requestState}x`, inputResponses }],
      [token, { requestState: "x.y", inputResponses }],
      [other.token, { requestState, inputResponses }],
      [token, { requestState, inputResponses, arguments: { platform: "mastodon" } }],
    ] as const)
      assert.equal((await ask(who, params)).json.error.code, -32602);
    for (const nothing of [undefined, {}, { open: {} }])
      assert.equal(
        (await ask(token, { requestState, inputResponses: nothing })).json.result["resultType"],
        "input_required",
      );
    for (const action of ["decline", "cancel", 1])
      assert.equal(
        (await ask(token, { requestState, inputResponses: { open: { action } } })).json.result.structuredContent.code,
        "connect_denied",
      );
    assert.match((await ask(token, { requestState, inputResponses })).text, /connectUrl/);
    fixture.clock.advance(minutes(15));
    assert.equal((await ask(token, { requestState, inputResponses })).json.error.code, -32602);
  });

  test("whoever lost the role between the rounds is refused in the second (PLATFORM-4)", async () => {
    const owner = await newStudio(deps);
    const admin = await newMember(deps, owner, "admin");
    const { token } = await createTestGrant(deps, admin);
    const { requestState } = (await ask(token, {})).json.result as unknown as { requestState: string };
    await changeRole(deps, owner, { userId: admin.user.id, role: "member" });
    for (const action of ["accept", "decline"]) {
      const { result } = (await ask(token, { requestState, inputResponses: { open: { action } } })).json;
      assert.equal(result.structuredContent.code, "forbidden", action);
    }
  });

  test("members are refused; unknown and not configured say so (PLATFORM-4, PLATFORM-5)", async () => {
    const owner = await newStudio(deps);
    const member = await connect(await newMember(deps, owner, "member"));
    assert.equal((await call(member, "connect_platform", { platform: "strict" }))["code"], "forbidden");
    assert.equal((await call(member, "connect_platform", { platform: "nope" }))["code"], "forbidden");
    assert.equal((await call(member, "disconnect_platform", { connectionId: "nope" }))["code"], "forbidden");
    for (const tool of ["connect_platform", "disconnect_platform"])
      assert.equal((await call(member, tool, { other: 1 }))["code"], "forbidden", "role comes before input");
    assert.equal((await call(member, "list_platforms"))["platforms"].length, 3);
    const client = await connect(owner);
    assert.equal((await call(client, "connect_platform", { platform: "nope" }))["code"], "platform_unsupported");
    const unset = await call(client, "connect_platform", { platform: "unset" });
    assert.equal(unset["code"], "platform_not_configured");
    assert.match(unset["hint"], /PLATFORM_UNSET_CLIENT_ID/);
    assert.equal((await call(client, "disconnect_platform", { connectionId: "nope" }))["code"], "not_found");
    await Promise.all([member.close(), client.close()]);
  });

  test("get_post says what each connected platform would refuse, with the date of its source (PLATFORM-12)", async () => {
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
            level: "refused",
            code: "text_too_long",
            message: "The text has 42 characters as the platform counts them; the limit is 20.",
          },
        ],
        source: { url: "https://platform.test/docs", readOn: "2026-11-15" },
      },
    ]);
    const shorter = await call(client, "update_post", { postId, body: "Short" });
    assert.deepEqual(shorter["validation"][0].problems, []);
    await call(client, "disconnect_platform", { connectionId });
    assert.deepEqual((await call(client, "get_post", { postId }))["validation"], []);
    await client.close();
  });
});
