import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { type ByteSource, createBufferSource, createStoredFileSource, headBytes } from "#domain/ports/byte-source.ts";
import { type DeclaredType, findAssetKind } from "#domain/model/declared-type.ts";
import { checkContent } from "#domain/steps/content/check-content.ts";
import { recognizeType, recognizeTypeFromHead } from "#domain/steps/content/detect-type.ts";
import { getOutcome } from "./outcome.ts";

export function declareType(mimeType: string): DeclaredType {
  const kind = findAssetKind(mimeType);
  assert.ok(kind);
  return { kind, mimeType };
}

/** Returns the outcome of the content check, after asserting that it does not depend on the source of the bytes. */
export async function runContentCheck(bytes: Uint8Array, mimeType: string): Promise<string> {
  const declared = declareType(mimeType);
  const [bufferResult, storeResult] = await Promise.all([
    getOutcome(checkContent(createBufferSource(bytes), declared)),
    getOutcome(checkContent(createChunkedSource(bytes), declared)),
  ]);
  assert.equal(bufferResult, storeResult, "a buffer and a stored file give the same result");
  if (bytes.length === 0) return bufferResult;
  const headResult = await getOutcome(recognizeTypeFromHead(encodeHead(bytes), bytes.length, declared));
  const source = createBufferSource(bytes);
  const fullResult = await getOutcome(async () => checkContent(source, await recognizeType(source, declared)));
  if (headResult !== "ok")
    assert.equal(headResult, fullResult, "the check of the first bytes rejects only what the full check rejects");
  if (bufferResult === "ok") assert.deepEqual(await recognizeType(source, declared), declared);
  return bufferResult;
}

/** The first bytes of a file, as the upload page sends them before the upload. */
export const encodeHead = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, headBytes)).toString("base64");

/** Reads a file as from a store, which sends it in chunks. */
export const createChunkedSource = (bytes: Uint8Array): ByteSource =>
  createStoredFileSource(
    {
      read: async (_key, range) => {
        const { start, end } = range ?? { start: 0, end: bytes.length - 1 };
        const middle = Math.ceil((start + end) / 2);
        return Readable.from([bytes.subarray(start, middle), bytes.subarray(middle, end + 1)]);
      },
    },
    "files/a",
    bytes.length,
  );
