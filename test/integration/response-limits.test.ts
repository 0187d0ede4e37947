import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { createMetrics } from "#http/health-routes.ts";
import { createHttpServer } from "#http/server.ts";
import { parseIpAddressSet } from "#lib/ip-address.ts";
import { readBody } from "#lib/request-body.ts";
import { forOneEngine, silentLog } from "../support/engines.ts";
import { postMcp, startMcpServer } from "../support/mcp.ts";
import { createTestGrant } from "../support/tokens.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

const responseBytes = 8 * 1024 * 1024;
let handledCount = 0;
const { promise: waitEnd, resolve: endWait } = Promise.withResolvers<void>();
const { nodeServer: server } = createHttpServer({
  routes: () => [
    {
      path: "/*",
      originRule: "any",
      allowsAnyHost: true,
      async handle(req, res, context) {
        handledCount++;
        if (req.url !== "/") context.logContext = { userId: req.url ?? "" };
        if (req.url === "/wait") await waitEnd;
        if (req.url === "/body") return void res.end((await readBody(req, () => undefined)) as Buffer);
        res.end(Buffer.alloc(responseBytes));
      },
    },
  ],
  urls: { base: "http://localhost:1", uploadPage: "http://localhost:1", isLoopback: true, mcpOrigins: [] },
  metrics: createMetrics(silentLog),
  newId: () => "req_x",
  log: silentLog,
  trustedProxies: parseIpAddressSet(["loopback"])!,
  unreadLimits: { perOwner: 3.5 * responseBytes, total: 4.5 * responseBytes, bytesPerSecond: 8192 },
});
const sockets: Socket[] = [];

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Requests a response that it does not read; resolves when the server has ended it. */
async function leaveUnread(user: string, requestCount = 1, forwardedFor = "192.0.2.1"): Promise<Socket> {
  const connection = once(server, "connection") as Promise<[Socket]>;
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {}).pause();
  const request = `GET /${user} HTTP/1.1\r\nHost: localhost:1\r\nX-Forwarded-For: ${forwardedFor}\r\n\r\n`;
  socket.write(request.repeat(requestCount));
  const [serverSocket] = await connection;
  await waitUntil(() => serverSocket.destroyed || serverSocket.writableLength > 0);
  return serverSocket;
}

const closeAll = async (connections: readonly Socket[]): Promise<void> => {
  for (const connection of connections) connection.destroy();
  await waitUntil(() => connections.every(({ closed }) => closed));
};

test("a user's oldest unread responses are closed above the limit per user, those of others are not (X1)", async () => {
  const other = await leaveUnread("ada");
  const own: Socket[] = [];
  for (let i = 0; i < 4; i++) own.push(await leaveUnread("eve"));
  assert.deepEqual(
    [other, ...own].map(({ destroyed }) => destroyed),
    [false, true, false, false, false],
  );
  await closeAll([other, ...own]);
});

test("behind a trusted proxy, the limit of anonymous clients is per IP address of the client (X1)", async () => {
  const connections: Socket[] = [];
  for (const ip of ["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.2"]) connections.push(await leaveUnread("", 1, ip));
  assert.ok(connections.every(({ destroyed }) => !destroyed));
  await closeAll(connections);
});

test("above the limit in total, the user with the most unread bytes loses the oldest response (X1)", async () => {
  const connections: Socket[] = [];
  for (const user of ["ada", "eve", "eve", "bob", "cleo"]) connections.push(await leaveUnread(user));
  assert.deepEqual(
    connections.map(({ destroyed }) => destroyed),
    [false, true, false, false, false],
  );
  await closeAll(connections);
});

test("pipelined requests run one after another, and too many close their connection (X1)", async () => {
  const handledBefore = handledCount;
  const waiting = await leaveUnread("eve", 11);
  assert.equal(handledCount - handledBefore, 1, "the others wait until the first response is read");
  const rejected = await leaveUnread("eve", 12);
  await waitUntil(() => rejected.destroyed);
  assert.equal(waiting.destroyed, false);
  await closeAll([waiting]);
});

test("responses that are read later do not count any more (X1)", async () => {
  for (let i = 0; i < 6; i++) {
    await leaveUnread("ada");
    const client = sockets.at(-1)!;
    let receivedBytes = 0;
    client.on("data", (chunk: Buffer) => void (receivedBytes += chunk.length)).resume();
    await waitUntil(() => receivedBytes > responseBytes);
  }
});

test("a body in very short chunks is rejected after the first thousand, and the connection is closed (X1)", async () => {
  const send = async (chunks: readonly string[]): Promise<[string, boolean]> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    sockets.push(socket);
    const lines = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    socket.write("POST /body HTTP/1.1\r\nHost: localhost:1\r\nTransfer-Encoding: chunked\r\n\r\n");
    socket.write(`${lines.join("")}0\r\n\r\n`);
    let response = "";
    socket.on("data", (data: Buffer) => void (response += data.toString("latin1"))).on("error", () => {});
    await waitUntil(() => /\r\n\r\n./s.test(response));
    const isClosing = /\r\nconnection: close\r\n/i.test(response);
    if (isClosing) await waitUntil(() => socket.closed);
    return [response.slice(9, 12), isClosing];
  };
  assert.deepEqual(await send(Array.from({ length: 1000 }, () => "a")), ["200", false]);
  assert.deepEqual(await send(["a".repeat(64), ...Array.from({ length: 1100 }, () => "a")]), ["400", true]);
  assert.deepEqual(await send(Array.from({ length: 5000 }, () => "a".repeat(64))), ["200", false]);
});

test("the body of a request that waits stays in the socket, and very short chunks close the connection (X1)", async () => {
  const send = async (headers: string, body: string): Promise<[client: Socket, serverSocket: Socket]> => {
    const connection = once(server, "connection") as Promise<[Socket]>;
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    sockets.push(client);
    client.on("error", () => {});
    const requests = ["GET /wait HTTP/1.1", `POST /body HTTP/1.1\r\n${headers}`];
    client.write(requests.map((request) => `${request}\r\nHost: localhost:1\r\n\r\n`).join("") + body);
    return [client, (await connection)[0]];
  };
  const [, closedSocket] = await send("Transfer-Encoding: chunked", "1\r\na\r\n".repeat(1100));
  await waitUntil(() => closedSocket.destroyed);

  const body = "a".repeat(4_000_000);
  const [client, serverSocket] = await send(`Content-Length: ${body.length}`, body);
  await waitUntil(() => serverSocket.bytesRead > 0);
  for (let i = 0; i < 100; i++) await new Promise(setImmediate); // the server could read in each
  assert.ok(serverSocket.bytesRead <= 64 * 1024, `the server read ${serverSocket.bytesRead} bytes`);
  endWait();
  let receivedBytes = 0;
  client.on("data", (chunk: Buffer) => void (receivedBytes += chunk.length));
  await waitUntil(() => receivedBytes > responseBytes + body.length);
});

test("a response before the end of a chunked body closes the connection (X1)", async () => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  socket.write("POST /early HTTP/1.1\r\nHost: localhost:1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  socket.resume();
  await once(socket, "close");
});

forOneEngine("long responses of a batch", (fixture) => {
  test("the calls after 8 MB of responses are not run (M5)", async () => {
    const server = await startMcpServer(fixture);
    const owner = await newStudio(fixture.deps);
    const caller = { url: server.url, token: (await createTestGrant(fixture.deps, owner)).token };
    const call = (id: number, name: string, input: object) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: input },
    });
    // JSON writes these characters with six bytes, and a result contains them twice.
    const posts = Array.from({ length: 5 }, (_, id) =>
      call(id, "create_post", { title: "x", body: "\u0001".repeat(99_000) }),
    );
    const headers = { "mcp-protocol-version": "2025-03-26" };
    for (const post of posts) await postMcp(caller, JSON.stringify(post), headers);
    const lists = [1, 2, 3].map((id) => call(id, "list_posts", { includeBody: true }));
    const batch = [...lists, call(4, "create_post", { title: "not run" })];
    const { status, messages } = await postMcp(caller, JSON.stringify(batch), headers);
    await server.close();
    assert.equal(status, 200);
    assert.deepEqual(
      messages.map(({ id, error }) => [id, error?.code]),
      [
        [1, undefined],
        [2, undefined],
        [3, -32600],
        [4, -32600],
      ],
    );
    const { items } = await fixture.deps.posts.list(owner.studio.id, { limit: 10, maxTextLength: 1e6 });
    assert.equal(items.length, 5);
  });
});
