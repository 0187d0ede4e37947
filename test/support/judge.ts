import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { sourceInStore, sourceOfBuffer, type ByteSource } from "#domain/assets/byte-source.ts";
import { kindOf, type Declared } from "#domain/assets/declared.ts";
import { checkBytes } from "#domain/assets/gate/gate.ts";
import { headLength, recognizeHead, recognizeType } from "#domain/assets/gate/recognize-type.ts";
import { createHookedFiles } from "./hooked-files.ts";
import { outcome } from "./outcome.ts";

export function declare(mimeType: string): Declared {
  const kind = kindOf(mimeType);
  assert.ok(kind);
  return { kind, mimeType };
}

/** The gate's verdict, which is the same whichever way the bytes come in. */
export async function judge(bytes: Uint8Array, mimeType: string): Promise<string> {
  const declared = declare(mimeType);
  const [sent, stored] = await Promise.all([
    outcome(checkBytes(sourceOfBuffer(bytes), declared)),
    outcome(checkBytes(await inStore(bytes), declared)),
  ]);
  assert.equal(sent, stored, "the verdict is the same whichever way the bytes came in");
  if (bytes.length === 0) return sent;
  const early = await outcome(recognizeHead(headOf(bytes), bytes.length, declared));
  const source = sourceOfBuffer(bytes);
  const late = await outcome(async () => checkBytes(source, await recognizeType(source, declared)));
  if (early !== "ok") assert.equal(early, late, "the upload page rejects early only what it rejects in the end");
  if (sent === "ok") assert.deepEqual(await recognizeType(source, declared), declared);
  return sent;
}

export const headOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, headLength)).toString("base64");

const store = createHookedFiles(() => 0);

export async function inStore(bytes: Uint8Array): Promise<ByteSource> {
  const key = `files/${randomUUID()}`;
  await store.put(key, bytes);
  return sourceInStore(store, key, bytes.length);
}
