import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, mock, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { minutes, seconds } from "#lib/clock.ts";
import { createPublicFetch, PublicFetchError } from "#lib/public-fetch.ts";

const chunk = new Uint8Array(64 * 1024);
const uploadTimeoutMs = minutes(10);
let server: Server | undefined;
const sockets = new Set<Socket>();

// The timers are simulated, so that the results do not depend on the speed of the machine.
beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => {
  mock.timers.reset();
  for (const socket of sockets) socket.destroy();
  server?.close();
});

async function listen(newServer: Server): Promise<string> {
  server = newServer.on("connection", (socket: Socket) => void sockets.add(socket));
  newServer.listen(0, "127.0.0.1");
  await once(newServer, "listening");
  return `127.0.0.1:${(newServer.address() as AddressInfo).port}`;
}

/** Uploads a body whose parts are created when they are sent. */
function upload(host: string, bytes: number, open: () => AsyncIterable<Uint8Array>): Promise<Response> {
  const publicFetch = createPublicFetch({ timeoutMs: seconds(10), maxBytes: 1000, privateHosts: new Set([host]) });
  const body = { bytes, open: async () => open() };
  return publicFetch(`http://${host}/`, { method: "POST", body, timeoutMs: uploadTimeoutMs });
}

/** Lets time pass until the upload ends. Returns its error; undefined if it has not ended before its own timeout. */
async function findErrorBeforeTimeout(response: Promise<Response>, doMeanwhile = () => {}): Promise<unknown> {
  const errors: unknown[] = [];
  response.catch((error: unknown) => errors.push(error));
  for (let elapsedMs = 0; elapsedMs < uploadTimeoutMs / 2 && errors.length === 0; elapsedMs += seconds(1)) {
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    doMeanwhile();
    mock.timers.tick(seconds(1));
  }
  return errors[0];
}

test("aborts an upload to a server that stops reading (F5)", async () => {
  const host = await listen(createServer((socket) => socket.pause()));
  let sentChunks = 0;
  const totalChunks = 10_000;
  const response = upload(host, totalChunks * chunk.length, async function* () {
    for (; sentChunks < totalChunks; sentChunks++) yield chunk;
  });
  assert.ok((await findErrorBeforeTimeout(response)) instanceof PublicFetchError);
  assert.ok(sentChunks < totalChunks);
});

test("aborts an upload whose response does not come (F5)", async () => {
  const host = await listen(createHttpServer((req) => void req.resume()));
  const response = upload(host, chunk.length, async function* () {
    yield chunk;
  });
  assert.ok((await findErrorBeforeTimeout(response)) instanceof PublicFetchError);
});

test("aborts an upload whose response comes a byte at a time (F5)", async () => {
  let sendByte = () => {};
  const httpServer = createHttpServer((req, res) => {
    req.resume().on("end", () => {
      res.writeHead(200, { "content-length": "900" });
      sendByte = () => void res.write("x");
    });
  });
  const response = upload(await listen(httpServer), chunk.length, async function* () {
    yield chunk;
  });
  assert.ok((await findErrorBeforeTimeout(response, () => sendByte())) instanceof PublicFetchError);
});

test("continues an upload that is slow but makes progress (F5)", async () => {
  const chunkCount = 10;
  let receivedBytes = 0;
  let onProgress = () => {};
  const host = await listen(
    createHttpServer((req, res) => {
      req.on("data", (data: Buffer) => {
        receivedBytes += data.length;
        onProgress();
      });
      req.on("end", () => res.end());
    }),
  );
  const response = await upload(host, chunkCount * chunk.length, async function* () {
    for (let i = 0; i < chunkCount; i++) {
      yield chunk;
      const { promise: received, resolve } = Promise.withResolvers<void>();
      onProgress = () => receivedBytes >= (i + 1) * chunk.length && resolve();
      onProgress();
      await received;
      mock.timers.tick(seconds(29));
    }
  });
  assert.deepEqual([response.status, receivedBytes], [200, chunkCount * chunk.length]);
});
