import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createBodyReader, maxBodyBytes } from "#mcp/transport/read-body.ts";

/** An unfinished request body: this many bytes have arrived. */
function createBody(bytes: number): IncomingMessage & PassThrough {
  const body = new PassThrough({ highWaterMark: maxBodyBytes });
  body.write(Buffer.alloc(bytes, "x"));
  return body as unknown as IncomingMessage & PassThrough;
}

const longBytes = maxBodyBytes - 1;
const getStatus = async (pendingRead: Promise<Buffer | { status: number }>) => {
  const result = await pendingRead;
  return "status" in result ? result.status : 200;
};

test("a user with many unfinished long bodies does not affect other users, and short bodies are always accepted (X1, X3)", async () => {
  const read = createBodyReader();
  const unfinished = Array.from({ length: 4 }, () => createBody(longBytes));
  const pendingReads = unfinished.map((body) => read(body, "eve"));
  await nextTurn();
  assert.equal(await getStatus(read(createBody(longBytes), "eve")), 503, "a fifth exceeds the limit per user");
  for (const [bytes, userId] of [
    [longBytes, "ada"],
    [1000, "ada"],
    [1000, "eve"],
  ] as const) {
    const body = createBody(bytes);
    body.end();
    assert.equal(await getStatus(read(body, userId)), 200, `${bytes} bytes from ${userId}`);
  }
  for (const body of unfinished) body.end();
  assert.deepEqual(await Promise.all(pendingReads.map(getStatus)), [200, 200, 200, 200]);
  const nextBody = createBody(longBytes);
  nextBody.end();
  assert.equal(await getStatus(read(nextBody, "eve")), 200, "finished bodies no longer count");
});

test("limits unfinished long bodies in total; short bodies are exempt and aborted ones are released (X1, X3)", async () => {
  const read = createBodyReader();
  for (const error of [new Error("aborted"), undefined]) {
    const unfinished = Array.from({ length: 16 }, () => createBody(longBytes));
    const pendingReads = unfinished.map((body, i) => read(body, `member ${i % 4}`));
    await nextTurn();
    assert.equal(await getStatus(read(createBody(longBytes), "ada")), 503);
    const short = createBody(1000);
    short.end();
    assert.equal(await getStatus(read(short, "ada")), 200);
    for (const body of unfinished) body.destroy(error);
    assert.equal((await Promise.allSettled(pendingReads)).filter(({ status }) => status === "rejected").length, 16);
    await nextTurn();
    const long = createBody(longBytes);
    long.end();
    assert.equal(await getStatus(read(long, "ada")), 200, "aborted bodies no longer count");
  }
});

test("a body in one-byte chunks takes little more memory than its bytes (X1)", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const getUsedBytes = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const body = createBody(1);
  const chunkCount = 200_000;
  const usedBefore = getUsedBytes();
  const pendingRead = createBodyReader()(body, "eve");
  for (let i = 1; i < chunkCount; i++) body.emit("data", Buffer.from([i % 251]));
  const usedBytes = getUsedBytes() - usedBefore;
  assert.ok(usedBytes < 10 * chunkCount, `${usedBytes} bytes for ${chunkCount}`);
  body.end();
  const result = (await pendingRead) as Buffer;
  assert.equal(result.length, chunkCount);
  assert.ok(result.subarray(0, -1).every((byte, i) => byte === (i + 1) % 251));
});
