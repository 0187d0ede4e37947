import assert from "node:assert/strict";
import { test } from "node:test";
import { minutes } from "#lib/clock.ts";
import { createSigner, deriveKey, tokenPurposes } from "#lib/signed-token.ts";
import { createTestClock } from "../support/clock.ts";

const oldSecret = "o".repeat(32);
const newSecret = "n".repeat(32);
const clock = createTestClock();
const signer = createSigner([newSecret, oldSecret], clock);
const expiresAt = clock() + minutes(30);
const claims = { postId: "pst_1", name: "é\u0000😀" };

test("verifying a token returns only its claims (TOKEN-1)", () => {
  assert.deepEqual(signer.verify("upload", signer.sign("upload", claims, expiresAt)), claims);
});

test("rejects a token that was signed for another purpose (TOKEN-1)", () => {
  for (const purpose of tokenPurposes) {
    const token = signer.sign(purpose, claims, expiresAt);
    for (const other of tokenPurposes)
      assert.equal(signer.verify(other, token) !== undefined, purpose === other, `${purpose} as ${other}`);
  }
});

test("rejects a token from its exact expiry time on (TOKEN-1, U1)", () => {
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
  const bytes = Buffer.from(signer.sign("upload", { a: 1 }, expiresAt));
  for (let index = 0; index < bytes.length; index++) {
    for (let bit = 0; bit < 8; bit++) {
      const flippedBytes = Buffer.from(bytes);
      flippedBytes[index] = (flippedBytes[index] ?? 0) ^ (1 << bit);
      assert.equal(signer.verify("upload", flippedBytes.toString("latin1")), undefined, `byte ${index}, bit ${bit}`);
    }
  }
});

test("rejects a truncated or extended token (TOKEN-1, U1)", () => {
  const token = signer.sign("upload", { a: 1 }, expiresAt);
  for (let length = 0; length < token.length; length++)
    assert.equal(signer.verify("upload", token.slice(0, length)), undefined);
  for (const extra of ["=", ".", "A", " ", "\n", "\0", `.${token}`]) {
    assert.equal(signer.verify("upload", token + extra), undefined, JSON.stringify(extra));
    assert.equal(signer.verify("upload", extra + token), undefined, JSON.stringify(extra));
  }
});

test("rejects another base64 encoding of the same bytes (TOKEN-1)", () => {
  // The last character of 32 bytes in base64 has two unused bits, so four characters decode to the same bytes.
  const token = signer.sign("upload", { text: "???>>>" }, expiresAt);
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
  const oldToken = beforeRotation.sign("upload", claims, expiresAt);
  assert.deepEqual(duringRotation.verify("upload", oldToken), claims);
  assert.equal(afterRotation.verify("upload", oldToken), undefined);
  const newToken = duringRotation.sign("upload", claims, expiresAt);
  assert.deepEqual(afterRotation.verify("upload", newToken), claims);
  assert.equal(beforeRotation.verify("upload", newToken), undefined);
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

test("derives a different key for each use of a secret (TOKEN-1)", () => {
  const keys = ["token:upload", "token:form", "encryption"].map((use) => deriveKey(newSecret, use).toString("hex"));
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.equal(key.length, 64);
  assert.notEqual(deriveKey(oldSecret, "encryption").toString("hex"), keys[2]);
});
