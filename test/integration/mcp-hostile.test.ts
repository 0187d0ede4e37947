import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { forEachEngine } from "../support/engines.ts";
import {
  initialize,
  callLegacy,
  callModern,
  modernMeta,
  postMcp,
  startMcpServer,
  type McpResponse,
  type McpCaller,
  type TestMcpServer,
} from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

const megabyte = 1024 * 1024;

forEachEngine("hostile messages", (fixture) => {
  let server: TestMcpServer;
  let me: McpCaller;
  let studioId: string;
  before(async () => void (server = await startMcpServer(fixture)));
  after(() => server.close());
  beforeEach(async () => {
    const owner = await newStudio(fixture.deps);
    studioId = owner.studio.id;
    me = { url: server.url, token: (await createTestGrant(fixture.deps, owner)).token };
  });

  const posts = async () => (await fixture.deps.posts.list(studioId, { limit: 100 })).length;
  const create = (id: unknown = 1) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "create_post", arguments: { title: "x" } },
  });
  const modernCall = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":${args},"_meta":${JSON.stringify(modernMeta)}}}`;
  const modernHeaders = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "create_post" };

  test("a batch of 1,000 is one 400, and nothing is done (M5)", async () => {
    const batch = JSON.stringify(Array.from({ length: 1000 }, (_, i) => create(i)));
    for (const headers of [
      {},
      { "mcp-protocol-version": "2025-11-25" },
      { "mcp-protocol-version": "2025-03-26" },
      modernHeaders,
    ]) {
      const answer = await postMcp(me, batch, headers);
      assert.equal(answer.status, 400);
      assert.equal(answer.json.error.code, -32600);
    }
    assert.equal(await posts(), 0);
  });

  test("batches as each revision says: 2025-03-26 has them, no other (M5)", async () => {
    const batch = JSON.stringify([
      create(1),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      create(2),
      { jsonrpc: "2.0", id: 3, method: "nope" },
    ]);
    for (const revision of ["2025-11-25", "2025-06-18"]) {
      const { session } = await initialize(me, revision);
      assert.equal((await postMcp({ ...me, session }, batch, { "mcp-protocol-version": revision })).status, 400);
      assert.equal((await postMcp({ ...me, session }, batch)).status, 400);
    }
    assert.equal(await posts(), 0);
    const { session } = await initialize(me, "2025-03-26");
    const answer = await postMcp({ ...me, session }, batch);
    assert.equal(answer.status, 200);
    assert.deepEqual(
      answer.messages.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code]),
      [
        [1, undefined],
        [2, undefined],
        [3, -32601],
      ],
    );
    assert.equal(await posts(), 2);
    assert.equal((await postMcp({ ...me, session }, "[]")).status, 400);
    assert.equal((await postMcp({ ...me, session }, JSON.stringify([create(1), 5]))).status, 400);
    assert.equal(
      (await postMcp({ ...me, session }, JSON.stringify([{ jsonrpc: "2.0", method: "notifications/initialized" }])))
        .status,
      202,
    );
    assert.equal(
      (await postMcp({ ...me, session }, JSON.stringify([{ ...create(1), method: "initialize" }]))).status,
      400,
    );
    assert.equal(await posts(), 2);
  });

  test("a body past the cap is 413 in the contract's words, whatever its headers say, and the connection is closed (M8)", async () => {
    const long = Buffer.alloc(17 * megabyte, "x");
    const announced = await postMcp(me, long);
    const chunked = await postMcp(
      me,
      new ReadableStream({
        start(controller) {
          controller.enqueue(long);
          controller.close();
        },
      }),
    );
    for (const answer of [announced, chunked]) {
      assert.equal(answer.status, 413);
      assert.equal(answer.headers.get("connection"), "close");
      assert.match(answer.json.error.message, /^inline_too_large_use_presign/);
    }
  });

  test("a Content-Length that lies is not believed (M8)", async () => {
    const body = JSON.stringify(create());
    const send = async (length: number): Promise<string> => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${me.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
      );
      if (length > body.length) setTimeout(() => socket.end(), 50);
      let text = "";
      socket.on("data", (chunk) => void (text += chunk.toString()));
      await once(socket, "close");
      return text;
    };
    assert.match(await send(body.length - 10), /^HTTP\/1\.1 400/);
    assert.match(await send(body.length + 10), /^(HTTP\/1\.1 400|$)/);
    assert.equal(await posts(), 0);
  });

  test("other types, charsets and encodings: 415, nothing is done (M9)", async () => {
    const body = JSON.stringify(create());
    for (const type of [
      "text/plain",
      "application/json\ta",
      "application/json; charset=utf-16",
      "application/jsonp",
      "application/json-rpc",
      "multipart/form-data",
      "application/json;charset=",
      "application/json, text/plain",
      "",
    ]) {
      assert.equal((await postMcp(me, body, { "content-type": type })).status, 415, type);
    }
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON;charset=UTF-8",
      'application/json; charset="utf-8"',
    ]) {
      assert.equal(
        (await postMcp(me, JSON.stringify({ ...create(), method: "ping" }), { "content-type": type })).status,
        200,
        type,
      );
    }
    const bomb = gzipSync(Buffer.alloc(50 * megabyte));
    for (const encoding of ["gzip", "br", "deflate", "gzip, gzip"])
      assert.equal((await postMcp(me, bomb, { "content-encoding": encoding })).status, 415, encoding);
    assert.equal(await posts(), 0);
  });

  test("what is no message is a 400 with the protocol's own error (M10)", async () => {
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
      const answer = await postMcp(me, body);
      assert.equal(answer.status, 400, body);
      assert.equal(answer.json.error.code, code, body);
    }
    const notUtf8 = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    assert.equal((await postMcp(me, notUtf8)).json.error.code, -32700);
  });

  test("unknown tools and wrong arguments are answered in band, never with a 500 (M10)", async () => {
    const long = "x".repeat(10 * megabyte);
    const args = [
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
      `{"title":"${long}"}`,
      `{"title":"x","body":"${long}"}`,
      `{"${long}":1}`,
      '{"title":"x","body":"\\udfff"}',
      '{"title":"x","idempotencyKey":""}',
    ];
    for (const one of args) {
      const answer = await postMcp(me, modernCall(one), modernHeaders);
      assert.equal(answer.status, 200, one.slice(0, 80));
      assert.equal(answer.json.result.isError, true, one.slice(0, 80));
      assert.match(answer.json.result.content[0].text, /^invalid_input: /);
      assert.ok(answer.text.length < 4000);
    }
    for (const name of ["nope", "__proto__", "constructor", "toString", "", "x".repeat(1000)]) {
      const answer = await callModern(me, "tools/call", { name, arguments: {} });
      assert.equal(answer.json.error.code, -32602, name);
      assert.ok(answer.text.length < 1000);
    }
    for (const one of ["[]", "5", '"x"', "null"]) {
      const answer = await postMcp(me, modernCall(one), modernHeaders);
      assert.equal(answer.json.error.code, -32602, one);
    }
    for (const params of [{ name: 5 }, {}])
      assert.equal((await callLegacy(me, "tools/call", params)).json.error.code, -32602);
    assert.equal((await callModern(me, "tools/list", { cursor: "x" })).json.error.code, -32602);
    assert.equal(await posts(), 0);
  });

  test("headers that do not repeat the body: 400 -32020; unknown methods: 404 -32601 (M11)", async () => {
    const cases: [Record<string, string>, number, number][] = [
      [{ "mcp-method": "tools/list" }, 400, -32020],
      [{ "mcp-name": "get_post" }, 400, -32020],
      [{ "mcp-name": "=?base64?!!?=" }, 400, -32020],
      [{ "mcp-protocol-version": "2025-11-25" }, 400, -32020],
      [{ "mcp-protocol-version": "2099-01-01" }, 400, -32020],
    ];
    for (const [headers, status, code] of cases) {
      const answer = await callModern(me, "tools/call", { name: "whoami" }, headers);
      assert.deepEqual(
        [answer.status, answer.json.error.code, answer.json.id],
        [status, code, 1],
        JSON.stringify(headers),
      );
    }
    const whole = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "whoami", _meta: modernMeta },
    });
    for (const missing of ["mcp-protocol-version", "mcp-method", "mcp-name"]) {
      const { [missing]: _, ...headers } = { ...modernHeaders, "mcp-name": "whoami" } as Record<string, string>;
      assert.equal((await postMcp(me, whole, headers)).json.error.code, -32020, missing);
    }
    assert.equal(
      (
        await callModern(
          me,
          "tools/call",
          { name: "whoami" },
          { "mcp-name": `=?base64?${Buffer.from("whoami").toString("base64")}?=` },
        )
      ).status,
      200,
    );
    for (const method of [
      "nope",
      "initialize",
      "ping",
      "logging/setLevel",
      "prompts/list",
      "resources/list",
      "__proto__",
      "constructor",
    ]) {
      const answer = await callModern(me, method);
      assert.deepEqual([answer.status, answer.json.error.code], [404, -32601], method);
    }
    const { session } = await initialize(me);
    for (const method of ["nope", "server/discover", "subscriptions/listen", "prompts/list"]) {
      const answer = await callLegacy({ ...me, session }, method);
      assert.deepEqual([answer.status, answer.json.error.code], [200, -32601], method);
    }
    assert.equal((await callLegacy({ ...me, session }, "ping")).text, '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal((await callLegacy(me, "tools/list", {}, { "mcp-protocol-version": "1999-01-01" })).status, 400);
    const unsupported = { ...modernMeta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const answer = await postMcp(
      me,
      JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: { _meta: unsupported } }),
      { "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" },
    );
    assert.deepEqual(
      [answer.status, answer.json.error.code, answer.json.id, answer.json.error.data],
      [400, -32022, 7, { supported: ["2026-07-28"], requested: "2099-01-01" }],
    );
  });

  test("a posted answer that nobody waits for is refused, a notification is taken", async () => {
    const { session } = await initialize(me);
    assert.equal((await postMcp({ ...me, session }, '{"jsonrpc":"2.0","id":1,"result":{}}')).status, 400);
    assert.equal(
      (await postMcp({ ...me, session }, '{"jsonrpc":"2.0","method":"notifications/initialized"}')).status,
      202,
    );
    assert.equal(
      (
        await postMcp(
          { ...me, session },
          '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        )
      ).status,
      202,
    );
    assert.equal(
      (
        await postMcp(me, '{"jsonrpc":"2.0","method":"notifications/whatever"}', {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "notifications/whatever",
        })
      ).status,
      202,
    );
  });

  test("an error of ours says nothing of itself but a reference (M15)", async () => {
    const lines: string[] = [];
    const { createLog } = await import("#lib/log.ts");
    const broken = {
      ...fixture.deps,
      posts: {
        ...fixture.deps.posts,
        findWithPlatformStatus: () => Promise.reject(new Error("SELECT secret FROM /etc/passwd")),
      },
    };
    const other = await startMcpServer(
      { deps: broken },
      { log: createLog("info", { write: (line: string) => void lines.push(line) }) },
    );
    try {
      const answer: McpResponse = await callModern({ ...me, url: other.url }, "tools/call", {
        name: "get_post",
        arguments: { postId: fixture.deps.newId("post") },
      });
      assert.equal(answer.status, 200);
      const { code, message } = answer.json.result.structuredContent;
      assert.equal(code, "internal");
      assert.doesNotMatch(answer.text, /SELECT|passwd|at /);
      const reference = /req_\w+/.exec(message)?.[0] ?? "none";
      assert.equal(lines.filter((line) => line.includes(reference) && line.includes("SELECT secret")).length, 1);
    } finally {
      await other.close();
    }
  });
});
