import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createStoredFileSource, createBufferSource, type ByteSource } from "#domain/assets/content/byte-source.ts";
import { findAssetKind, type DeclaredType } from "#domain/assets/model/declared-type.ts";
import { checkContent } from "#domain/assets/content/check-content.ts";
import { headLength, recognizeHead, recognizeType } from "#domain/assets/content/detect-type.ts";
import { createHookedFiles } from "./hooked-files.ts";
import { getOutcome } from "./outcome.ts";

export function declareType(mimeType: string): DeclaredType {
  const kind = findAssetKind(mimeType);
  assert.ok(kind);
  return { kind, mimeType };
}

/** The gate's verdict, which is the same whichever way the bytes come in. */
export async function runContentCheck(bytes: Uint8Array, mimeType: string): Promise<string> {
  const declared = declareType(mimeType);
  const [bufferResult, storeResult] = await Promise.all([
    getOutcome(checkContent(createBufferSource(bytes), declared)),
    getOutcome(checkContent(await storeBytes(bytes), declared)),
  ]);
  assert.equal(bufferResult, storeResult, "the verdict is the same whichever way the bytes came in");
  if (bytes.length === 0) return bufferResult;
  const headResult = await getOutcome(recognizeHead(headOf(bytes), bytes.length, declared));
  const source = createBufferSource(bytes);
  const late = await getOutcome(async () => checkContent(source, await recognizeType(source, declared)));
  if (headResult !== "ok")
    assert.equal(headResult, late, "the upload page rejects early only what it rejects in the end");
  if (bufferResult === "ok") assert.deepEqual(await recognizeType(source, declared), declared);
  return bufferResult;
}

export const headOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, headLength)).toString("base64");

const store = createHookedFiles(() => 0);

export async function storeBytes(bytes: Uint8Array): Promise<ByteSource> {
  const key = `files/${randomUUID()}`;
  await store.put(key, bytes);
  return createStoredFileSource(store, key, bytes.length);
}
