import assert from "node:assert/strict";
import { test } from "node:test";
import { minutes } from "#lib/clock.ts";
import { createSigner, deriveKey, tokenPurposes } from "#lib/signed-token.ts";
import { createTestClock } from "../support/clock.ts";

const oldSecret = "o".repeat(32);
const newSecret = "n".repeat(32);
const clock = createTestClock();
const signer = createSigner([newSecret, oldSecret], clock);
const soon = clock() + minutes(30);
const claims = { postId: "pst_1", name: "é\u0000😀" };

test("verifying a token returns its claims only (TOKEN-1)", () => {
  assert.deepEqual(signer.verify("upload", signer.sign("upload", claims, soon)), claims);
});

test("rejects a token for any other purpose (TOKEN-1)", () => {
  for (const purpose of tokenPurposes) {
    const token = signer.sign(purpose, claims, soon);
    for (const other of tokenPurposes)
      assert.equal(signer.verify(other, token) !== undefined, purpose === other, `${purpose} as ${other}`);
  }
});

test("a token expires at exactly its expiry time (TOKEN-1, U1)", () => {
  const testClock = createTestClock();
  const testSigner = createSigner([newSecret], testClock);
  const token = testSigner.sign("upload", claims, testClock() + minutes(30));
  testClock.advance(minutes(30) - 1);
  assert.deepEqual(testSigner.verify("upload", token), claims);
  testClock.advance(1);
  assert.equal(testSigner.verify("upload", token), undefined);
  testClock.advance(minutes(1));
  assert.equal(testSigner.verify("upload", token), undefined);
});

test("claims cannot override the expiry (TOKEN-1)", () => {
  const token = signer.sign("upload", { exp: Number.MAX_SAFE_INTEGER }, clock() - 1);
  assert.equal(signer.verify("upload", token), undefined);
});

test("rejects a token with any single bit flipped (TOKEN-1, U1)", () => {
  const bytes = Buffer.from(signer.sign("upload", { a: 1 }, soon));
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      assert.equal(signer.verify("upload", flipped.toString("latin1")), undefined, `byte ${at}, bit ${bit}`);
    }
  }
});

test("rejects a truncated or extended token (TOKEN-1, U1)", () => {
  const token = signer.sign("upload", { a: 1 }, soon);
  for (let length = 0; length < token.length; length++)
    assert.equal(signer.verify("upload", token.slice(0, length)), undefined);
  for (const extra of ["=", ".", "A", " ", "\n", "\0", `.${token}`]) {
    assert.equal(signer.verify("upload", token + extra), undefined, JSON.stringify(extra));
    assert.equal(signer.verify("upload", extra + token), undefined, JSON.stringify(extra));
  }
});

test("rejects another base64 encoding of the same bytes (TOKEN-1)", () => {
  // The last character of 32 bytes in base64 has two unused bits, so four characters decode to the same bytes.
  const token = signer.sign("upload", { text: "???>>>" }, soon);
  const [body = "", signature = ""] = token.split(".");
  const encodings = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    .split("")
    .map((letter) => signature.slice(0, -1) + letter)
    .filter(
      (other) => other !== signature && Buffer.from(other, "base64url").equals(Buffer.from(signature, "base64url")),
    );
  assert.ok(encodings.length > 0);
  for (const other of encodings) assert.equal(signer.verify("upload", `${body}.${other}`), undefined);
  const toPlainBase64 = (text: string) => text.replaceAll("-", "+").replaceAll("_", "/");
  assert.equal(signer.verify("upload", `${body}.${signature}=`), undefined);
  if (toPlainBase64(signature) !== signature)
    assert.equal(signer.verify("upload", `${body}.${toPlainBase64(signature)}`), undefined);
  if (toPlainBase64(body) !== body)
    assert.equal(signer.verify("upload", `${toPlainBase64(body)}.${signature}`), undefined);
});

test("the newest secret signs, all secrets verify, and a removed secret verifies nothing (TOKEN-2)", () => {
  const [beforeRotation, duringRotation, afterRotation] = [
    createSigner([oldSecret], clock),
    signer,
    createSigner([newSecret], clock),
  ];
  const old = beforeRotation.sign("upload", claims, soon);
  assert.deepEqual(duringRotation.verify("upload", old), claims);
  assert.equal(afterRotation.verify("upload", old), undefined);
  const fresh = duringRotation.sign("upload", claims, soon);
  assert.deepEqual(afterRotation.verify("upload", fresh), claims);
  assert.equal(beforeRotation.verify("upload", fresh), undefined);
});

test("rejects malformed tokens of any length (TOKEN-1)", () => {
  for (const text of [
    "",
    ".",
    "..",
    "a.b",
    "e30.",
    ".e30",
    "null.null",
    "A".repeat(10_000_000),
    `${"A".repeat(5000)}.${"A".repeat(43)}`,
    "\ud800.\ud800",
  ]) {
    assert.equal(signer.verify("upload", text), undefined);
  }
});

test("derives a different key from a secret for each use (TOKEN-1)", () => {
  const keys = ["token:upload", "token:form", "encryption"].map((use) => deriveKey(newSecret, use).toString("hex"));
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.equal(key.length, 64);
  assert.notEqual(deriveKey(oldSecret, "encryption").toString("hex"), keys[2]);
});
