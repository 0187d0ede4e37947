import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { forOneEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  modernMeta,
  newMcpClient,
  postMcp,
  startMcpServer,
  useMcpServer,
  type McpCaller,
} from "../support/mcp.ts";
import { createLog } from "#lib/log.ts";

const megabyte = 1024 * 1024;

forOneEngine("hostile MCP messages", (fixture) => {
  const server = useMcpServer(fixture);
  let caller: McpCaller;
  let studioId: string;
  beforeEach(async () => {
    const client = await newMcpClient(fixture, server);
    studioId = client.owner.studio.id;
    caller = client.caller;
  });

  const countPosts = async () =>
    (await fixture.deps.posts.list(studioId, { limit: 100, maxTextLength: 1e6 })).items.length;
  const buildCreatePostMessage = (id: unknown = 1) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "create_post", arguments: { title: "x" } },
  });
  const buildModernCall = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":${args},"_meta":${JSON.stringify(modernMeta)}}}`;
  const modernHeaders = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "create_post" };

  test("rejects a batch of 1,000 calls with 400 and runs none of them (M5)", async () => {
    const batch = JSON.stringify(Array.from({ length: 1000 }, (_, i) => buildCreatePostMessage(i)));
    for (const headers of [
      {},
      { "mcp-protocol-version": "2025-11-25" },
      { "mcp-protocol-version": "2025-03-26" },
      modernHeaders,
    ]) {
      const response = await postMcp(caller, batch, headers);
      assert.equal(response.status, 400);
      assert.equal(response.json.error.code, -32600);
    }
    assert.equal(await countPosts(), 0);
  });

  test("accepts batches in protocol version 2025-03-26 and in no other (M5)", async () => {
    const batch = JSON.stringify([
      buildCreatePostMessage(1),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      buildCreatePostMessage(2),
      { jsonrpc: "2.0", id: 3, method: "nope" },
    ]);
    for (const protocolVersion of ["2025-11-25", "2025-06-18"]) {
      const { session } = await initialize(caller, protocolVersion);
      for (const headers of [{ "mcp-protocol-version": protocolVersion }, {}] as Record<string, string>[])
        assert.equal((await postMcp({ ...caller, session }, batch, headers)).status, 400);
    }
    assert.equal(await countPosts(), 0);
    const { session } = await initialize(caller, "2025-03-26");
    const response = await postMcp({ ...caller, session }, batch);
    assert.equal(response.status, 200);
    const outcomes = (response.messages as { id: unknown; error?: { code: number } }[]).map(
      ({ id, error }) => `${String(id)} ${error?.code ?? "ok"}`,
    );
    assert.deepEqual(outcomes, ["1 ok", "2 ok", "3 -32601"]);
    for (const [messages, status] of [
      [[], 400],
      [[buildCreatePostMessage(1), 5], 400],
      [[{ ...buildCreatePostMessage(1), method: "initialize" }], 400],
      [[{ jsonrpc: "2.0", method: "notifications/initialized" }], 202],
    ] as const)
      assert.equal((await postMcp({ ...caller, session }, JSON.stringify(messages))).status, status);
    assert.equal(await countPosts(), 2);
  });

  test("rejects a body over the limit with 413 inline_too_large_use_presign and closes the connection (M8)", async () => {
    const largeBody = Buffer.alloc(17 * megabyte, "x");
    const withLength = await postMcp(caller, largeBody);
    const chunked = await postMcp(caller, ReadableStream.from([largeBody]));
    for (const response of [withLength, chunked]) {
      assert.equal(response.status, 413);
      assert.equal(response.headers.get("connection"), "close");
      assert.match(response.json.error.message, /^inline_too_large_use_presign/);
    }
  });

  // api-bodies.test.ts has all content types and encodings: both edges use findJsonHeaderProblem.
  test("rejects the content types of forms, and compressed bodies, with 415 (M9, W1)", async () => {
    const body = JSON.stringify(buildCreatePostMessage());
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])
      assert.equal((await postMcp(caller, body, { "content-type": type })).status, 415, type);
    const bomb = gzipSync(Buffer.alloc(50 * megabyte));
    assert.equal((await postMcp(caller, bomb, { "content-encoding": "gzip" })).status, 415);
    assert.equal(await countPosts(), 0);
  });

  test("rejects an invalid message with 400 and a JSON-RPC error (M10)", async () => {
    for (const [body, code] of [
      ["", -32700],
      ["{", -32700],
      ['{"jsonrpc":"2.0","id":NaN}', -32700],
      ["null", -32600],
      ["5", -32600],
      ["{}", -32600],
      ['"x"', -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":1e309,"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":5}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":5}', -32600],
    ] as const) {
      const response = await postMcp(caller, body);
      assert.equal(response.status, 400, body);
      assert.equal(response.json.error.code, code, body);
    }
    const notUtf8 = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', "latin1");
    assert.equal((await postMcp(caller, notUtf8)).json.error.code, -32700);
  });

  test("reports unknown tools and invalid arguments in the JSON-RPC response, never with status 500 (M10)", async () => {
    const longText = "x".repeat(10 * megabyte);
    const invalidArgs = [
      '{"title":1e309}',
      '{"title":"a\\u0000b"}',
      '{"title":"\\ud800"}',
      '{"title":"x","extra":1}',
      '{"title":"x","__proto__":{"a":1}}',
      '{"title":"x","constructor":1}',
      "{}",
      '{"title":null}',
      '{"title":["x"]}',
      '{"title":"  "}',
      '{"title":"a\\nb"}',
      `{"title":"${longText}"}`,
      `{"title":"x","body":"${longText}"}`,
      `{"${longText}":1}`,
      '{"title":"x","body":"\\udfff"}',
      '{"title":"x","idempotencyKey":""}',
    ];
    for (const args of invalidArgs) {
      const response = await postMcp(caller, buildModernCall(args), modernHeaders);
      assert.equal(response.status, 200, args.slice(0, 80));
      assert.equal(response.json.result.isError, true, args.slice(0, 80));
      assert.match(response.json.result.content[0].text, /^invalid_input: /);
      assert.ok(response.text.length < 4000);
    }
    for (const name of ["nope", "__proto__", "constructor", "toString", "", "x".repeat(1000)]) {
      const response = await callModern(caller, "tools/call", { name, arguments: {} });
      assert.equal(response.json.error.code, -32602, name);
      assert.ok(response.text.length < 1000);
    }
    for (const args of ["[]", "5", '"x"', "null"]) {
      const response = await postMcp(caller, buildModernCall(args), modernHeaders);
      assert.equal(response.json.error.code, -32602, args);
    }
    for (const params of [{ name: 5 }, {}])
      assert.equal((await callLegacy(caller, "tools/call", params)).json.error.code, -32602);
    assert.equal((await callModern(caller, "tools/list", { cursor: "x" })).json.error.code, -32602);
    assert.equal(await countPosts(), 0);
  });

  test("responds 400 -32020 if headers differ from the body, and 404 -32601 to unknown methods (M11)", async () => {
    for (const headers of [
      { "mcp-method": "tools/list" },
      { "mcp-name": "get_post" },
      { "mcp-name": "=?base64?!!?=" },
      { "mcp-protocol-version": "2025-11-25" },
      { "mcp-protocol-version": "2099-01-01" },
    ] as Record<string, string>[]) {
      const { status, json } = await callModern(caller, "tools/call", { name: "whoami" }, headers);
      assert.deepEqual([status, json.error.code, json.id], [400, -32020, 1], JSON.stringify(headers));
    }
    const params = { name: "whoami", _meta: modernMeta };
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    for (const missingHeader of ["mcp-protocol-version", "mcp-method", "mcp-name"]) {
      const { [missingHeader]: _, ...headers } = { ...modernHeaders, "mcp-name": "whoami" } as Record<string, string>;
      assert.equal((await postMcp(caller, message, headers)).json.error.code, -32020, missingHeader);
    }
    const encodedName = { "mcp-name": `=?base64?${btoa("whoami")}?=` };
    assert.equal((await callModern(caller, "tools/call", { name: "whoami" }, encodedName)).status, 200);
    for (const method of [
      "nope",
      "initialize",
      "ping",
      "logging/setLevel",
      "unknown/list",
      "__proto__",
      "constructor",
    ]) {
      const response = await callModern(caller, method);
      assert.deepEqual([response.status, response.json.error.code], [404, -32601], method);
    }
    const { session } = await initialize(caller);
    for (const method of ["nope", "server/discover", "subscriptions/listen", "unknown/list"]) {
      const response = await callLegacy({ ...caller, session }, method);
      assert.deepEqual([response.status, response.json.error.code], [200, -32601], method);
    }
    assert.equal((await callLegacy({ ...caller, session }, "ping")).text, '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal((await callLegacy(caller, "tools/list", {}, { "mcp-protocol-version": "1999-01-01" })).status, 400);
    const unsupportedMeta = { ...modernMeta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const response = await postMcp(
      caller,
      JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: { _meta: unsupportedMeta } }),
      { "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" },
    );
    assert.deepEqual(
      [response.status, response.json.error.code, response.json.id, response.json.error.data],
      [400, -32022, 7, { supported: ["2026-07-28"], requested: "2099-01-01" }],
    );
  });

  test("rejects an unsolicited response and accepts a notification", async () => {
    const { session } = await initialize(caller);
    for (const [body, status] of [
      ['{"jsonrpc":"2.0","id":1,"result":{}}', 400],
      ['{"jsonrpc":"2.0","method":"notifications/initialized"}', 202],
      ['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', 202],
    ] as const)
      assert.equal((await postMcp({ ...caller, session }, body)).status, status);
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "notifications/unknown" };
    assert.equal((await postMcp(caller, '{"jsonrpc":"2.0","method":"notifications/unknown"}', headers)).status, 202);
  });

  test("an internal error reveals only a request id; the log has the details under that id (M15)", async (t) => {
    const logLines: string[] = [];
    const findWithDetailFlags = () => Promise.reject(new Error("SELECT secret FROM /etc/passwd"));
    const deps = { ...fixture.deps, posts: { ...fixture.deps.posts, findWithDetailFlags } };
    const log = createLog("info", { write: (line: string) => void logLines.push(line) });
    const failingServer = await startMcpServer({ deps }, { log });
    t.after(() => failingServer.close());
    const args = { name: "get_post", arguments: { postId: fixture.deps.newId("post") } };
    const response = await callModern({ ...caller, url: failingServer.url }, "tools/call", args);
    assert.equal(response.status, 200);
    const { code, message } = response.json.result.structuredContent;
    assert.equal(code, "internal");
    assert.doesNotMatch(response.text, /SELECT|passwd|at /);
    const requestId = /req_\w+/.exec(message)?.[0] ?? "none";
    assert.equal(logLines.filter((line) => line.includes(requestId) && line.includes("SELECT secret")).length, 1);
  });
});
