import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { choosePartBytes } from "#domain/ports/file-store.ts";
import { minutes, systemClock } from "#lib/clock.ts";
import { openDiskStore } from "#storage/disk/disk-store.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { toChunks, readDigest, putBytes, sha256 } from "../support/stores.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipWithout } from "../support/find-program.ts";

const run = promisify(execFile);
const kibibyte = 1024;
const maxBytes = 256 * kibibyte;
const stallTimeoutMs = 2000;

interface Problem {
  code: string;
  hint?: string;
}

describe("signed URLs of the disk store", () => {
  let server: FileServer;
  let count = 0;
  /** Keys whose asset no longer exists. */
  const deletedKeys = new Set<string>();
  before(async () => {
    server = await startFileServer({ stallTimeoutMs, hasAsset: async (key) => !deletedKeys.has(key) });
  });
  after(() => server.close());

  const newKey = () => `incoming/a${String(++count).padStart(4, "0")}`;
  const createUploadUrl = (key: string, lifetime = minutes(10)) =>
    server.store.createUploadUrl(key, { maxBytes, expiresAt: systemClock() + lifetime });
  const createDownloadUrl = (key: string, mimeType = "image/png", asDownload = false) =>
    server.store.createDownloadUrl(key, {
      mimeType,
      filename: "a.png",
      asDownload,
      expiresAt: systemClock() + minutes(10),
    });
  /** Starts a file of one part of five bytes, which the disk store expects at the URL. */
  async function startParts(key: string) {
    const file = { key, bytes: 5, partBytes: 5 };
    const id = await server.store.parts.start(key, { ...file, mimeType: "image/png" });
    const url = await server.store.parts.createPartUrl({ ...file, id }, 1, systemClock() + minutes(10));
    return { url, listParts: () => server.store.parts.list({ ...file, id }) };
  }
  async function storeBytes(bytes: Uint8Array): Promise<string> {
    const key = newKey();
    await server.store.write(key, toChunks(bytes), { mimeType: "image/png", maxBytes: 2 ** 30 });
    return key;
  }
  const listTempFiles = () => readdirSync(join(server.root, ".tmp"));

  /** Sends a PUT request over a socket, with exactly these headers and bytes. */
  async function sendRawPut(url: string, headers: string[], body?: Uint8Array): Promise<RawExchange> {
    const socket = connect(server.port, "127.0.0.1");
    const exchange = recordResponse(socket);
    await once(socket, "connect");
    const { pathname, host } = new URL(url);
    socket.write(`${[`PUT ${pathname} HTTP/1.1`, `Host: ${host}`, ...headers].join("\r\n")}\r\n\r\n`);
    if (body) socket.write(body);
    return exchange;
  }

  test("responds to Expect: 100-continue with an error if the body is too large or the URL has expired, otherwise with 100", async () => {
    const key = newKey();
    const buildContinueHeaders = (bytes: number) => [`Content-Length: ${bytes}`, "Expect: 100-continue"];
    const tooLarge = await sendRawPut(await createUploadUrl(key), buildContinueHeaders(maxBytes + 1));
    await tooLarge.closed;
    assert.match(tooLarge.getText(), /^HTTP\/1\.1 413 /);
    assert.equal((await server.store.stat(key))?.bytes, maxBytes + 1, "the store records that the body was too large");

    const expired = await sendRawPut(await createUploadUrl(newKey(), -1), buildContinueHeaders(10));
    await expired.closed;
    assert.match(expired.getText(), /^HTTP\/1\.1 403 /);

    const acceptedKey = newKey();
    const accepted = await sendRawPut(await createUploadUrl(acceptedKey), buildContinueHeaders(5));
    await accepted.waitForText("100 Continue\r\n\r\n");
    assert.equal(await server.store.stat(acceptedKey), undefined);
    accepted.socket.write("hello");
    await accepted.waitForText("HTTP/1.1 200 OK");
    accepted.socket.destroy();
    assert.equal(await readDigest(server.store, acceptedKey), sha256(Buffer.from("hello")));
  });

  test("responds 410 to a PUT if the asset was deleted before the request or during the body (ASSET-8)", async () => {
    const deletedKey = newKey();
    deletedKeys.add(deletedKey);
    const rejected = await sendRawPut(await createUploadUrl(deletedKey), ["Content-Length: 5", "Expect: 100-continue"]);
    await rejected.closed;
    assert.match(rejected.getText(), /^HTTP\/1\.1 410 /);
    const fileKey = deletedKey.replace("incoming", "files");
    const { url, listParts } = await startParts(fileKey);
    deletedKeys.add(fileKey);
    assert.equal(await putBytes(url, Buffer.alloc(5)), 410);
    assert.deepEqual(await listParts(), []);

    const key = newKey();
    const exchange = await sendRawPut(await createUploadUrl(key), ["Content-Length: 5"], Buffer.from("he"));
    await waitUntil(() => listTempFiles().length > 0);
    deletedKeys.add(key);
    exchange.socket.write("llo");
    await exchange.waitForText("HTTP/1.1 410");
    exchange.socket.destroy();
    assert.deepEqual(
      [await server.store.stat(deletedKey), await server.store.stat(key), listTempFiles()],
      [undefined, undefined, []],
    );
  });

  test(
    "rejects a body over the limit with 413, closes the connection, stores no byte and records that the body was too large (U6)",
    { skip: skipWithout("curl") },
    async () => {
      const folder = createTempFolder();
      const largeFile = join(folder.path, "large");
      writeFileSync(largeFile, Buffer.alloc(4 * 1024 * kibibyte, "large"));
      const curlHeaders = {
        declared: ["-H", "Expect:"],
        chunked: ["-H", "Expect:", "-H", "Transfer-Encoding: chunked"],
        "chunked with Expect": ["-H", "Expect: 100-continue", "-H", "Transfer-Encoding: chunked"],
      };
      for (const [encoding, headers] of Object.entries(curlHeaders)) {
        const key = newKey();
        const url = await createUploadUrl(key);
        await putBytes(url, Buffer.from("before"));
        const { stdout } = await run("curl", ["-sS", "-i", ...headers, "-T", largeFile, url]);
        assert.match(stdout, /HTTP\/1\.1 413 /, encoding);
        assert.match(stdout, /connection: close/i);
        assert.match(stdout, /"code":"too_large"/);
        const version = `over-${maxBytes + 1}`;
        assert.deepEqual(await server.store.stat(key), { bytes: maxBytes + 1, version, sha256: null });
        assert.deepEqual(listTempFiles(), []);
        const { root, tokens: urls } = server;
        const reopened = await openDiskStore({ root, urls, clock: systemClock, minFreeBytes: 0 });
        assert.equal((await reopened.stat(key))?.bytes, maxBytes + 1, "a restart keeps the record");
        assert.equal(await server.store.promote(key, version, newKey(), "image/png"), undefined);
        assert.equal(await putBytes(url, Buffer.from("smaller")), 200, "a smaller upload succeeds");
        assert.equal((await server.store.stat(key))?.bytes, 7);
      }
      folder.remove();
    },
  );

  test("closes and deletes the temp file if a body ends early (U17)", async () => {
    const key = newKey();
    const openFilesBefore = countOpenFiles(server.root);
    const exchange = await sendRawPut(await createUploadUrl(key), ["Content-Length: 200000"], randomBytes(100_000));
    await waitUntil(() => listTempFiles().length === 1);
    exchange.socket.destroy();
    await waitUntil(() => listTempFiles().length === 0);
    assert.equal(await server.store.stat(key), undefined);
    await waitUntil(() => countOpenFiles(server.root) === openFilesBefore);
  });

  test("disconnects clients that stall or send a byte at a time, and serves others meanwhile (U17)", async () => {
    const slowUploads = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const exchange = await sendRawPut(await createUploadUrl(newKey()), ["Content-Length: 200000"], randomBytes(i));
        const trickle = i % 2 === 0 ? setInterval(() => exchange.socket.write("x"), 50) : undefined;
        return { exchange, stop: () => clearInterval(trickle) };
      }),
    );
    const key = newKey();
    assert.equal(await putBytes(await createUploadUrl(key), Buffer.from("in time")), 200);
    await Promise.all(slowUploads.map(({ exchange }) => exchange.closed));
    for (const { stop } of slowUploads) stop();
    await waitUntil(() => listTempFiles().length === 0);
    await waitUntil(() => countOpenFiles(server.root) === 0);
  });

  test("accepts a body of exactly the maximum size, and rejects a PUT with Content-Range", async () => {
    const key = newKey();
    const url = await createUploadUrl(key);
    const headers = { "content-range": "bytes 5-5/10" };
    assert.equal((await fetch(url, { method: "PUT", body: "x", headers })).status, 400);
    assert.equal(await server.store.stat(key), undefined);
    assert.equal(await putBytes(url, randomBytes(maxBytes)), 200);
    assert.equal((await server.store.stat(key))?.bytes, maxBytes);
  });

  test("lets only the app and the upload page read responses across origins", async () => {
    const url = await createUploadUrl(newKey());
    for (const origin of [server.base, server.uploadPage]) {
      const preflightHeaders = {
        origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "content-type",
      };
      const preflight = await fetch(url, { method: "OPTIONS", headers: preflightHeaders });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get("access-control-allow-origin"), origin);
      assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PUT/);
      const putResponse = await fetch(url, { method: "PUT", body: "x", headers: { origin } });
      assert.equal(putResponse.headers.get("access-control-allow-origin"), origin);
      assert.match(putResponse.headers.get("access-control-expose-headers") ?? "", /etag/);
      assert.match(putResponse.headers.get("etag") ?? "", /^"[0-9a-f]{64}"$/);
      const errorResponse = await fetch(`${server.base}/files/x`, { method: "PUT", body: "x", headers: { origin } });
      assert.equal(errorResponse.headers.get("access-control-allow-origin"), origin, "the page can read an error too");
    }
    for (const origin of ["https://evil.example", "null"]) {
      const preflight = await fetch(url, { method: "OPTIONS", headers: { origin } });
      assert.equal(preflight.status, 403);
      assert.equal(preflight.headers.get("access-control-allow-origin"), null);
      const putResponse = await fetch(url, { method: "PUT", body: "x", headers: { origin } });
      assert.equal(putResponse.headers.get("access-control-allow-origin"), null);
    }
  });

  test("accepts parts from every origin, because hosts choose the origin of the in-chat app (CHAT-14)", async () => {
    const { url } = await startParts(newKey());
    for (const origin of ["https://chat.example", "null"]) {
      const preflight = await fetch(url, { method: "OPTIONS", headers: { origin } });
      assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, origin]);
      assert.equal(preflight.headers.get("access-control-allow-credentials"), null);
    }
  });

  test("serves files with the signed type, without sniffing, sandboxed and not frameable (U12)", async () => {
    const key = await storeBytes(Buffer.from("<script>alert(1)</script>"));
    const response = await fetch(await createDownloadUrl(key, "text/plain", true));
    const header = (name: string) => response.headers.get(name) ?? "";
    assert.equal(header("content-type"), "text/plain");
    assert.equal(header("x-content-type-options"), "nosniff");
    assert.match(header("content-security-policy"), /^sandbox; default-src 'none'/);
    assert.doesNotMatch(header("content-security-policy"), /allow-|script-src/);
    assert.match(header("content-disposition"), /^attachment; /);
    assert.equal(header("cross-origin-resource-policy"), "cross-origin");
    assert.equal(header("x-frame-options"), "DENY");
    assert.equal(header("referrer-policy"), "no-referrer");
    assert.match(header("cache-control"), /^private, max-age=(59\d|600)$/);
    assert.equal(header("set-cookie"), "");
  });

  test("responds 304 if the file is unchanged, and with the whole file to a range request for another version", async () => {
    const bytes = randomBytes(10_000);
    const key = await storeBytes(bytes);
    const url = await createDownloadUrl(key);
    const first = await fetch(url);
    const [etag, modified] = [first.headers.get("etag") ?? "", first.headers.get("last-modified") ?? ""];
    assert.equal(etag, `"${sha256(bytes)}"`);
    const request = async (headers: Record<string, string>) => {
      const response = await fetch(url, { headers });
      return [response.status, (await response.arrayBuffer()).byteLength];
    };
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, "*"])
      assert.deepEqual(await request({ "if-none-match": tag }), [304, 0]);
    assert.deepEqual(await request({ "if-none-match": '"x"', "if-modified-since": modified }), [200, 10_000]);
    assert.deepEqual(await request({ "if-modified-since": modified }), [304, 0]);
    assert.deepEqual(await request({ "if-modified-since": "invalid" }), [200, 10_000]);
    assert.deepEqual(await request({ range: "bytes=0-9", "if-range": etag }), [206, 10]);
    assert.deepEqual(await request({ range: "bytes=0-9", "if-range": modified }), [206, 10]);
    assert.deepEqual(await request({ range: "bytes=0-9", "if-range": '"other"' }), [200, 10_000]);
    assert.deepEqual(await request({ range: "bytes=0-9", "if-range": `W/${etag}` }), [200, 10_000]);
  });

  test("serves a single range, responds with the whole file to several or invalid ranges, and with 416 to an unsatisfiable one (U18)", async () => {
    const bytes = randomBytes(10_000);
    const url = await createDownloadUrl(await storeBytes(bytes));
    const cases: [string, number, string | null, number][] = [
      ["bytes=0-0", 206, "bytes 0-0/10000", 1],
      ["bytes=9990-", 206, "bytes 9990-9999/10000", 10],
      ["bytes=-10", 206, "bytes 9990-9999/10000", 10],
      ["bytes=-99999", 206, "bytes 0-9999/10000", 10_000],
      ["bytes=5-99999", 206, "bytes 5-9999/10000", 9995],
      ["bytes=10000-", 416, "bytes */10000", 0],
      ["bytes=-0", 416, "bytes */10000", 0],
      ["bytes=9-5", 200, null, 10_000],
      ["bytes=abc", 200, null, 10_000],
      ["bytes=99999999999999999999-", 200, null, 10_000],
      ["items=0-5", 200, null, 10_000],
      ["bytes=0-1,5-9", 200, null, 10_000],
      [`bytes=${Array.from({ length: 1000 }, () => "0-9999").join(",")}`, 200, null, 10_000],
    ];
    for (const [range, status, contentRange, length] of cases) {
      const response = await fetch(url, { headers: { range } });
      const body = Buffer.from(await response.arrayBuffer());
      assert.deepEqual(
        [response.status, response.headers.get("content-range"), body.length],
        [status, contentRange, length],
        range.slice(0, 40),
      );
      if (status === 206) {
        const start = Number(/\d+/.exec(contentRange ?? "")?.[0]);
        assert.deepEqual(body, bytes.subarray(start, start + length));
      }
    }
    const head = await fetch(url, { method: "HEAD", headers: { range: "bytes=0-1" } });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, "10000"]);
    const empty = await fetch(await createDownloadUrl(await storeBytes(Buffer.alloc(0))));
    assert.deepEqual([empty.status, (await empty.arrayBuffer()).byteLength], [200, 0]);
  });

  test("does not serve a file that is truncated on the disk (S4)", async () => {
    const key = await storeBytes(randomBytes(5000));
    const entries = readdirSync(server.root, { recursive: true, withFileTypes: true });
    const entry = entries.find(({ name }) => name.startsWith(`${key.replace("/", "+")}~`));
    assert.ok(entry);
    truncateSync(join(entry.parentPath, entry.name), 4000);
    const response = await fetch(await createDownloadUrl(key));
    assert.equal(response.status, 503);
    assert.equal(((await response.json()) as Problem).code, "storage_unavailable");
    await assert.rejects(server.store.read(key), { code: "storage_unavailable" });
  });
});

describe("nearly full disk", () => {
  test("rejects a file larger than the free space with quota_exceeded, which clients do not retry (U19)", async () => {
    const [server, fullServer] = [await startFileServer(), await startFileServer({ minFreeBytes: 2 ** 60 })];
    const start = ({ store }: FileServer, bytes: number) =>
      store.parts.start("files/a", { bytes, partBytes: choosePartBytes(bytes), mimeType: "video/mp4" });
    try {
      await assert.rejects(start(server, 2 ** 50), { code: "quota_exceeded", status: 409 });
      await start(server, 1000);
      await assert.rejects(start(fullServer, 1000), { code: "storage_unavailable", status: 503 });
    } finally {
      await Promise.all([server.close(), fullServer.close()]);
    }
  });

  test("rejects new files with a reason, and still serves and deletes existing files", async () => {
    const server = await startFileServer();
    const fullServer = await startFileServer({ root: server.root, minFreeBytes: 2 ** 60 });
    const options = { mimeType: "image/png", maxBytes: 10 };
    const write = ({ store }: FileServer, key: string) => store.write(key, toChunks(Buffer.from("x")), options);
    try {
      await write(server, "files/a");
      const expiresAt = systemClock() + minutes(1);
      const url = await fullServer.store.createUploadUrl("incoming/a", { maxBytes: 10, expiresAt });
      const rejected = await fetch(url, { method: "PUT", body: "x" });
      const { code, hint } = (await rejected.json()) as Problem;
      assert.deepEqual([rejected.status, code], [503, "storage_unavailable"]);
      assert.match(hint ?? "", /operator/);
      assert.ok(Number(rejected.headers.get("retry-after")) > 0);
      await assert.rejects(write(fullServer, "files/b"), { code: "storage_unavailable" });
      assert.equal(await readDigest(fullServer.store, "files/a"), sha256(Buffer.from("x")));
      await fullServer.store.remove("files/a");
      assert.equal(await fullServer.store.stat("files/a"), undefined);
      assert.deepEqual(readdirSync(join(server.root, ".tmp")), []);
    } finally {
      await fullServer.close();
      await server.close();
    }
  });
});

/** One request on a socket, with the response text received so far. */
interface RawExchange {
  socket: Socket;
  getText(): string;
  waitForText(text: string): Promise<void>;
  closed: Promise<unknown>;
}

function recordResponse(socket: Socket): RawExchange {
  let received = "";
  socket.on("data", (chunk: Buffer) => void (received += chunk.toString()));
  socket.on("error", () => {});
  return {
    socket,
    getText: () => received,
    waitForText: (text) => waitUntil(() => received.includes(text)),
    closed: new Promise((resolve) => void socket.once("close", resolve)), // also after a reset
  };
}

/** Counts the open files of this process in a folder; 0 on systems without /proc. */
function countOpenFiles(folder: string): number {
  try {
    return readdirSync("/proc/self/fd").filter((fd) => readFdLink(fd).startsWith(folder)).length;
  } catch {
    return 0;
  }
}

function readFdLink(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ""; // the descriptor was closed in the meantime
  }
}
