import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { lengthOfPart, partBytesFor, partCount } from "#domain/assets/part-store.ts";

describe("how a file is cut into parts", () => {
  test("parts have 8 MiB, or a ten-thousandth of the file", () => {
    const mebibyte = 1024 ** 2;
    for (const [bytes, partBytes] of [
      [1, 8 * mebibyte],
      [8 * mebibyte * 10_000, 8 * mebibyte],
      [8 * mebibyte * 10_000 + 1, 8 * mebibyte + 1],
      [5 * 1024 ** 4, Math.ceil((5 * 1024 ** 4) / 10_000)],
    ] as const) {
      assert.equal(partBytesFor(bytes), partBytes);
      const count = partCount({ bytes, partBytes });
      assert.ok(count <= 10_000);
      assert.equal((count - 1) * partBytes + lengthOfPart({ bytes, partBytes }, count), bytes);
    }
  });
});
void randomBytes;
