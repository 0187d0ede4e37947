import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { minutes } from "#lib/clock.ts";
import { createSigner } from "#lib/signed-token.ts";
import { openDiskStore } from "#storage/disk/disk-store.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { toChunks, readDigest, putBytes, sha256 } from "../support/stores.ts";
import { waitUntil } from "../support/wait-until.ts";

const run = promisify(execFile);
const kibibyte = 1024;
const maxBytes = 256 * kibibyte;
const stallTimeoutMs = 400;

interface Problem {
  status: number;
  code: string;
  hint?: string;
}

describe("signed addresses of the disk store", () => {
  let edge: FileServer;
  let count = 0;
  /** Keys whose asset was rejected or deleted. */
  const goneKeys = new Set<string>();
  before(async () => {
    edge = await startFileServer({ stallTimeoutMs, hasAsset: async (key) => !goneKeys.has(key) });
  });
  after(() => edge.close());

  const newKey = () => `incoming/a${String(++count).padStart(4, "0")}`;
  const upload = (key: string, life = minutes(10)) =>
    edge.store.createUploadUrl(key, { maxBytes, expiresAt: Date.now() + life });
  const download = (key: string, mimeType = "image/png", asDownload = false) =>
    edge.store.createDownloadUrl(key, { mimeType, filename: "a.png", asDownload, expiresAt: Date.now() + minutes(10) });
  async function stored(bytes: Uint8Array): Promise<string> {
    const key = newKey();
    await edge.store.write(key, toChunks(bytes), { mimeType: "image/png", maxBytes: 2 ** 30 });
    return key;
  }
  const temporary = () => readdirSync(join(edge.root, ".tmp"));

  /** A PUT by hand. What is not given is not sent. */
  async function speak(address: string, headers: string[], body?: Uint8Array): Promise<Conversation> {
    const socket = connect(edge.port, "127.0.0.1");
    const said = listen(socket);
    await once(socket, "connect");
    const { pathname, host } = new URL(address);
    socket.write(`${[`PUT ${pathname} HTTP/1.1`, `Host: ${host}`, ...headers].join("\r\n")}\r\n\r\n`);
    if (body) socket.write(body);
    return said;
  }

  test("a sender that asks first hears no before it sends: too large, expired, and yes where all is well", async () => {
    const key = newKey();
    const asks = (bytes: number) => [`Content-Length: ${bytes}`, "Expect: 100-continue"];
    const large = await speak(await upload(key), asks(maxBytes + 1));
    await large.ended;
    assert.match(large.text(), /^HTTP\/1\.1 413 /);
    assert.equal((await edge.store.stat(key))?.bytes, maxBytes + 1, "and that is remembered");

    const late = await speak(await upload(newKey(), -1), asks(10));
    await late.ended;
    assert.match(late.text(), /^HTTP\/1\.1 403 /);

    const other = newKey();
    const good = await speak(await upload(other), asks(5));
    await good.until("100 Continue\r\n\r\n");
    assert.equal(await edge.store.stat(other), undefined);
    good.socket.write("hello");
    await good.until("HTTP/1.1 200 OK");
    good.socket.destroy();
    assert.equal(await readDigest(edge.store, other), sha256(Buffer.from("hello")));
  });

  test("a PUT for an asset that is gone is 410 before the body is sent, and where it goes meanwhile (ASSET-8)", async () => {
    const gone = newKey();
    goneKeys.add(gone);
    const asked = await speak(await upload(gone), ["Content-Length: 5", "Expect: 100-continue"]);
    await asked.ended;
    assert.match(asked.text(), /^HTTP\/1\.1 410 /);
    const file = { key: gone.replace("incoming", "files"), bytes: 5, partBytes: 5 };
    const id = await edge.store.parts.start(file.key, { ...file, mimeType: "image/png" });
    goneKeys.add(file.key);
    assert.equal(
      await putBytes(await edge.store.parts.createPartUrl({ ...file, id }, 1, Date.now() + 60_000), Buffer.alloc(5)),
      410,
    );
    assert.deepEqual(await edge.store.parts.list({ ...file, id }), []);

    const key = newKey();
    const sending = await speak(await upload(key), ["Content-Length: 5"], Buffer.from("he"));
    await waitUntil(() => temporary().length > 0);
    goneKeys.add(key);
    sending.socket.write("llo");
    await sending.until("HTTP/1.1 410");
    sending.socket.destroy();
    assert.deepEqual(
      [await edge.store.stat(gone), await edge.store.stat(key), temporary()],
      [undefined, undefined, []],
    );
  });

  test("a body past the limit: 413, the connection closed, remembered, and none of it kept (U6)", async () => {
    for (const how of ["declared", "chunked", "chunked after asking"]) {
      const key = newKey();
      await putBytes(await upload(key), Buffer.from("before"));
      const folder = createTempFolder();
      try {
        writeFileSync(join(folder.path, "big"), randomBytes(40 * 1024 * kibibyte));
        const headers: Record<string, string[]> = {
          declared: ["-H", "Expect:"],
          chunked: ["-H", "Expect:", "-H", "Transfer-Encoding: chunked"],
          "chunked after asking": ["-H", "Expect: 100-continue", "-H", "Transfer-Encoding: chunked"],
        };
        const args = ["-sS", "-i", ...(headers[how] ?? []), "-T", join(folder.path, "big"), await upload(key)];
        const { stdout } = await run("curl", args);
        assert.match(stdout, /HTTP\/1\.1 413 /, how);
        assert.match(stdout, /connection: close/i);
        assert.match(stdout, /"code":"too_large"/);
      } finally {
        folder.remove();
      }
      assert.deepEqual(await edge.store.stat(key), {
        bytes: maxBytes + 1,
        version: `over-${maxBytes + 1}`,
        sha256: null,
      });
      assert.deepEqual(temporary(), []);
      const reopened = await openDiskStore({
        root: edge.root,
        urls: edge.tokens,
        clock: Date.now,
        minFreeBytes: 0,
      });
      assert.equal((await reopened.stat(key))?.bytes, maxBytes + 1, "also after a restart");
      assert.equal(await edge.store.promote(key, `over-${maxBytes + 1}`, newKey(), "image/png"), undefined);
      assert.equal(await putBytes(await upload(key), Buffer.from("smaller")), 200, "a smaller one may follow");
      assert.equal((await edge.store.stat(key))?.bytes, 7);
    }
  });

  test("exactly the limit is taken", async () => {
    const key = newKey();
    assert.equal(await putBytes(await upload(key), randomBytes(maxBytes)), 200);
    assert.equal((await edge.store.stat(key))?.bytes, maxBytes);
  });

  test("a body cut short of its length leaves nothing behind, and no file open (U17)", async () => {
    const key = newKey();
    const before = openFiles(edge.root);
    const talk = await speak(await upload(key), ["Content-Length: 200000"], randomBytes(100_000));
    await waitUntil(() => temporary().length === 1);
    talk.socket.destroy();
    await waitUntil(() => temporary().length === 0);
    assert.equal(await edge.store.stat(key), undefined);
    await waitUntil(() => openFiles(edge.root) === before);
  });

  test("senders that stall, or send a byte at a time, are let go; others are served meanwhile (U17)", async () => {
    const talks = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const talk = await speak(await upload(newKey()), ["Content-Length: 200000"], randomBytes(i));
        const trickle = i % 2 === 0 ? setInterval(() => talk.socket.write("x"), 50) : undefined;
        return { talk, stop: () => clearInterval(trickle) };
      }),
    );
    const key = newKey();
    assert.equal(await putBytes(await upload(key), Buffer.from("at once")), 200);
    await Promise.all(talks.map(({ talk }) => talk.ended));
    for (const { stop } of talks) stop();
    await waitUntil(() => temporary().length === 0);
    await waitUntil(() => openFiles(edge.root) === 0);
  });

  test("a part of a file is not taken for the whole", async () => {
    const key = newKey();
    const response = await fetch(await upload(key), {
      method: "PUT",
      body: "x",
      headers: { "content-range": "bytes 5-5/10" },
    });
    assert.equal(response.status, 400);
    assert.equal(await edge.store.stat(key), undefined);
  });

  test("forged, cut short, expired, for something else: one and the same answer (U1)", async () => {
    const key = await stored(Buffer.from("secret"));
    const good = new URL(await download(key)).pathname.slice("/files/".length);
    const [body = "", signature = ""] = good.split(".");
    const foreign = createSigner(["another secret of another server"], Date.now);
    const claims = {
      op: "get",
      key,
      mimeType: "text/html",
      filename: "a",
      asDownload: false,
      expiresAt: Date.now() + 1e6,
    };
    const edited = Buffer.from(JSON.stringify({ ...claims, exp: Date.now() + 1e6 })).toString("base64url");
    const tokens = [
      ...["", ".", "x", body, `${body}.`, good.slice(0, -1), `${good}A`, `${good}=`, `${good}/`, `${good}?`.repeat(9)],
      ...[`${edited}.${signature}`, foreign.sign("file", claims, Date.now() + 1e6), "A".repeat(5000)],
      edge.signer.sign("upload", claims, Date.now() + 1e6),
      edge.signer.sign("file", claims, Date.now() - 1),
      (await upload(key)).split("/").at(-1) ?? "",
    ];
    const answers = new Set<string>();
    for (const token of tokens) {
      const response = await fetch(`${edge.base}/files/${token}`);
      const { requestId: _, ...problem } = (await response.json()) as Problem & { requestId: string };
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      answers.add(JSON.stringify(problem));
    }
    assert.equal(answers.size, 1, [...answers].join("\n"));
    assert.equal((JSON.parse([...answers][0] ?? "") as Problem).status, 403);
    for (const method of ["POST", "DELETE", "PATCH"])
      assert.equal((await fetch(await download(key), { method })).status, 403, method);
  });

  test("only the pages that upload may read the answer from a browser", async () => {
    const address = await upload(newKey());
    for (const origin of [edge.base, edge.uploadPage]) {
      const asked = {
        origin,
        "access-control-request-method": "PUT",
        "access-control-request-headers": "content-type",
      };
      const preflight = await fetch(address, { method: "OPTIONS", headers: asked });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get("access-control-allow-origin"), origin);
      assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PUT/);
      const sent = await fetch(address, { method: "PUT", body: "x", headers: { origin } });
      assert.equal(sent.headers.get("access-control-allow-origin"), origin);
      assert.match(sent.headers.get("access-control-expose-headers") ?? "", /etag/);
      assert.match(sent.headers.get("etag") ?? "", /^"[0-9a-f]{64}"$/);
      const refused = await fetch(`${edge.base}/files/x`, { method: "PUT", body: "x", headers: { origin } });
      assert.equal(refused.headers.get("access-control-allow-origin"), origin, "a refusal can be read too");
    }
    for (const origin of ["https://evil.example", "null"]) {
      const preflight = await fetch(address, { method: "OPTIONS", headers: { origin } });
      assert.equal(preflight.status, 403);
      assert.equal(preflight.headers.get("access-control-allow-origin"), null);
      const sent = await fetch(address, { method: "PUT", body: "x", headers: { origin } });
      assert.equal(sent.headers.get("access-control-allow-origin"), null);
    }
  });

  test("what is served is inert: type as signed, not sniffed, sandboxed, framed by nobody (U12)", async () => {
    const key = await stored(Buffer.from("<script>alert(1)</script>"));
    const response = await fetch(await download(key, "text/plain", true));
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

  test("conditional requests: unchanged is 304, and a range of something else is the whole", async () => {
    const bytes = randomBytes(10_000);
    const key = await stored(bytes);
    const address = await download(key);
    const first = await fetch(address);
    const [etag, modified] = [first.headers.get("etag") ?? "", first.headers.get("last-modified") ?? ""];
    assert.equal(etag, `"${sha256(bytes)}"`);
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(address, { headers });
      return [response.status, (await response.arrayBuffer()).byteLength];
    };
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, "*"])
      assert.deepEqual(await ask({ "if-none-match": tag }), [304, 0]);
    assert.deepEqual(await ask({ "if-none-match": '"x"', "if-modified-since": modified }), [200, 10_000]);
    assert.deepEqual(await ask({ "if-modified-since": modified }), [304, 0]);
    assert.deepEqual(await ask({ "if-modified-since": "rubbish" }), [200, 10_000]);
    assert.deepEqual(await ask({ range: "bytes=0-9", "if-range": etag }), [206, 10]);
    assert.deepEqual(await ask({ range: "bytes=0-9", "if-range": modified }), [206, 10]);
    assert.deepEqual(await ask({ range: "bytes=0-9", "if-range": '"other"' }), [200, 10_000]);
    assert.deepEqual(await ask({ range: "bytes=0-9", "if-range": `W/${etag}` }), [200, 10_000]);
  });

  test("ranges: one is answered, many are the whole once, impossible ones say so (U18)", async () => {
    const bytes = randomBytes(10_000);
    const address = await download(await stored(bytes));
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
      const response = await fetch(address, { headers: { range } });
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
    const head = await fetch(address, { method: "HEAD", headers: { range: "bytes=0-1" } });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, "10000"]);
    const empty = await fetch(await download(await stored(Buffer.alloc(0))));
    assert.deepEqual([empty.status, (await empty.arrayBuffer()).byteLength], [200, 0]);
  });

  test("a reader that leaves, or takes nothing, keeps no file open", async () => {
    const key = await stored(randomBytes(30 * 1024 * kibibyte));
    const { pathname, host } = new URL(await download(key));
    const sockets = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const socket = connect(edge.port, "127.0.0.1");
        await once(socket, "connect");
        socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        await once(socket, "readable"); // and no byte is ever taken
        return socket;
      }),
    );
    await waitUntil(() => openFiles(edge.root) > 0);
    for (const socket of sockets.slice(0, 5)) socket.destroy();
    await waitUntil(() => openFiles(edge.root) === 0);
    for (const socket of sockets) socket.destroy();
    assert.equal((await fetch(await download(key), { headers: { range: "bytes=0-9" } })).status, 206);
  });

  test("a file that lost bytes on the disk is not served as good (S4)", async () => {
    const key = await stored(randomBytes(5000));
    const folder = readdirSync(edge.root, { recursive: true, withFileTypes: true });
    const entry = folder.find(({ name }) => name.startsWith(`${key.replace("/", "+")}~`));
    assert.ok(entry);
    truncateSync(join(entry.parentPath, entry.name), 4000);
    const response = await fetch(await download(key));
    assert.equal(response.status, 503);
    assert.equal(((await response.json()) as Problem).code, "storage_unavailable");
    await assert.rejects(edge.store.read(key), { code: "storage_unavailable" });
  });

  test("a file that is gone is 404", async () => {
    const key = await stored(Buffer.from("x"));
    const address = await download(key);
    await edge.store.remove(key);
    assert.equal((await fetch(address)).status, 404);
  });
});

describe("a disk that is nearly full", () => {
  test("refuses new bytes before they are sent, says why, and still serves and removes", async () => {
    const root = createTempFolder();
    const edge = await startFileServer({ root: root.path });
    const full = await startFileServer({ root: root.path, minFreeBytes: 2 ** 60 });
    try {
      await edge.store.write("files/a", toChunks(Buffer.from("x")), { mimeType: "image/png", maxBytes: 10 });
      const address = await full.store.createUploadUrl("incoming/a", { maxBytes: 10, expiresAt: Date.now() + 60_000 });
      const refused = await fetch(address, { method: "PUT", body: "x" });
      assert.equal(refused.status, 503);
      const problem = (await refused.json()) as Problem;
      assert.equal(problem.code, "storage_unavailable");
      assert.match(problem.hint ?? "", /operator/);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
      const body = toChunks(Buffer.from("x"));
      await assert.rejects(full.store.write("files/b", body, { mimeType: "image/png", maxBytes: 10 }), {
        code: "storage_unavailable",
      });
      assert.equal(await readDigest(full.store, "files/a"), sha256(Buffer.from("x")));
      await full.store.remove("files/a");
      assert.equal(await full.store.stat("files/a"), undefined);
      assert.deepEqual(readdirSync(join(root.path, ".tmp")), []);
    } finally {
      await edge.close();
      await full.close();
      root.remove();
    }
  });
});

interface Conversation {
  socket: Socket;
  text(): string;
  until(text: string): Promise<void>;
  ended: Promise<unknown>;
}

function listen(socket: Socket): Conversation {
  let heard = "";
  socket.on("data", (chunk: Buffer) => void (heard += chunk.toString()));
  socket.on("error", () => {});
  return {
    socket,
    text: () => heard,
    until: (text) => waitUntil(() => heard.includes(text)),
    ended: new Promise((resolve) => void socket.once("close", resolve)), // also by a reset
  };
}

/** How many files below a folder this process has open; none to tell where the system does not say. */
function openFiles(folder: string): number {
  try {
    return readdirSync("/proc/self/fd").filter((fd) => linkOf(fd).startsWith(folder)).length;
  } catch {
    return 0;
  }
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ""; // closed since
  }
}
