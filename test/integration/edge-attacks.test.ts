import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { after, before, test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { drain } from "#http/drain.ts";
import { createHttpServer, type HttpServer, type Route } from "#http/server.ts";
import { createMetrics } from "#http/health-routes.ts";
import type { Caller } from "#domain/caller.ts";
import { startDiskService, connectToolClient as connectClient, type ToolClient } from "../support/asset-fixture.ts";
import { forOneEngine, silentLog } from "../support/engines.ts";
import { modernMeta, postMcp } from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import type { RunningService } from "../support/service.ts";
import { png } from "../support/samples.ts";
import { createTestGrant } from "../support/tokens.ts";
import { waitUntil } from "../support/wait-until.ts";
import { waitForClose } from "../support/wait-for-close.ts";

forOneEngine("attacks on the HTTP entry point", (fixture) => {
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

  const getCaller = () => ({ url: `${service.base}/mcp`, token });
  const countPosts = async () =>
    (await service.deps.posts.list(owner.studio.id, { limit: 100, maxTextLength: 1e6 })).items.length;
  const buildCreatePostMessage = (id: number) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "create_post", arguments: { title: "x" } },
    });
  const getHost = () => new URL(service.base).host;
  /** A request that creates a post, on a connection that is closed afterwards. */
  const buildRequest = (path: string, body: string, ...headers: string[]) =>
    buildRequestHead(path, ...headers, "Connection: close", `Content-Length: ${body.length}`) + body;
  const buildRequestHead = (path: string, ...headers: string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${getHost()}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      ...headers,
      "\r\n",
    ].join("\r\n");

  /** Sends the bytes and returns all responses until the server closes the connection. */
  async function sendRaw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(service.base).port), "127.0.0.1");
    await once(socket, "connect");
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString())).on("error", () => {});
    socket.write(bytes);
    await waitForClose(socket);
    return received;
  }
  const parseStatuses = (responses: string) =>
    [...responses.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

  test("accepts headers named like properties of Object.prototype, and does not fail on thousands of headers (M6)", async () => {
    const body = buildCreatePostMessage(1);
    const postCountBefore = await countPosts();
    for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
      const responses = await sendRaw(buildRequest("/mcp", body, `${name}: x`, `${name}: y`));
      assert.deepEqual(parseStatuses(responses), [200], name);
    }
    const manyHeaders = Array.from({ length: 1500 }, (_, i) => `x-${i}: 1`);
    assert.match(parseStatuses(await sendRaw(buildRequest("/mcp", body, ...manyHeaders))).join(), /^[24]\d\d$/);
    const longHeader = `x-a: ${"a".repeat(20_000)}`;
    assert.deepEqual(parseStatuses(await sendRaw(buildRequest("/mcp", "", longHeader))), [431]);
    assert.ok((await countPosts()) >= postCountBefore + 5);
  });

  test("rejects an ambiguous message length and does not serve a request hidden behind it (M8)", async () => {
    const postCountBefore = await countPosts();
    const body = buildCreatePostMessage(1);
    const smuggledRequest = `0\r\n\r\n${buildRequestHead("/mcp", `Content-Length: ${body.length}`)}${body}`;
    const attempts = [
      buildRequestHead("/mcp", "Content-Length: 5", "Transfer-Encoding: chunked") + smuggledRequest,
      buildRequestHead("/mcp", `Content-Length: ${body.length}`, "Content-Length: 0") + body,
      buildRequestHead("/mcp", "Transfer-Encoding: chunked, identity") + smuggledRequest,
      buildRequestHead("/mcp", "Transfer-Encoding : chunked") + smuggledRequest,
      buildRequestHead("/mcp", "Content-Length: +5") + smuggledRequest,
      buildRequestHead("/mcp", "X-A: b\r\n Content-Length: 5") + smuggledRequest,
    ];
    for (const attempt of attempts) {
      const statuses = parseStatuses(await sendRaw(attempt));
      assert.ok(
        statuses.length <= 1 && statuses.every((status) => status >= 400),
        JSON.stringify([attempt.slice(0, 300), statuses]),
      );
    }
    assert.equal(await countPosts(), postCountBefore);
  });

  test("rejects a request with two Host headers (M2, M8)", async () => {
    for (const [first, second] of [
      [getHost(), "evil.example"],
      ["evil.example", getHost()],
      [getHost(), getHost()],
    ]) {
      const responses = await sendRaw(
        `GET /login HTTP/1.1\r\nHost: ${first}\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`,
      );
      assert.deepEqual(parseStatuses(responses), [400]);
    }
  });

  test("ignores expectations other than 100-continue, and applies its checks and headers to the request (M2)", async () => {
    const requestHead = `GET /healthz HTTP/1.1\r\nHost: ${getHost()}\r\nConnection: close\r\n`;
    for (const expectation of ["x", ""]) {
      const response = await sendRaw(`${requestHead}Expect: ${expectation}\r\n\r\n`);
      assert.deepEqual(parseStatuses(response), [200]);
      assert.match(response, /^x-request-id: /m);
    }
    const rejected = await sendRaw(
      buildRequest("/mcp", buildCreatePostMessage(1), "Expect: x", "Origin: https://evil.example"),
    );
    assert.deepEqual(parseStatuses(rejected), [403]);
  });

  test("responds to pipelined requests in order (M4)", async () => {
    const calls = Array.from({ length: 10 }, (_, i) => buildCreatePostMessage(i));
    const requests = calls.map((body, i) => {
      const connection = i < calls.length - 1 ? "keep-alive" : "close";
      return buildRequestHead("/mcp", `Content-Length: ${body.length}`, `Connection: ${connection}`) + body;
    });
    const responses = await sendRaw(requests.join(""));
    const ids = [...responses.matchAll(/"jsonrpc":"2\.0","id":(\d+)/g)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      calls.map((_, i) => i),
    );
  });

  test("no other spelling of a path bypasses a check (M1, L6)", async () => {
    const postCountBefore = await countPosts();
    const body = buildCreatePostMessage(1);
    const spellings = ["//mcp", "/MCP", "/%6dcp", "/mcp%2f", "/mcp;a=b", "/./mcp", "/x/../mcp", "/mcp%00", "/mcp#x"];
    for (const path of [...spellings, "\\mcp", "http://evil.example/mcp", `http://a@${getHost()}/mcp`])
      assert.match(parseStatuses(await sendRaw(buildRequest(path, body))).join(), /^4\d\d$/, path);
    for (const path of ["/mcp/", `${service.base}/mcp`]) {
      const withoutToken = buildRequest(path, body).replace(/^authorization:.*\r\n/im, "");
      assert.deepEqual(parseStatuses(await sendRaw(withoutToken)), [401], `${path} requires a token`);
    }
    for (const path of ["//api/me", "/api//me", "/API/me", "/api/me/", "/api/uploads/../me", "/api/x/%2e%2e/me"])
      assert.ok([401, 404].includes((await fetch(`${service.base}${path}`)).status), path);
    assert.equal(await countPosts(), postCountBefore);
  });

  test("duplicate keys and __proto__ keys in a message grant no access (M10, M15)", async () => {
    const { token: readToken } = await createTestGrant(service.deps, owner, {
      scopes: ["studio:read"],
      client: "Reader",
    });
    const postCountBefore = await countPosts();
    const duplicateKeys = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","name":"create_post","arguments":{"title":"x"},"_meta":${JSON.stringify(modernMeta)}}}`;
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "whoami" };
    assert.equal((await postMcp({ ...getCaller(), token: readToken }, duplicateKeys, headers)).status, 400);
    const legacyHeaders = { "mcp-protocol-version": "2025-11-25" };
    const legacyMessage = duplicateKeys.replace(/,"_meta":.*/, "}}");
    assert.equal((await postMcp({ ...getCaller(), token: readToken }, legacyMessage, legacyHeaders)).status, 403);
    for (const args of [
      '{"__proto__":{"title":"x"}}',
      '{"title":"x","__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"a":1}}}',
    ]) {
      const response = await postMcp(
        getCaller(),
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":${args}}}`,
        legacyHeaders,
      );
      assert.equal(response.json.result.structuredContent.code, "invalid_input", args);
    }
    assert.equal(({} as Record<string, unknown>)["isAdmin"], undefined);
    assert.equal(await countPosts(), postCountBefore);
  });

  test("file URLs cannot be guessed, edited or used for another purpose (T11)", async () => {
    const base64 = (await png()).toString("base64");
    const uploadImage = async () =>
      (await client.callOk("upload_asset_inline", { kind: "image", mimeType: "image/png", base64 })).assetId;
    const [asset, otherAsset] = [
      await client.callOk("get_asset", { assetId: await uploadImage(), includeUrls: true }),
      await client.callOk("get_asset", { assetId: await uploadImage(), includeUrls: true }),
    ];
    const { uploadUrl } = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/png" });
    const otherOwner = await newStudio(service.deps);
    const otherPost = await createPost(service.deps, otherOwner, { title: "T", body: "" });
    const { url: link } = await createUploadSession(service.deps, otherOwner, { postId: otherPost.id });
    const getToken = (url = "") => url.split("/").at(-1) ?? "";
    const [fileToken, otherFileToken, uploadToken, thumbnailToken, linkToken] = [
      asset.url,
      otherAsset.url,
      uploadUrl,
      asset.thumbnailUrl ?? "",
      link,
    ].map(getToken);
    const [body = "", signature = ""] = (fileToken ?? "").split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    const forgedBody = Buffer.from(JSON.stringify({ ...claims, key: "../../atelier.db" })).toString("base64url");
    const forgedTokens = [
      ...[`${forgedBody}.${signature}`, `${body}.${(otherFileToken ?? "").split(".")[1]}`, body, `.${signature}`],
      ...[`${fileToken}%2f..%2f${otherFileToken}`, `%2e%2e%2f${fileToken}`, `${fileToken}%00`, "incoming", asset.id],
    ];
    for (const path of [...forgedTokens, thumbnailToken, linkToken, uploadToken])
      for (const method of ["GET", "HEAD", "DELETE", "POST"])
        assert.match(String((await fetch(`${service.base}/files/${path}`, { method })).status), /^40[34]$/, path);
    for (const path of [fileToken, thumbnailToken, linkToken])
      assert.equal((await fetch(`${service.base}/files/${path}`, { method: "PUT", body: "x" })).status, 403);
    for (const path of [fileToken, uploadToken, linkToken, `${thumbnailToken}x`])
      assert.equal((await fetch(`${service.base}/files/thumb/${path}`)).status, 404);
    for (const path of [fileToken, uploadToken, thumbnailToken])
      assert.equal((await fetch(`${service.base}/u/${path}`)).status, 403);
    assert.equal((await fetch(asset.url ?? "")).status, 200, "the original URL works");
  });
});

type ServerOptions = Parameters<typeof createHttpServer>[0];

/** Starts an HTTP server with these routes; returns a function that opens connections to it. */
async function startServer(
  t: TestContext,
  routes: ReturnType<ServerOptions["routes"]>,
  options: Partial<ServerOptions> = {},
): Promise<{ httpServer: HttpServer; server: Server; openSocket: (bytes: string) => Socket }> {
  const httpServer = createHttpServer({
    routes: () => routes,
    urls: { base: "http://localhost:1", uploadPage: "http://localhost:1", isLoopback: true, mcpOrigins: [] },
    metrics: createMetrics(silentLog),
    newId: () => "req_x",
    log: silentLog,
    ...options,
  });
  const { nodeServer: server } = httpServer;
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const openSocket = (bytes: string): Socket => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.on("error", () => {}).write(bytes);
    return socket;
  };
  return { httpServer, server, openSocket };
}

test("closes a connection whose client does not read the response (X1)", async (t) => {
  const handle = (_: IncomingMessage, res: ServerResponse) => void res.end(Buffer.alloc(32 * 1024 * 1024));
  const route = { path: "/big", originRule: "any", allowsAnyHost: true, handle } as const;
  const { server, openSocket } = await startServer(t, [route], { responseTimeoutMs: 500 });
  const connection = once(server, "connection") as Promise<[Socket]>;
  openSocket("GET /big HTTP/1.1\r\nHost: localhost:1\r\n\r\n").pause();
  const [serverSocket] = await connection;
  await once(serverSocket, "close");
});

test("a client that reads slowly gets the whole response, one that reads too slowly does not (X1)", async (t) => {
  const bytes = 32 * 1024 * 1024;
  const handle = (_: IncomingMessage, res: ServerResponse) => void res.end(Buffer.alloc(bytes));
  const route = { path: "/big", originRule: "any", allowsAnyHost: true, handle } as const;
  /** Reads for about six seconds, which is longer than the timeout; returns the number of received bytes. */
  async function readSlowly(bytesPerSecond: number): Promise<number> {
    const unreadLimits = { total: 10 * bytes, perOwner: 10 * bytes, bytesPerSecond };
    const { openSocket } = await startServer(t, [route], { responseTimeoutMs: 2000, unreadLimits });
    const socket = openSocket("GET /big HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n").pause();
    let receivedBytes = 0;
    socket.on("data", (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes < bytes * 0.9) socket.pause();
    });
    const timer = setInterval(() => socket.resume(), 12);
    await waitForClose(socket);
    clearInterval(timer);
    return receivedBytes;
  }
  assert.ok((await readSlowly(bytes / 60)) > bytes);
  assert.ok((await readSlowly(bytes * 100)) < bytes);
});

const toPost = (path: string, length: number, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: ${length}\r\n\r\n${body}`;

test("closes a connection whose body does not arrive, unless the route allows a long body (X1)", async (t) => {
  const handle = (_: IncomingMessage, res: ServerResponse) => void res.writeHead(200).write("reading");
  const short = { path: "/short", originRule: "any", allowsAnyHost: true, handle } as const;
  const longRoute = { ...short, path: "/long", allowsLongBody: true } as const;
  const { openSocket } = await startServer(t, [short, longRoute], { bodyTimeoutMs: 300 });
  const complete = openSocket(toPost("/short", 5, "12345")).resume();
  const long = openSocket(toPost("/long", 5, "1")).resume();
  await waitForClose(openSocket(toPost("/short", 5, "1")).resume());
  assert.deepEqual([complete.closed, long.closed], [false, false]);
});

test("closes a connection whose body still arrives after the response (X1)", async (t) => {
  const handle = (_: IncomingMessage, res: ServerResponse) => void res.writeHead(200).end("done");
  const route = { path: "/long", originRule: "any", allowsAnyHost: true, allowsLongBody: true, handle } as const;
  const { openSocket } = await startServer(t, [route], { bodyTimeoutMs: 300 });
  const socket = openSocket(toPost("/long", 1_000_000, "")).resume();
  const drip = setInterval(() => socket.write("x"), 50);
  t.after(() => clearInterval(drip));
  await waitForClose(socket);
});

test("accepts its host name in upper or lower case and with the default port, and no other host (M2, META-3)", async (t) => {
  const base = "https://atelier.example";
  const handle = (req: IncomingMessage, res: ServerResponse) => void res.end(req.headers.host);
  const { openSocket } = await startServer(t, [{ path: "/", originRule: "own", handle }], {
    urls: { base, uploadPage: base, isLoopback: false, mcpOrigins: [] },
  });
  const request = async (host: string, target = "/"): Promise<string> =>
    (await openSocket(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`).toArray()).join("");
  for (const host of ["atelier.example", "Atelier.Example", "atelier.example:443"])
    assert.match(await request(host), /^HTTP\/1\.1 200 [\s\S]*\batelier\.example\b/, host);
  for (const host of ["atelier.example:80", "atelier.example:4430", "atelier.example.", "a:443@atelier.example"])
    assert.match(await request(host), /^HTTP\/1\.1 403 /, host);
  // RFC 9112 §3.2.2: the host of an absolute request target replaces the Host header.
  assert.match(await request("evil.example", "http://atelier.example/"), /^HTTP\/1\.1 200 /);
  assert.match(await request("atelier.example", "http://evil.example/"), /^HTTP\/1\.1 403 /);
});

test("a shutdown finishes accepted requests, and does not wait for clients that neither send nor read (X1, C4)", async (t) => {
  const common = { originRule: "any", allowsAnyHost: true, allowsLongBody: true } as const;
  let slowResponse: ServerResponse | undefined;
  const routes = [
    { ...common, path: "/big", handle: (_, res) => void res.end(Buffer.alloc(32 * 1024 * 1024)) },
    { ...common, path: "/body", handle: (req, res) => void req.resume().once("end", () => res.end("received")) },
    { ...common, path: "/slow", handle: (_, res) => void (slowResponse = res) },
  ] satisfies Route[];
  const { httpServer, server, openSocket } = await startServer(t, routes);
  const toGet = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost:1\r\n\r\n`;
  openSocket("GET / HTTP/1.1\r\nHo");
  openSocket(toPost("/body", 10, "1"));
  openSocket(toGet("/big")).pause();
  const accepted = [openSocket(toGet("/slow")), openSocket(toPost("/body", 10, "1"))] as const;
  const responses = accepted.map(async (socket) => Buffer.concat(await socket.toArray()).toString());
  await waitUntil(async () => (await promisify(server.getConnections).call(server)) === 5);
  // The client of the second body sends a byte in each interval.
  let byteCount = 0;
  const timer = setInterval(() => {
    accepted[1].write("2");
    if (++byteCount === 12) slowResponse?.end("finished");
  }, 300);
  const work = Promise.resolve();
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...entry: unknown[]) => void warnings.push(entry) };
  await drain(httpServer, log, { work, endStreams: () => {}, stallTimeoutMs: 1000 });
  clearInterval(timer);
  const [slow = "", body = ""] = await Promise.all(responses);
  assert.match(slow, /finished$/);
  assert.match(body, /received$/);
  assert.deepEqual(warnings, [], "the shutdown timeout was not reached");
});
