import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { choosePartBytes, countParts, getPartLength, type MultipartFile } from "#domain/assets/model/file-store.ts";
import { hours, minutes } from "#lib/clock.ts";
import { startFileServer } from "../support/file-server.ts";
import { readBytes, readDigest, forEachStore, putBytes, sha256 } from "../support/stores.ts";

const mebibyte = 1024 ** 2;
const partBytes = 5 * mebibyte; // the least that S3 takes

describe("how a file is cut into parts", () => {
  test("parts grow with the file from 8 to 32 MiB, and beyond that are a ten-thousandth of it", () => {
    for (const [bytes, wanted] of [
      [1, 8 * mebibyte],
      [8 * mebibyte * 32, 8 * mebibyte],
      [16 * mebibyte * 32, 16 * mebibyte],
      [32 * mebibyte * 32 + 1, 32 * mebibyte],
      [32 * mebibyte * 10_000, 32 * mebibyte],
      [32 * mebibyte * 10_000 + 1, 32 * mebibyte + 1],
      [5 * 1024 ** 4, Math.ceil((5 * 1024 ** 4) / 10_000)],
    ] as const) {
      assert.equal(choosePartBytes(bytes), wanted);
      const count = countParts({ bytes, partBytes: wanted });
      assert.ok(count <= 10_000);
      assert.equal((count - 1) * wanted + getPartLength({ bytes, partBytes: wanted }, count), bytes);
    }
  });
});

forEachStore("files in parts", (fixture) => {
  let count = 0;
  async function begin(content: Buffer): Promise<MultipartFile> {
    const key = `files/${fixture.keyPrefix}.${String(++count).padStart(4, "0")}`;
    const id = await fixture.store.parts.start(key, { bytes: content.length, partBytes, mimeType: "video/mp4" });
    return { key, id, bytes: content.length, partBytes };
  }
  const address = (file: MultipartFile, part: number) =>
    fixture.store.parts.createPartUrl(file, part, Date.now() + minutes(10));
  const slice = (content: Buffer, part: number) => content.subarray((part - 1) * partBytes, part * partBytes);
  const send = async (file: MultipartFile, content: Buffer, part: number) =>
    putBytes(await address(file, part), slice(content, part));

  test("parts come in any order, several at once, and make the file", async () => {
    const content = randomBytes(12 * mebibyte + 345);
    const file = await begin(content);
    assert.deepEqual(await fixture.store.parts.list(file), []);
    assert.equal(await send(file, content, 3), 200);
    assert.deepEqual(await fixture.store.parts.list(file), [3]);
    assert.equal(await fixture.store.parts.complete(file), undefined, "parts are missing");
    assert.equal(await fixture.store.stat(file.key), undefined, "nothing lies there before the end");
    assert.deepEqual(await Promise.all([send(file, content, 2), send(file, content, 1)]), [200, 200]);
    const stored = await fixture.store.parts.complete(file);
    assert.equal(stored?.bytes, content.length);
    assert.deepEqual(await fixture.store.stat(file.key), stored);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
    if (fixture.store.name === "disk") assert.equal(stored.sha256, sha256(content));
  });

  test("complete is safe to repeat, also twenty times at once (U8)", async () => {
    const content = randomBytes(partBytes + 1);
    const file = await begin(content);
    await send(file, content, 1);
    await send(file, content, 2);
    const all = await Promise.all(Array.from({ length: 20 }, () => fixture.store.parts.complete(file)));
    for (const stored of [...all, await fixture.store.parts.complete(file)]) assert.deepEqual(stored, all[0]);
    assert.deepEqual(await fixture.store.parts.list(file), [1, 2]);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("after the end no address of a part changes a byte", async () => {
    const content = randomBytes(partBytes);
    const file = await begin(content);
    const again = await address(file, 1);
    await putBytes(again, content);
    await fixture.store.parts.complete(file);
    assert.notEqual(await putBytes(again, randomBytes(partBytes)), 200);
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("a part that is too long, too short or empty does not count (U6)", async () => {
    const content = randomBytes(2 * partBytes);
    const file = await begin(content);
    for (const wrong of [
      randomBytes(partBytes + 1),
      randomBytes(partBytes - 1),
      Buffer.alloc(0),
      randomBytes(10 * partBytes),
    ]) {
      const status = await putBytes(await address(file, 1), wrong).catch(() => 0);
      assert.ok(status !== 200, `a part of ${wrong.length} bytes was answered ${status}`);
    }
    await send(file, content, 2);
    assert.deepEqual(await fixture.store.parts.list(file), [2]);
    await send(file, content, 1);
    assert.ok(await fixture.store.parts.complete(file));
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("a PUT that is cut leaves no part, and can be sent again at once (U17)", async () => {
    const content = randomBytes(partBytes);
    const file = await begin(content);
    const url = new URL(await address(file, 1));
    const cut = request(url, { method: "PUT", headers: { "content-length": partBytes } });
    cut.on("error", () => {});
    cut.write(content.subarray(0, mebibyte));
    await sleep(200);
    cut.destroy();
    await sleep(50);
    assert.equal(await send(file, content, 1), 200);
    assert.ok(await fixture.store.parts.complete(file));
    assert.equal(await readDigest(fixture.store, file.key), sha256(content));
  });

  test("an address that expired, or was changed, takes nothing", async () => {
    const content = randomBytes(partBytes);
    const file = await begin(content);
    const good = await address(file, 1);
    assert.notEqual(
      await putBytes(
        good.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
        content,
      ),
      200,
    );
    const past =
      fixture.store.name === "disk" ? await fixture.store.parts.createPartUrl(file, 1, Date.now() - 1) : undefined;
    if (past !== undefined) assert.equal(await putBytes(past, content), 403);
    assert.deepEqual(await fixture.store.parts.list(file), []);
    await fixture.store.parts.abort(file);
  });

  test("what is given up is gone, and its addresses with it", async () => {
    const content = randomBytes(partBytes);
    const file = await begin(content);
    await send(file, content, 1);
    const late = await address(file, 1);
    await fixture.store.parts.abort(file);
    await fixture.store.parts.abort(file);
    assert.equal(await fixture.store.parts.list(file), undefined);
    assert.equal(await fixture.store.parts.complete(file), undefined);
    assert.notEqual(await putBytes(late, content), 200);
    assert.equal(await fixture.store.stat(file.key), undefined);
  });

  test("the sweeper gives up what was begun too long ago, and nothing else", async () => {
    const content = randomBytes(partBytes);
    const file = await begin(content);
    await send(file, content, 1);
    await fixture.store.parts.sweep(Date.now() - hours(1));
    assert.deepEqual(await fixture.store.parts.list(file), [1]);
    assert.ok((await fixture.store.parts.sweep(Date.now() + hours(1))) >= 1);
    assert.equal(await fixture.store.parts.list(file), undefined);
  });
});

describe("what a sender leaves behind on the disk store", () => {
  test("a part that is begun again and again, and never comes whole, is written down once (X7, U17)", async () => {
    const edge = await startFileServer();
    try {
      const key = "files/never";
      const id = await edge.store.parts.start(key, { bytes: partBytes, partBytes, mimeType: "video/mp4" });
      const file = { key, id, bytes: partBytes, partBytes };
      const url = await edge.store.parts.createPartUrl(file, 1, Date.now() + minutes(10));
      // Chunked, so that only the end of the body tells how short it is.
      const short = () => fetch(url, { method: "PUT", body: new Blob(["x"]).stream(), duplex: "half" });
      for (let i = 0; i < 50; i++) assert.equal((await short()).status, 400);
      const log = readFileSync(join(edge.root, ".parts", `files+never~${id}`, "log"), "latin1");
      assert.equal(log.split("\n").length - 1, 1);
      assert.equal(await putBytes(url, randomBytes(partBytes)), 200);
      assert.ok(await edge.store.parts.complete(file));
    } finally {
      await edge.close();
    }
  });
});

describe("files beyond 5 GB on the disk store", () => {
  test("parts lie at their places beyond 4 GiB, and nowhere else (UPLOAD-10)", async () => {
    const edge = await startFileServer();
    try {
      const bytes = 5 * 1024 ** 3 + 123_456_789;
      const size = choosePartBytes(bytes);
      const key = "files/large";
      const id = await edge.store.parts.start(key, { bytes, partBytes: size, mimeType: "video/mp4" });
      const file = { key, id, bytes, partBytes: size };
      const last = countParts(file);
      const ends = { first: randomBytes(size), last: randomBytes(getPartLength(file, last)) };
      assert.equal(
        await putBytes(await edge.store.parts.createPartUrl(file, 1, Date.now() + minutes(10)), ends.first),
        200,
      );
      assert.equal(
        await putBytes(await edge.store.parts.createPartUrl(file, last, Date.now() + minutes(10)), ends.last),
        200,
      );
      // Those between are left to the file system, which has nothing but zeros for them: sending them would tell no more.
      const folder = join(edge.root, ".parts", `files+large~${id}`);
      const between = Array.from(
        { length: last - 2 },
        (_, i) => `=${String(i + 2).padStart(5, "0")} ${"0".repeat(12)}\n`,
      );
      appendFileSync(join(folder, "log"), between.join(""));
      const stored = await edge.store.parts.complete(file);
      assert.equal(stored?.bytes, bytes);
      const at = async (start: number, end: number) => readBytes(await edge.store.read(key, { start, end: end - 1 }));
      assert.ok((await at(0, size)).equals(ends.first));
      assert.ok((await at((last - 1) * size, bytes)).equals(ends.last));
      assert.ok((await at(4 * 1024 ** 3, 4 * 1024 ** 3 + 1000)).equals(Buffer.alloc(1000)));
    } finally {
      await edge.close();
    }
  });
});
