import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { request, type ClientRequest } from "node:http";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { choosePartBytes, countParts, getPartLength, type MultipartFile } from "#domain/ports/file-store.ts";
import { hours, minutes, systemClock } from "#lib/clock.ts";
import { startFileServer } from "../support/file-server.ts";
import { readDigest, forEachStore, putBytes, sha256 } from "../support/stores.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const mebibyte = 1024 ** 2;
const minS3PartBytes = 5 * mebibyte;
const inTenMinutes = () => systemClock() + minutes(10);

test("the part size grows with the file from 8 to 32 MiB, then to 1/10,000 of the file size", () => {
  for (const [bytes, partBytes] of [
    [1, 8 * mebibyte],
    [8 * mebibyte * 32, 8 * mebibyte],
    [16 * mebibyte * 32, 16 * mebibyte],
    [32 * mebibyte * 32 + 1, 32 * mebibyte],
    [32 * mebibyte * 10_000, 32 * mebibyte],
    [32 * mebibyte * 10_000 + 1, 32 * mebibyte + 1],
    [5 * 1024 ** 4, Math.ceil((5 * 1024 ** 4) / 10_000)],
  ] as const) {
    assert.equal(choosePartBytes(bytes), partBytes);
    const count = countParts({ bytes, partBytes });
    assert.ok(count <= 10_000);
    assert.equal((count - 1) * partBytes + getPartLength({ bytes, partBytes }, count), bytes);
  }
});

forEachStore("files in parts", (fixture) => {
  let partBytes: number;
  /** One full part. */
  let part: Buffer;
  before(() => {
    partBytes = fixture.store.name === "s3" ? minS3PartBytes : 64 * 1024;
    part = randomBytes(partBytes);
  });

  let uploadCount = 0;
  async function startUpload(bytes = partBytes): Promise<MultipartFile> {
    const key = `files/${fixture.keyPrefix}.${String(++uploadCount).padStart(4, "0")}`;
    const id = await fixture.store.parts.start(key, { bytes, partBytes, mimeType: "video/mp4" });
    return { key, id, bytes, partBytes };
  }
  const createUrl = (file: MultipartFile, number = 1) =>
    fixture.store.parts.createPartUrl(file, number, inTenMinutes());
  const putPart = async (file: MultipartFile, content: Buffer, number = 1) =>
    putBytes(await createUrl(file, number), content.subarray((number - 1) * partBytes, number * partBytes));

  /** Sends half of the first part, and leaves the connection open. */
  async function sendHalf(file: MultipartFile): Promise<ClientRequest> {
    const headers = { "content-length": partBytes };
    const pendingRequest = request(new URL(await createUrl(file)), { method: "PUT", headers });
    pendingRequest.on("error", () => {});
    await new Promise((resolve) => pendingRequest.write(part.subarray(0, partBytes / 2), resolve));
    return pendingRequest;
  }

  test("accepts parts in any order and concurrently, and assembles the file", async () => {
    const { parts } = fixture.store;
    const content = Buffer.concat([part, part.toReversed(), part.subarray(0, 345)]);
    const file = await startUpload(content.length);
    assert.deepEqual(await parts.list(file), []);
    assert.equal(await putPart(file, content, 3), 200);
    assert.deepEqual(await parts.list(file), [3]);
    assert.equal(await parts.complete(file), undefined, "parts are missing");
    assert.equal(await fixture.store.stat(file.key), undefined, "no file exists before completion");
    assert.deepEqual(await Promise.all([putPart(file, content, 2), putPart(file, content, 1)]), [200, 200]);
    const storedFile = await parts.complete(file);
    assert.equal(storedFile?.bytes, content.length);
    assert.deepEqual(await fixture.store.stat(file.key), storedFile);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
    if (fixture.store.name === "disk") assert.equal(storedFile.sha256, sha256(content));
  });

  test("repeated and concurrent complete calls return the same file, which part URLs can no longer change (U8)", async () => {
    const { parts } = fixture.store;
    const content = Buffer.concat([part, part.subarray(0, 1)]);
    const file = await startUpload(content.length);
    for (const number of [1, 2]) await putPart(file, content, number);
    const results = await Promise.all(Array.from({ length: 20 }, () => parts.complete(file)));
    for (const storedFile of [...results, await parts.complete(file)]) assert.deepEqual(storedFile, results[0]);
    assert.deepEqual(await parts.list(file), [1, 2]);
    assert.notEqual(await putPart(file, Buffer.from(part.toReversed())), 200);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("rejects a part that is too long, too short or empty (U6)", async () => {
    const content = Buffer.concat([part, part]);
    const file = await startUpload(content.length);
    for (const length of [partBytes + 1, partBytes - 1, 0]) {
      const status = await putBytes(await createUrl(file), content.subarray(0, length)).catch(() => 0);
      assert.ok(status !== 200, `a part of ${length} bytes was accepted`);
    }
    await putPart(file, content, 2);
    assert.deepEqual(await fixture.store.parts.list(file), [2]);
    await putPart(file, content, 1);
    assert.ok(await fixture.store.parts.complete(file));
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("an interrupted PUT leaves no part, and can be retried immediately (U17)", async () => {
    const file = await startUpload();
    const interruptedRequest = await sendHalf(file);
    const closed = new Promise((resolve) => interruptedRequest.on("close", resolve));
    interruptedRequest.destroy();
    await closed;
    assert.equal(await putPart(file, part), 200);
    assert.ok(await fixture.store.parts.complete(file));
    assert.equal(await readDigest(fixture.store, file.key), sha256(part));
  });

  test("rejects an expired or altered URL", async () => {
    const file = await startUpload();
    const alteredUrl = (await createUrl(file)).replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    assert.notEqual(await putBytes(alteredUrl, part), 200);
    if (fixture.store.name === "disk") {
      const expiredUrl = await fixture.store.parts.createPartUrl(file, 1, systemClock() - 1);
      assert.equal(await putBytes(expiredUrl, part), 403);
    }
    assert.deepEqual(await fixture.store.parts.list(file), []);
  });

  test("an aborted upload is deleted, and its URLs stop working", async () => {
    const { parts } = fixture.store;
    const file = await startUpload();
    await putPart(file, part);
    const url = await createUrl(file);
    await parts.abort(file);
    await parts.abort(file);
    assert.equal(await parts.list(file), undefined);
    assert.equal(await parts.complete(file), undefined);
    assert.notEqual(await putBytes(url, part), 200);
    assert.equal(await fixture.store.stat(file.key), undefined);
  });

  test("an upload can be aborted while a client sends a part again and stalls (U17)", async () => {
    const file = await startUpload();
    await putPart(file, part);
    const stalledRequest = await sendHalf(file);
    let isStalled = true;
    stalledRequest.on("close", () => (isStalled = false));
    await fixture.store.parts.abort(file);
    assert.ok(isStalled, "did not wait until the server closed the connection");
    stalledRequest.destroy();
    assert.equal(await fixture.store.parts.list(file), undefined);
  });

  test("writes a part from memory, and rejects it with not_found once the upload is aborted or complete", async () => {
    const { parts } = fixture.store;
    const completedFile = await startUpload();
    await parts.write(completedFile, 1, part);
    assert.ok(await parts.complete(completedFile));
    assert.equal(await readDigest(fixture.store, completedFile.key), sha256(part));
    const abortedFile = await startUpload();
    await parts.abort(abortedFile);
    for (const file of [abortedFile, completedFile])
      await assert.rejects(parts.write(file, 1, part), { name: "AppError", key: "not_found:upload" });
  });

  test("the sweep aborts only uploads that started before the given time", async () => {
    const { parts } = fixture.store;
    const file = await startUpload();
    await putPart(file, part);
    await parts.sweep(systemClock() - hours(1));
    assert.deepEqual(await parts.list(file), [1]);
    assert.ok((await parts.sweep(systemClock() + hours(1))) >= 1);
    assert.equal(await parts.list(file), undefined);
  });
});

describe("files in parts on the disk store", () => {
  const server = startForSuite(() => startFileServer());

  async function startUpload(name: string, bytes: number, partBytes: number): Promise<MultipartFile> {
    const id = await server.store.parts.start(`files/${name}`, { bytes, partBytes, mimeType: "video/mp4" });
    return { key: `files/${name}`, id, bytes, partBytes };
  }
  const getPath = ({ key, id }: MultipartFile, name: string) =>
    join(server.root, ".parts", `${key.replace("/", "+")}~${id}`, name);

  test("a part that is started repeatedly and never completed adds one log entry (X7, U17)", async () => {
    const file = await startUpload("never", 5000, 5000);
    const url = await server.store.parts.createPartUrl(file, 1, inTenMinutes());
    // Chunked, so that the store learns the length only at the end of the body.
    const putShortPart = () => fetch(url, { method: "PUT", body: new Blob(["x"]).stream(), duplex: "half" });
    for (let i = 0; i < 50; i++) assert.equal((await putShortPart()).status, 400);
    assert.equal(readFileSync(getPath(file, "log"), "latin1").split("\n").length - 1, 1);
    assert.equal(await putBytes(url, randomBytes(5000)), 200);
    assert.ok(await server.store.parts.complete(file));
  });

  test("stores parts beyond 4 GiB at the correct offsets (UPLOAD-10)", async () => {
    const bytes = 4 * 1024 ** 3 + 12_345;
    const file = await startUpload("large", bytes, choosePartBytes(bytes));
    const lastPart = countParts(file);
    const data = await open(getPath(file, "data"));
    try {
      for (const number of [1, lastPart]) {
        const content = randomBytes(getPartLength(file, number));
        assert.equal(
          await putBytes(await server.store.parts.createPartUrl(file, number, inTenMinutes()), content),
          200,
        );
        const { buffer } = await data.read(
          Buffer.alloc(content.length),
          0,
          content.length,
          (number - 1) * file.partBytes,
        );
        assert.ok(buffer.equals(content), `part ${number}`);
      }
      assert.equal((await data.stat()).size, bytes);
    } finally {
      await data.close();
    }
  });
});
