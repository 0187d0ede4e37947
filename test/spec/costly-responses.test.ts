import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { after, test } from "node:test";
import { createPublicFetch, PublicFetchError } from "#lib/public-fetch.ts";
import { createCertificate } from "../support/certificate.ts";

let response = "";
const sockets: Socket[] = [];
const server = createServer((socket) => {
  sockets.push(socket);
  socket.on("error", () => {}).once("data", () => void socket.end(response));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Fetches this response from a server on this machine; returns its body. */
async function fetchResponse(sentResponse: string): Promise<string> {
  response = sentResponse;
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const publicFetch = createPublicFetch({ timeoutMs: 30_000, maxBytes: 1e6, privateHosts: new Set([host]) });
  return (await publicFetch(`http://${host}/`)).text();
}

const isCostly = (error: unknown): boolean =>
  error instanceof PublicFetchError && error.message === "the response consists of too many short pieces";

const inChunks = (chunks: readonly string[]): string => {
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`;
};

test("a response in very short chunks is rejected after the first thousand (X1)", async () => {
  const short = (count: number) => Array.from({ length: count }, () => "x");
  assert.equal(await fetchResponse(inChunks(short(900))), "x".repeat(900));
  await assert.rejects(fetchResponse(inChunks(short(1100))), isCostly);
  const long = Array.from({ length: 3000 }, () => "x".repeat(64));
  assert.equal(await fetchResponse(inChunks(long)), long.join(""), "long chunks do not count");
});

test("a request is aborted after more than a hundred interim responses (X1)", async () => {
  const followInterim = (count: number): string =>
    `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(count)}${inChunks(["x"])}`;
  assert.equal(await fetchResponse(followInterim(100)), "x");
  // More than Node reads from a socket at once, because it parses what it has read.
  await assert.rejects(fetchResponse(followInterim(10_000)), isCostly);
});

/** Fetches the response of an https server with these options; returns its body. */
async function fetchOverTls(options: ServerOptions, respond: RequestListener): Promise<string> {
  const certificate = createCertificate(["127.0.0.1"], "rsa");
  const httpsServer = createHttpsServer({ ...certificate, ...options }, respond).listen(0, "127.0.0.1");
  await once(httpsServer, "listening");
  try {
    const host = `127.0.0.1:${(httpsServer.address() as AddressInfo).port}`;
    const tls = { ca: certificate.cert };
    const publicFetch = createPublicFetch({ timeoutMs: 30_000, maxBytes: 1e6, privateHosts: new Set([host]), tls });
    return await (await publicFetch(`https://${host}/`)).text();
  } finally {
    httpsServer.closeAllConnections();
    httpsServer.close();
  }
}

/** Sends each byte in a TLS record of its own. */
const respondInRecords =
  (count: number): RequestListener =>
  async (_req, { socket }) => {
    socket?.on("error", () => {}).write(`HTTP/1.1 200 OK\r\nContent-Length: ${count}\r\n\r\n`);
    for (let i = 0; i < count; i++) await new Promise((resolve) => socket?.write("x", resolve));
  };

test("a response in very short TLS records is rejected after the first thousand (X1)", async () => {
  assert.equal(await fetchOverTls({}, respondInRecords(900)), "x".repeat(900));
  await assert.rejects(fetchOverTls({}, respondInRecords(1100)), isCostly);
});

test("the server can't choose a key exchange that takes the client long (X1)", async () => {
  const respond: RequestListener = (_req, res) => void res.end("x");
  const dhe = { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto" } as const;
  await assert.rejects(fetchOverTls(dhe, respond), PublicFetchError);
  for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const)
    assert.equal(await fetchOverTls({ maxVersion }, respond), "x");
});
