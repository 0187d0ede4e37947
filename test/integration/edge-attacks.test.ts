import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createHttpServer } from "#http/server.ts";
import { createMetrics } from "#http/health-routes.ts";
import type { Caller } from "#domain/caller.ts";
import { startDiskService, connectToolClient as connectClient, type ToolClient } from "../support/asset-fixture.ts";
import { forEachEngine, silentLog } from "../support/engines.ts";
import { callLegacy, callModern, modernMeta, postMcp } from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import type { RunningService } from "../support/service.ts";
import { png } from "../support/samples.ts";
import { createTestGrant } from "../support/tokens.ts";

forEachEngine("attacks at the door", (fixture) => {
  let service: RunningService;
  let owner: Caller;
  let token: string;
  let client: ToolClient;
  before(async () => {
    service = await startDiskService(fixture.deps, { env: { RATE_LIMITS: "off" } });
    owner = await newStudio(service.deps);
    token = (await createTestGrant(service.deps, owner)).token;
    client = await connectClient(service, owner);
  });
  after(async () => {
    await client.close();
    await service.close();
  });

  const me = () => ({ url: `${service.base}/mcp`, token });
  const posts = async () => (await service.deps.posts.list(owner.studio.id, { limit: 100 })).length;
  const create = (id: number) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "create_post", arguments: { title: "x" } },
    });
  const host = () => new URL(service.base).host;
  const head = (path: string, ...headers: string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${host()}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      ...headers,
      "\r\n",
    ].join("\r\n");

  /** Everything that is answered to these bytes until the connection ends, or nothing comes for a moment. */
  async function raw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(service.base).port), "127.0.0.1");
    await once(socket, "connect");
    let said = "";
    socket.on("data", (chunk: Buffer) => void (said += chunk.toString())).on("error", () => {});
    socket.setTimeout(500, () => socket.destroy());
    socket.write(bytes);
    await once(socket, "close");
    return said;
  }
  const statuses = (said: string) => [...said.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

  test("header names that break prototypes, and thousands of headers, break nothing (M6)", async () => {
    const body = create(1);
    const before = await posts();
    for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
      const said = await raw(head("/mcp", `${name}: x`, `${name}: y`, `Content-Length: ${body.length}`) + body);
      assert.deepEqual(statuses(said), [200], name);
    }
    const many = Array.from({ length: 1500 }, (_, i) => `x-${i}: 1`);
    assert.ok(
      statuses(await raw(head("/mcp", ...many, `Content-Length: ${body.length}`) + body)).every((s) => s < 500),
    );
    assert.deepEqual(statuses(await raw(head("/mcp", `x-a: ${"a".repeat(20_000)}`, "Content-Length: 0"))), [431]);
    assert.ok((await posts()) >= before + 5);
  });

  test("two ideas of where a message ends: refused, and what hides behind it is not served (M8)", async () => {
    const before = await posts();
    const body = create(1);
    const hidden = `0\r\n\r\n${head("/mcp", `Content-Length: ${body.length}`)}${body}`;
    const attempts = [
      head("/mcp", "Content-Length: 5", "Transfer-Encoding: chunked") + hidden,
      head("/mcp", `Content-Length: ${body.length}`, "Content-Length: 0") + body,
      head("/mcp", "Transfer-Encoding: chunked, identity") + hidden,
      head("/mcp", "Transfer-Encoding : chunked") + hidden,
      head("/mcp", "Content-Length: +5") + hidden,
      head("/mcp", "X-A: b\r\n Content-Length: 5") + hidden,
    ];
    for (const attempt of attempts) {
      const said = statuses(await raw(attempt));
      assert.ok(
        said.length <= 1 && said.every((status) => status >= 400),
        JSON.stringify([attempt.slice(0, 300), said]),
      );
    }
    assert.equal(await posts(), before);
  });

  test("a request that names two hosts is refused, whichever of them is ours (M2, M8)", async () => {
    for (const [first, second] of [
      [host(), "evil.example"],
      ["evil.example", host()],
      [host(), host()],
    ]) {
      const said = await raw(`GET /login HTTP/1.1\r\nHost: ${first}\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`);
      assert.deepEqual(statuses(said), [400]);
    }
  });

  test("requests sent without waiting for an answer are answered in their order (M4)", async () => {
    const calls = Array.from({ length: 30 }, (_, i) => create(i));
    const said = await raw(calls.map((body) => head("/mcp", `Content-Length: ${body.length}`) + body).join(""));
    const ids = [...said.matchAll(/"jsonrpc":"2\.0","id":(\d+)/g)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      calls.map((_, i) => i),
    );
  });

  test("other spellings of an address are other addresses, and none is a way around a check (M1, L6)", async () => {
    const before = await posts();
    const body = create(1);
    const spelled = [
      "//mcp",
      "/MCP",
      "/%6dcp",
      "/mcp%2f",
      "/mcp;a=b",
      "/./mcp",
      "/x/../mcp",
      "/mcp%00",
      "/mcp#x",
      "\\mcp",
    ];
    for (const path of [...spelled, `http://evil.example/mcp`, `http://a@${new URL(service.base).host}/mcp`]) {
      const said = statuses(await raw(head(path, `Content-Length: ${body.length}`) + body));
      assert.ok(
        said.every((status) => status >= 400 && status < 500),
        `${path} ${said.join()}`,
      );
    }
    for (const path of ["/mcp/", `${service.base}/mcp`]) {
      const nobody = head(path, `Content-Length: ${body.length}`).replace(/^authorization:.*\r\n/im, "");
      assert.deepEqual(statuses(await raw(nobody + body)), [401], `${path} leads to the same door`);
    }
    for (const path of ["//api/me", "/api//me", "/API/me", "/api/me/", "/api/uploads/../me", "/api/x/%2e%2e/me"])
      assert.ok([401, 404].includes((await fetch(`${service.base}${path}`)).status), path);
    assert.equal(await posts(), before);
  });

  test("a key that is there twice, or is __proto__, gains nothing (M10, M15)", async () => {
    const { token: reading } = await createTestGrant(service.deps, owner, {
      scopes: ["studio:read"],
      client: "Reader",
    });
    const before = await posts();
    const twice = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","name":"create_post","arguments":{"title":"x"},"_meta":${JSON.stringify(modernMeta)}}}`;
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "whoami" };
    assert.equal((await postMcp({ ...me(), token: reading }, twice, headers)).status, 400);
    const old = { "mcp-protocol-version": "2025-11-25" };
    assert.equal((await postMcp({ ...me(), token: reading }, twice.replace(/,"_meta":.*/, "}}"), old)).status, 403);
    for (const args of [
      '{"__proto__":{"title":"x"}}',
      '{"title":"x","__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"a":1}}}',
    ]) {
      const answer = await postMcp(
        me(),
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":${args}}}`,
        old,
      );
      assert.equal(answer.json.result.structuredContent.code, "invalid_input", args);
    }
    assert.equal(({} as Record<string, unknown>)["isAdmin"], undefined);
    assert.equal(await posts(), before);
  });

  test("addresses of files: none is guessed, edited, or good for something else (T11)", async () => {
    const base64 = (await png()).toString("base64");
    const send = async () =>
      (await client.callOk("upload_asset_inline", { kind: "image", mimeType: "image/png", base64 })).assetId;
    const [a, b] = [
      await client.callOk("get_asset", { assetId: await send() }),
      await client.callOk("get_asset", { assetId: await send() }),
    ];
    const { uploadUrl } = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/png" });
    const stranger = await newStudio(service.deps);
    const theirPost = await createPost(service.deps, stranger, { title: "T", body: "" });
    const { url: link } = await createUploadSession(service.deps, stranger, { postId: theirPost.id });
    const tokenOf = (url = "") => url.split("/").at(-1) ?? "";
    const [one, two, put, thumb, visit] = [a.url, b.url, uploadUrl, a.thumbnailUrl ?? "", link].map(tokenOf);
    const [body = "", signature = ""] = (one ?? "").split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    const forge = (change: object) => Buffer.from(JSON.stringify({ ...claims, ...change })).toString("base64url");
    const forged = [
      `${body}.${(two ?? "").split(".")[1]}`,
      `${forge({ mimeType: "text/html" })}.${signature}`,
      `${forge({ exp: Date.now() + 1e12 })}.${signature}`,
      `${forge({ key: "../../atelier.db" })}.${signature}`,
      `${body}.${signature}=`,
      `${body}.${signature}%00`,
      `${body}..${signature}`,
      `${body}.${signature.toUpperCase()}`,
      body,
      `.${signature}`,
      `${one}%2f..%2f${two}`,
      `%2e%2e%2f${one}`,
      thumb,
      visit,
      put,
      "incoming",
      a.id,
    ];
    for (const path of forged)
      for (const method of ["GET", "HEAD", "DELETE", "POST"])
        assert.ok(
          [403, 404].includes((await fetch(`${service.base}/files/${path}`, { method })).status),
          `${method} ${path}`,
        );
    for (const path of [one, thumb, visit]) {
      const answer = await fetch(`${service.base}/files/${path}`, { method: "PUT", body: "x" });
      assert.equal(answer.status, 403);
    }
    for (const path of [one, put, visit, `${thumb}x`])
      assert.equal((await fetch(`${service.base}/files/thumb/${path}`)).status, 404);
    for (const path of [one, put, thumb]) assert.equal((await fetch(`${service.base}/u/${path}`)).status, 403);
    assert.equal((await fetch(a.url ?? "")).status, 200, "and the real one is good");
  });

  test("bodies that a form of another site can send are no JSON, whatever their type says (W1)", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json, text/plain",
      "",
    ]) {
      const answer = await postMcp(me(), create(1), { "content-type": type });
      assert.equal(answer.status, 415, type);
    }
  });

  test("one idempotency key of two people is two keys (R4, T2)", async () => {
    const other = await newStudio(service.deps);
    const theirs = { url: me().url, token: (await createTestGrant(service.deps, other)).token };
    const args = { name: "create_post", arguments: { title: "Mine", idempotencyKey: "the same" } };
    const [mine, their] = [await callModern(me(), "tools/call", args), await callLegacy(theirs, "tools/call", args)];
    assert.notEqual(mine.json.result.structuredContent.id, their.json.result.structuredContent.id);
  });
});

test("an answer that nobody takes is not held for ever (X1)", async () => {
  const { nodeServer: server } = createHttpServer({
    routes: () => [
      {
        path: "/big",
        origin: "any",
        allowsAnyHost: true,
        handle: (_, res) => void res.end(Buffer.alloc(64 * 1024 * 1024)),
      },
    ],
    urls: { base: "http://localhost:1", uploadPage: "http://localhost:1", loopback: true, mcpOrigins: [] },
    metrics: createMetrics(silentLog),
    newId: () => "req_x",
    log: silentLog,
    responseTimeoutMs: 500,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const held = once(server, "connection") as Promise<[Socket]>;
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {}).pause();
  socket.write("GET /big HTTP/1.1\r\nHost: localhost:1\r\n\r\n");
  const [ours] = await held;
  const started = performance.now();
  await once(ours, "close");
  assert.ok(performance.now() - started < 5000);
  socket.destroy();
  server.close();
});

test("our host in capitals or with its scheme's own port is our host, and no other is (M2)", async (t) => {
  const base = "https://atelier.example";
  const { nodeServer: server } = createHttpServer({
    routes: () => [{ path: "/", origin: "own", handle: (req, res) => void res.end(req.headers.host) }],
    urls: { base, uploadPage: base, loopback: false, mcpOrigins: [] },
    metrics: createMetrics(silentLog),
    newId: () => "req_x",
    log: silentLog,
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ask = async (host: string): Promise<string> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
    socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return (await socket.toArray()).join("");
  };
  for (const host of ["atelier.example", "Atelier.Example", "atelier.example:443"])
    assert.match(await ask(host), /^HTTP\/1\.1 200 [\s\S]*\batelier\.example\b/, host);
  for (const host of ["atelier.example:80", "atelier.example:4430", "atelier.example.", "a:443@atelier.example"])
    assert.match(await ask(host), /^HTTP\/1\.1 403 /, host);
});
