import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { choosePartBytes, countParts, getPartLength, type MultipartFile } from "#domain/assets/model/file-store.ts";
import { hours, minutes } from "#lib/clock.ts";
import { startFileServer } from "../support/file-server.ts";
import { readBytes, readDigest, forEachStore, putBytes, sha256 } from "../support/stores.ts";

const mebibyte = 1024 ** 2;
const partBytes = 5 * mebibyte; // the minimum part size of S3

describe("choosing the part size", () => {
  test("the part size grows with the file from 8 to 32 MiB, then to 1/10,000 of the file size", () => {
    for (const [bytes, expectedPartBytes] of [
      [1, 8 * mebibyte],
      [8 * mebibyte * 32, 8 * mebibyte],
      [16 * mebibyte * 32, 16 * mebibyte],
      [32 * mebibyte * 32 + 1, 32 * mebibyte],
      [32 * mebibyte * 10_000, 32 * mebibyte],
      [32 * mebibyte * 10_000 + 1, 32 * mebibyte + 1],
      [5 * 1024 ** 4, Math.ceil((5 * 1024 ** 4) / 10_000)],
    ] as const) {
      assert.equal(choosePartBytes(bytes), expectedPartBytes);
      const count = countParts({ bytes, partBytes: expectedPartBytes });
      assert.ok(count <= 10_000);
      assert.equal(
        (count - 1) * expectedPartBytes + getPartLength({ bytes, partBytes: expectedPartBytes }, count),
        bytes,
      );
    }
  });
});

forEachStore("files in parts", (fixture) => {
  let uploadCount = 0;
  async function startUpload(content: Buffer): Promise<MultipartFile> {
    const key = `files/${fixture.keyPrefix}.${String(++uploadCount).padStart(4, "0")}`;
    const id = await fixture.store.parts.start(key, { bytes: content.length, partBytes, mimeType: "video/mp4" });
    return { key, id, bytes: content.length, partBytes };
  }
  const createUrl = (file: MultipartFile, part: number) =>
    fixture.store.parts.createPartUrl(file, part, Date.now() + minutes(10));
  const slice = (content: Buffer, part: number) => content.subarray((part - 1) * partBytes, part * partBytes);
  const putPart = async (file: MultipartFile, content: Buffer, part: number) =>
    putBytes(await createUrl(file, part), slice(content, part));

  test("accepts parts in any order and concurrently, and assembles the file", async () => {
    const content = randomBytes(12 * mebibyte + 345);
    const file = await startUpload(content);
    assert.deepEqual(await fixture.store.parts.list(file), []);
    assert.equal(await putPart(file, content, 3), 200);
    assert.deepEqual(await fixture.store.parts.list(file), [3]);
    assert.equal(await fixture.store.parts.complete(file), undefined, "parts are missing");
    assert.equal(await fixture.store.stat(file.key), undefined, "no file exists before completion");
    assert.deepEqual(await Promise.all([putPart(file, content, 2), putPart(file, content, 1)]), [200, 200]);
    const storedFile = await fixture.store.parts.complete(file);
    assert.equal(storedFile?.bytes, content.length);
    assert.deepEqual(await fixture.store.stat(file.key), storedFile);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
    if (fixture.store.name === "disk") assert.equal(storedFile.sha256, sha256(content));
  });

  test("repeated and concurrent complete calls return the same file (U8)", async () => {
    const content = randomBytes(partBytes + 1);
    const file = await startUpload(content);
    await putPart(file, content, 1);
    await putPart(file, content, 2);
    const results = await Promise.all(Array.from({ length: 20 }, () => fixture.store.parts.complete(file)));
    for (const storedFile of [...results, await fixture.store.parts.complete(file)])
      assert.deepEqual(storedFile, results[0]);
    assert.deepEqual(await fixture.store.parts.list(file), [1, 2]);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("after completion, part URLs cannot change the file", async () => {
    const content = randomBytes(partBytes);
    const file = await startUpload(content);
    const url = await createUrl(file, 1);
    await putBytes(url, content);
    await fixture.store.parts.complete(file);
    assert.notEqual(await putBytes(url, randomBytes(partBytes)), 200);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("rejects a part that is too long, too short or empty (U6)", async () => {
    const content = randomBytes(2 * partBytes);
    const file = await startUpload(content);
    for (const body of [
      randomBytes(partBytes + 1),
      randomBytes(partBytes - 1),
      Buffer.alloc(0),
      randomBytes(10 * partBytes),
    ]) {
      const status = await putBytes(await createUrl(file, 1), body).catch(() => 0);
      assert.ok(status !== 200, `a part of ${body.length} bytes was accepted`);
    }
    await putPart(file, content, 2);
    assert.deepEqual(await fixture.store.parts.list(file), [2]);
    await putPart(file, content, 1);
    assert.ok(await fixture.store.parts.complete(file));
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("an interrupted PUT leaves no part, and can be retried immediately (U17)", async () => {
    const content = randomBytes(partBytes);
    const file = await startUpload(content);
    const url = new URL(await createUrl(file, 1));
    const interrupted = request(url, { method: "PUT", headers: { "content-length": partBytes } });
    interrupted.on("error", () => {});
    interrupted.write(content.subarray(0, mebibyte), () => interrupted.destroy());
    await new Promise((resolve) => interrupted.on("close", resolve));
    assert.equal(await putPart(file, content, 1), 200);
    assert.ok(await fixture.store.parts.complete(file));
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("rejects an expired or altered URL", async () => {
    const content = randomBytes(partBytes);
    const file = await startUpload(content);
    const validUrl = await createUrl(file, 1);
    assert.notEqual(
      await putBytes(
        validUrl.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
        content,
      ),
      200,
    );
    const expiredUrl =
      fixture.store.name === "disk" ? await fixture.store.parts.createPartUrl(file, 1, Date.now() - 1) : undefined;
    if (expiredUrl !== undefined) assert.equal(await putBytes(expiredUrl, content), 403);
    assert.deepEqual(await fixture.store.parts.list(file), []);
    await fixture.store.parts.abort(file);
  });

  test("an aborted upload is deleted, and its URLs stop working", async () => {
    const content = randomBytes(partBytes);
    const file = await startUpload(content);
    await putPart(file, content, 1);
    const url = await createUrl(file, 1);
    await fixture.store.parts.abort(file);
    await fixture.store.parts.abort(file);
    assert.equal(await fixture.store.parts.list(file), undefined);
    assert.equal(await fixture.store.parts.complete(file), undefined);
    assert.notEqual(await putBytes(url, content), 200);
    assert.equal(await fixture.store.stat(file.key), undefined);
  });

  test("an upload can be aborted while a client sends a part again and stalls (U17)", async () => {
    const content = randomBytes(partBytes);
    const file = await startUpload(content);
    await putPart(file, content, 1);
    const url = new URL(await createUrl(file, 1));
    const stalled = request(url, { method: "PUT", headers: { "content-length": partBytes } });
    let isStalled = true;
    stalled.on("error", () => {}).on("close", () => (isStalled = false));
    await new Promise((resolve) => stalled.write(content.subarray(0, mebibyte), resolve));
    await fixture.store.parts.abort(file);
    assert.ok(isStalled, "did not wait until the server closed the connection");
    stalled.destroy();
    assert.equal(await fixture.store.parts.list(file), undefined);
  });

  test("writes a part from memory, and rejects it with not_found once the upload is aborted or complete", async () => {
    const content = randomBytes(partBytes);
    const writePart = (file: MultipartFile) => fixture.store.parts.write(file, 1, content);
    const completedFile = await startUpload(content);
    await writePart(completedFile);
    assert.ok(await fixture.store.parts.complete(completedFile));
    assert.equal(await readDigest(fixture.store, completedFile.key), sha256(content));
    const abortedFile = await startUpload(content);
    await fixture.store.parts.abort(abortedFile);
    for (const file of [abortedFile, completedFile])
      await assert.rejects(writePart(file), { name: "AppError", key: "not_found:upload" });
  });

  test("the sweep aborts only uploads that started before the given time", async () => {
    const content = randomBytes(partBytes);
    const file = await startUpload(content);
    await putPart(file, content, 1);
    await fixture.store.parts.sweep(Date.now() - hours(1));
    assert.deepEqual(await fixture.store.parts.list(file), [1]);
    assert.ok((await fixture.store.parts.sweep(Date.now() + hours(1))) >= 1);
    assert.equal(await fixture.store.parts.list(file), undefined);
  });
});

describe("incomplete parts on the disk store", () => {
  test("a part that is started repeatedly and never completed adds one log entry (X7, U17)", async () => {
    const server = await startFileServer();
    try {
      const key = "files/never";
      const id = await server.store.parts.start(key, { bytes: partBytes, partBytes, mimeType: "video/mp4" });
      const file = { key, id, bytes: partBytes, partBytes };
      const url = await server.store.parts.createPartUrl(file, 1, Date.now() + minutes(10));
      // Chunked, so that the store learns the length only at the end of the body.
      const putShortPart = () => fetch(url, { method: "PUT", body: new Blob(["x"]).stream(), duplex: "half" });
      for (let i = 0; i < 50; i++) assert.equal((await putShortPart()).status, 400);
      const log = readFileSync(join(server.root, ".parts", `files+never~${id}`, "log"), "latin1");
      assert.equal(log.split("\n").length - 1, 1);
      assert.equal(await putBytes(url, randomBytes(partBytes)), 200);
      assert.ok(await server.store.parts.complete(file));
    } finally {
      await server.close();
    }
  });
});

describe("files beyond 4 GiB on the disk store", () => {
  test("stores parts beyond 4 GiB at the correct offsets (UPLOAD-10)", async () => {
    const server = await startFileServer();
    try {
      const bytes = 4 * 1024 ** 3 + 123_456_789;
      const largePartBytes = choosePartBytes(bytes);
      const key = "files/large";
      const id = await server.store.parts.start(key, { bytes, partBytes: largePartBytes, mimeType: "video/mp4" });
      const file = { key, id, bytes, partBytes: largePartBytes };
      const lastPart = countParts(file);
      const endParts = { first: randomBytes(largePartBytes), last: randomBytes(getPartLength(file, lastPart)) };
      assert.equal(
        await putBytes(await server.store.parts.createPartUrl(file, 1, Date.now() + minutes(10)), endParts.first),
        200,
      );
      assert.equal(
        await putBytes(await server.store.parts.createPartUrl(file, lastPart, Date.now() + minutes(10)), endParts.last),
        200,
      );
      // The parts in between stay sparse: the log marks them as received, and the file system reads zeros.
      const folder = join(server.root, ".parts", `files+large~${id}`);
      const logEntries = Array.from(
        { length: lastPart - 2 },
        (_, i) => `=${String(i + 2).padStart(5, "0")} ${"0".repeat(12)}\n`,
      );
      appendFileSync(join(folder, "log"), logEntries.join(""));
      const storedFile = await server.store.parts.complete(file);
      assert.equal(storedFile?.bytes, bytes);
      const readRange = async (start: number, end: number) =>
        readBytes(await server.store.read(key, { start, end: end - 1 }));
      assert.ok((await readRange(0, largePartBytes)).equals(endParts.first));
      assert.ok((await readRange((lastPart - 1) * largePartBytes, bytes)).equals(endParts.last));
      assert.ok((await readRange(4 * 1024 ** 3, 4 * 1024 ** 3 + 1000)).equals(Buffer.alloc(1000)));
    } finally {
      await server.close();
    }
  });
});
