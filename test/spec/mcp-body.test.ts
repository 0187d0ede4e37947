import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createBodyReader, maxBodyBytes } from "#mcp/transport/read-body.ts";

/** A body of which so many bytes have come. */
function bodyOf(bytes: number): IncomingMessage & PassThrough {
  const body = new PassThrough({ highWaterMark: maxBodyBytes });
  body.write(Buffer.alloc(bytes, "x"));
  return body as unknown as IncomingMessage & PassThrough;
}

const almost = maxBodyBytes - 1;
const status = async (answer: Promise<Buffer | { status: number }>) => {
  const found = await answer;
  return "status" in found ? found.status : 200;
};

test("whoever holds long messages open takes room from nobody but themselves, and short ones always pass (X1, X3)", async () => {
  const read = createBodyReader();
  const open = Array.from({ length: 4 }, () => bodyOf(almost));
  const held = open.map((body) => read(body, "eve"));
  await turn();
  assert.equal(await status(read(bodyOf(almost), "eve")), 503, "a fifth is too much for one person");
  for (const [bytes, who] of [
    [almost, "ada"],
    [1000, "ada"],
    [1000, "eve"],
  ] as const) {
    const body = bodyOf(bytes);
    body.end();
    assert.equal(await status(read(body, who)), 200, `${bytes} bytes of ${who}`);
  }
  for (const body of open) body.end();
  assert.deepEqual(await Promise.all(held.map(status)), [200, 200, 200, 200]);
  const again = bodyOf(almost);
  again.end();
  assert.equal(await status(read(again, "eve")), 200, "what has come is held no longer");
});

test("all long messages together have a bound too, which short ones do not meet, and which broken ones do not move (X1, X3)", async () => {
  const read = createBodyReader();
  for (const how of ["with an error", "without"]) {
    const open = Array.from({ length: 16 }, () => bodyOf(almost));
    const held = open.map((body, i) => read(body, `member ${i % 4}`));
    await turn();
    assert.equal(await status(read(bodyOf(almost), "ada")), 503);
    const short = bodyOf(1000);
    short.end();
    assert.equal(await status(read(short, "ada")), 200);
    for (const body of open) body.destroy(how === "without" ? undefined : new Error("aborted"));
    assert.equal((await Promise.allSettled(held)).filter((one) => one.status === "rejected").length, 16);
    await turn();
    const long = bodyOf(almost);
    long.end();
    assert.equal(await status(read(long, "ada")), 200, "what broke off is held no longer");
  }
});
