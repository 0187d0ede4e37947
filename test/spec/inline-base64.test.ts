import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInlineSize, decodeInline } from "#domain/steps/content/base64.ts";
import { inlineLimitBytes } from "#domain/model/asset-kinds.ts";
import { getOutcome } from "../support/outcome.ts";

test("rejects base64 with far more whitespace than line breaks, and accepts lines of 64 characters (U9)", async () => {
  const largest = Buffer.alloc(inlineLimitBytes - 1, "content");
  const wrapped = largest.toString("base64").replace(/.{64}/g, "$&\r\n");
  checkInlineSize(wrapped);
  assert.ok(decodeInline(wrapped).equals(largest));
  const encodeWithSpaces = (bytes: number): string => Buffer.alloc(Math.ceil(bytes / 3) * 8, "A ").toString("latin1");
  const checkSpaced = (bytes: number) => getOutcome(async () => checkInlineSize(encodeWithSpaces(bytes)));
  assert.equal(await checkSpaced(4_000_000), "invalid_input");
  assert.equal(await checkSpaced(inlineLimitBytes), "inline_too_large_use_presign");
});

test("rejects characters beyond ASCII in base64 (U9)", async () => {
  // The low byte of the first character is "A".
  for (const text of ["\u0141AAA", "\u0141AAA\n", "\u00c1AAA\n"])
    assert.equal(await getOutcome(async () => decodeInline(text)), "invalid_input");
});
