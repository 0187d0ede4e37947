import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { minutes, systemClock } from "#lib/clock.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { getOutcome } from "../support/outcome.ts";
import { readBytes, toChunks, readDigest, forEachStore, putBytes, sha256 } from "../support/stores.ts";
import { skipWithout } from "../support/find-program.ts";
import { waitTurns } from "../support/wait-turns.ts";
import { waitUntil } from "../support/wait-until.ts";

const run = promisify(execFile);
const mebibyte = 1024 * 1024;
const writeOptions = { mimeType: "image/png", maxBytes: 64 * mebibyte };

forEachStore("file store", (fixture) => {
  let count = 0;
  const newKey = (name = "a") => `${fixture.keyPrefix}/${name}${String(++count).padStart(4, "0")}`;
  const createUploadUrl = (key: string, lifetime = minutes(10)) =>
    fixture.store.createUploadUrl(key, { maxBytes: 64 * mebibyte, expiresAt: systemClock() + lifetime });
  const createDownloadUrl = (
    key: string,
    options: { mimeType?: string; filename?: string; asDownload?: boolean; lifetime?: number } = {},
  ) =>
    fixture.store.createDownloadUrl(key, {
      mimeType: options.mimeType ?? "image/png",
      filename: options.filename ?? "a.png",
      asDownload: options.asDownload ?? false,
      expiresAt: systemClock() + (options.lifetime ?? minutes(10)),
    });
  /** Uploads bytes to an incoming key. */
  async function uploadIncoming(bytes: Uint8Array): Promise<{ key: string; url: string; version: string }> {
    const key = newKey("in");
    const url = await createUploadUrl(key);
    assert.equal(await putBytes(url, bytes), 200);
    const stored = await fixture.store.stat(key);
    assert.ok(stored);
    return { key, url, version: stored.version };
  }

  test("finds no file under a key that is unused or was removed", async () => {
    const key = newKey();
    assert.equal(await fixture.store.stat(key), undefined);
    assert.equal(await getOutcome(fixture.store.read(key)), "not_found");
    assert.equal(await fixture.store.promote(key, "0".repeat(64), newKey(), "image/png"), undefined);
    await fixture.store.remove(key);
    await fixture.store.write(key, toChunks(Buffer.from("x")), writeOptions);
    await fixture.store.remove(key);
    assert.equal(await fixture.store.stat(key), undefined);
    await fixture.store.remove(key);
    await fixture.store.ping();
  });

  test("curl -T with no other header stores the bytes, small and large", { skip: skipWithout("curl") }, async () => {
    const folder = createTempFolder();
    try {
      for (const size of [1, 3 * mebibyte]) {
        const bytes = randomBytes(size);
        const key = newKey();
        writeFileSync(`${folder.path}/file.bin`, bytes);
        const args = ["-sS", "-w", "%{http_code}", "-T", `${folder.path}/file.bin`, await createUploadUrl(key)];
        const { stdout } = await run("curl", args);
        assert.equal(stdout, "200");
        assert.equal((await fixture.store.stat(key))?.bytes, size);
        assert.equal(await readDigest(fixture.store, key), sha256(bytes));
      }
    } finally {
      folder.remove();
    }
  });

  test("accepts a PUT with any Content-Type, also an empty one (U6)", async () => {
    const key = newKey();
    const url = await createUploadUrl(key);
    for (const type of ["text/html", "image/png", "application/x-www-form-urlencoded"]) {
      const response = await fetch(url, { method: "PUT", body: "x", headers: { "content-type": type } });
      assert.equal(response.status, 200, type);
    }
    assert.equal(await putBytes(url, new Uint8Array()), 200);
    assert.equal((await fixture.store.stat(key))?.bytes, 0);
    assert.equal((await readBytes(await fixture.store.read(key))).length, 0);
  });

  test("overwrites the file and changes its version on a repeated PUT", async () => {
    const { key, url, version } = await uploadIncoming(randomBytes(1000));
    const other = randomBytes(2000);
    assert.equal(await putBytes(url, other), 200);
    const overwritten = await fixture.store.stat(key);
    assert.equal(overwritten?.bytes, 2000);
    assert.notEqual(overwritten.version, version);
    assert.equal(await readDigest(fixture.store, key), sha256(other));
  });

  test("parallel PUTs or writes to one key leave exactly one of the bodies (U2)", async () => {
    const bodies = Array.from({ length: 8 }, (_, i) => Buffer.alloc(300_000 + i, i));
    const digests = bodies.map(sha256);
    const key = newKey();
    const url = await createUploadUrl(key);
    const statuses = await Promise.all(bodies.map((body) => putBytes(url, body)));
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.ok(digests.includes(await readDigest(fixture.store, key)));
    await fixture.store.remove(key);
    assert.equal(await fixture.store.stat(key), undefined);
    await Promise.all(bodies.map((body) => fixture.store.write(key, toChunks(body), writeOptions)));
    assert.ok(digests.includes(await readDigest(fixture.store, key)));
  });

  test("rejects expired and altered URLs, reads with an upload URL and writes with a download URL (U1)", async () => {
    const key = newKey();
    const expiringUpload = await createUploadUrl(key, 1000);
    const expiringDownload = await createDownloadUrl(key, { lifetime: 1000 });
    await waitUntil(async () => (await fetch(expiringDownload)).status === 403);
    assert.equal(await putBytes(expiringUpload, Buffer.from("late")), 403);
    const url = await createUploadUrl(key);
    const alteredUrl = url.replace(key, `${key}x`).replace(/.$/, (c) => (c === "0" ? "1" : "0"));
    assert.equal(await putBytes(alteredUrl, Buffer.from("x")), 403);
    assert.equal(await fixture.store.stat(key), undefined);
    assert.equal(await putBytes(url, Buffer.from("x")), 200);
    assert.equal((await fetch(url)).status, 403, "an upload URL cannot be used to read");
    const downloadUrl = await createDownloadUrl(key);
    assert.equal(await putBytes(downloadUrl, Buffer.from("y")), 403, "a download URL cannot be used to write");
    assert.equal(await readDigest(fixture.store, key), sha256(Buffer.from("x")));
  });

  for (const size of [0, 1, 8 * mebibyte, 8 * mebibyte + 1]) {
    test(`write of ${size} bytes returns size, version and digest`, async () => {
      const key = newKey();
      const bytes = randomBytes(size);
      const stored = await fixture.store.write(key, toChunks(bytes), writeOptions);
      assert.deepEqual([stored.bytes, stored.sha256], [size, sha256(bytes)]);
      const stat = await fixture.store.stat(key);
      assert.deepEqual([stat?.bytes, stat?.version], [size, stored.version]);
      assert.equal(await readDigest(fixture.store, key), stored.sha256);
    });
  }

  test("write accepts a file of exactly the maximum size, and stores nothing if it is one byte larger", async () => {
    for (const limit of [1000, 9 * mebibyte]) {
      const key = newKey();
      const bytes = randomBytes(limit + 1);
      const options = { ...writeOptions, maxBytes: limit };
      assert.equal(await getOutcome(fixture.store.write(key, toChunks(bytes), options)), "too_large");
      assert.equal(await fixture.store.stat(key), undefined);
      assert.equal(await getOutcome(fixture.store.write(key, toChunks(bytes.subarray(1)), options)), "ok");
    }
  });

  test("write of a body that fails or is aborted keeps the previous file (M14)", async () => {
    for (const size of [1000, 20 * mebibyte]) {
      const key = newKey();
      await fixture.store.write(key, toChunks(Buffer.from("before")), writeOptions);
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield* toChunks(randomBytes(size));
        throw new Error("source failed");
      }
      await assert.rejects(fixture.store.write(key, failing(), writeOptions), /source failed/);
      const abortController = new AbortController();
      async function* endless(): AsyncGenerator<Uint8Array> {
        yield* toChunks(randomBytes(size));
        setImmediate(() => abortController.abort());
        await new Promise(() => {});
      }
      await assert.rejects(fixture.store.write(key, endless(), { ...writeOptions, signal: abortController.signal }), {
        name: "AbortError",
      });
      assert.equal(await readDigest(fixture.store, key), sha256(Buffer.from("before")));
    }
  });

  test("read returns an inclusive range, clipped to the file, and nothing beyond its end", async () => {
    const key = newKey();
    const bytes = randomBytes(200_000);
    await fixture.store.write(key, toChunks(bytes), writeOptions);
    const read = async (start: number, end: number) => readBytes(await fixture.store.read(key, { start, end }));
    assert.deepEqual(await read(0, 0), bytes.subarray(0, 1));
    assert.deepEqual(await read(10, 4109), bytes.subarray(10, 4110));
    assert.deepEqual(await read(199_990, 300_000), bytes.subarray(199_990));
    assert.equal((await read(200_000, 200_010)).length, 0);
  });

  test("read stops when its signal aborts", async () => {
    const key = newKey();
    await fixture.store.write(key, toChunks(randomBytes(4 * mebibyte)), writeOptions);
    const abortController = new AbortController();
    const stream = await fixture.store.read(key, undefined, abortController.signal);
    const streamError = once(stream, "error");
    await once(stream, "readable");
    abortController.abort();
    const [error] = (await streamError) as [Error];
    assert.equal(error.name, "AbortError");
    assert.ok(stream.destroyed);
    await assert.rejects(fixture.store.read(key, undefined, abortController.signal), { name: "AbortError" });
  });

  test("promote moves the file; repeating it, or another PUT, does not change the promoted file", async () => {
    const bytes = randomBytes(2 * mebibyte);
    const { key, url, version } = await uploadIncoming(bytes);
    const fileKey = newKey("out");
    const promote = () => fixture.store.promote(key, version, fileKey, "image/png");
    const stored = await promote();
    assert.equal(stored?.bytes, bytes.length);
    assert.equal(await fixture.store.stat(key), undefined);
    assert.deepEqual(await promote(), stored);
    assert.equal(await putBytes(url, randomBytes(100_000)), 200);
    assert.deepEqual(await promote(), stored, "a repeated promote returns the same file");
    assert.deepEqual(await fixture.store.stat(fileKey), stored);
    const servedBytes = Buffer.from(await (await fetch(await createDownloadUrl(fileKey))).arrayBuffer());
    assert.equal(sha256(servedBytes), sha256(bytes));
  });

  test("promote changes nothing if the incoming file was overwritten", async () => {
    const { key, url, version } = await uploadIncoming(Buffer.from("first"));
    await putBytes(url, Buffer.from("second"));
    const fileKey = newKey("out");
    assert.equal(await fixture.store.promote(key, version, fileKey, "image/png"), undefined);
    assert.equal(await fixture.store.stat(fileKey), undefined);
    assert.equal(await readDigest(fixture.store, key), sha256(Buffer.from("second")));
  });

  test("promote replaces the file of an interrupted promote with the newer bytes (C2)", async () => {
    const first = await uploadIncoming(Buffer.from("first"));
    const fileKey = newKey("out");
    // The process crashes before it records this promote.
    await fixture.store.promote(first.key, first.version, fileKey, "image/png");
    await putBytes(first.url, Buffer.from("second one"));
    const version = (await fixture.store.stat(first.key))?.version ?? "";
    assert.equal((await fixture.store.promote(first.key, version, fileKey, "image/png"))?.bytes, 10);
    assert.equal(await readDigest(fixture.store, fileKey), sha256(Buffer.from("second one")));
    await fixture.store.remove(fileKey);
    assert.equal(await fixture.store.stat(fileKey), undefined);
  });

  test("promote during continuous PUTs stores exactly the checked bytes, or nothing", async () => {
    for (let round = 0; round < 3; round++) {
      const checkedBytes = randomBytes(300_000);
      const { key, url, version } = await uploadIncoming(checkedBytes);
      const stop = new AbortController();
      let putCount = 0;
      const writers = Array.from({ length: 3 }, async () => {
        for (; !stop.signal.aborted; putCount++) await putBytes(url, randomBytes(300_000));
      });
      await waitTurns(round * 40);
      const fileKey = newKey("out");
      const stored = await fixture.store.promote(key, version, fileKey, "image/png");
      const digest = stored ? await readDigest(fixture.store, fileKey) : undefined;
      const countAfterPromote = putCount;
      await waitUntil(() => putCount > countAfterPromote + writers.length);
      stop.abort();
      await Promise.all(writers);
      if (!stored) {
        assert.equal(await fixture.store.stat(fileKey), undefined, "nothing was promoted");
        continue;
      }
      assert.equal(digest, sha256(checkedBytes));
      assert.equal(await readDigest(fixture.store, fileKey), sha256(checkedBytes));
    }
  });

  test("twenty parallel promotes of one upload all return the file (U8)", async () => {
    const bytes = randomBytes(50_000);
    const { key, version } = await uploadIncoming(bytes);
    const fileKey = newKey("out");
    const results = await Promise.all(
      Array.from({ length: 20 }, () => fixture.store.promote(key, version, fileKey, "image/png")),
    );
    assert.deepEqual(new Set(results.map((result) => result?.bytes)), new Set([50_000]));
    assert.equal(await readDigest(fixture.store, fileKey), sha256(bytes));
  });

  test("list returns every key of a prefix once, page by page, while keys are removed (S8)", async () => {
    const prefix = `${fixture.keyPrefix}/list-`;
    const keys = Array.from({ length: 25 }, (_, i) => `${prefix}${String(i).padStart(2, "0")}`);
    const before = systemClock();
    await Promise.all(keys.map((key, i) => fixture.store.write(key, toChunks(Buffer.alloc(i)), writeOptions)));
    const listed = new Map<string, number>();
    let after: string | undefined;
    for (;;) {
      const page = await fixture.store.list(prefix, { limit: 7, ...(after === undefined ? {} : { after }) });
      assert.ok(page.length <= 7);
      for (const { key, bytes, modifiedAt } of page) {
        assert.ok(!listed.has(key), "key listed twice");
        assert.ok(Math.abs(modifiedAt - before) < 60_000);
        listed.set(key, bytes);
      }
      after = page.at(-1)?.key;
      if (after === undefined) break;
      await fixture.store.remove(after); // the next page starts after this key even though it no longer exists
    }
    assert.deepEqual(listed, new Map(keys.map((key, i) => [key, i])));
    assert.deepEqual(await fixture.store.list(`${fixture.keyPrefix}/nothing-`, { limit: 10 }), []);
    assert.deepEqual(await fixture.store.list(`${fixture.keyPrefix}x/`, { limit: 10 }), []);
  });

  test("rejects invalid keys before they reach a path or a URL (U13)", async () => {
    const invalidPaths = ["", "/", "a/", "/a", "../a", "a/../b", "a/..", "a//b", ".tmp/a"];
    const invalidCharacters = ["A", "a b", "a\0", "a\n", "a%2f", "a\\b", "é", "a~b"];
    const invalidKeys = [...invalidPaths, ...invalidCharacters, "x".repeat(151)];
    for (const key of invalidKeys) {
      const calls = [
        async () => fixture.store.stat(key),
        async () => fixture.store.remove(key),
        async () => fixture.store.write(key, toChunks(Buffer.from("x")), writeOptions),
      ];
      for (const call of calls) await assert.rejects(call, /invalid storage key/, JSON.stringify(key));
    }
  });

  test("a download has the requested type and name, in full and in ranges", async () => {
    const bytes = randomBytes(100_000);
    const { key, version } = await uploadIncoming(bytes);
    const fileKey = newKey("out");
    await fixture.store.promote(key, version, fileKey, "application/pdf");
    const url = await createDownloadUrl(fileKey, {
      mimeType: "application/pdf",
      filename: "Q3 “plan”.pdf",
      asDownload: true,
    });
    const whole = await fetch(url);
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get("content-type"), "application/pdf");
    assert.equal(
      whole.headers.get("content-disposition"),
      "attachment; filename=\"Q3 _plan_.pdf\"; filename*=UTF-8''Q3%20%E2%80%9Cplan%E2%80%9D.pdf",
    );
    assert.match(whole.headers.get("cache-control") ?? "", /^private, max-age=(59\d|600)$/);
    assert.equal(sha256(Buffer.from(await whole.arrayBuffer())), sha256(bytes));
    const part = await fetch(url, { headers: { range: "bytes=10-19" } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-range"), "bytes 10-19/100000");
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(10, 20));
  });

  test("hostile file names cannot break out of the Content-Disposition header (U13)", async () => {
    const key = newKey();
    await fixture.store.write(key, toChunks(Buffer.from("x")), writeOptions);
    const names = [
      "../../etc/passwd",
      "..%2f..%2f",
      "C:\\x.png",
      "a\0b",
      `${"n".repeat(4096)}.png`,
      "a\u202egnp.exe",
      "a\r\nset-cookie: x=1",
      'a"; filename=evil.html',
      "\ud800",
      "",
      "  . ",
      "naïve 🎬.mp4",
      "'*()!",
    ];
    for (const filename of names) {
      const response = await fetch(await createDownloadUrl(key, { filename }));
      assert.equal(response.status, 200, JSON.stringify(filename));
      assert.equal(response.headers.get("set-cookie"), null);
      const header = response.headers.get("content-disposition") ?? "";
      assert.match(header, /^inline; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]+"(; filename\*=UTF-8''[\w.%~-]+)?$/);
      assert.ok(header.length < 1500);
      assert.doesNotMatch(header, /[/\\]|%2F|%5C|%E2%80%AE|%00|%0D|%0A/i);
    }
  });
});
