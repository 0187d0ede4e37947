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

test("a token gives back its claims, and only those (TOKEN-1)", () => {
  assert.deepEqual(signer.verify("upload", signer.sign("upload", claims, soon)), claims);
});

test("a token made for one purpose is refused for every other (TOKEN-1)", () => {
  for (const made of tokenPurposes) {
    const token = signer.sign(made, claims, soon);
    for (const used of tokenPurposes)
      assert.equal(signer.verify(used, token) !== undefined, made === used, `${made} as ${used}`);
  }
});

test("a token ends at the millisecond it says, not later (TOKEN-1, U1)", () => {
  const time = createTestClock();
  const own = createSigner([newSecret], time);
  const token = own.sign("upload", claims, time() + minutes(30));
  time.advance(minutes(30) - 1);
  assert.deepEqual(own.verify("upload", token), claims);
  time.advance(1);
  assert.equal(own.verify("upload", token), undefined);
  time.advance(minutes(1));
  assert.equal(own.verify("upload", token), undefined);
});

test("claims cannot bring an expiry of their own (TOKEN-1)", () => {
  const token = signer.sign("upload", { exp: Number.MAX_SAFE_INTEGER }, clock() - 1);
  assert.equal(signer.verify("upload", token), undefined);
});

test("a token with any one bit turned is refused (TOKEN-1, U1)", () => {
  const bytes = Buffer.from(signer.sign("upload", { a: 1 }, soon));
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const turned = Buffer.from(bytes);
      turned[at] = (turned[at] ?? 0) ^ (1 << bit);
      assert.equal(signer.verify("upload", turned.toString("latin1")), undefined, `byte ${at}, bit ${bit}`);
    }
  }
});

test("a token cut short or made longer is refused (TOKEN-1, U1)", () => {
  const token = signer.sign("upload", { a: 1 }, soon);
  for (let length = 0; length < token.length; length++)
    assert.equal(signer.verify("upload", token.slice(0, length)), undefined);
  for (const more of ["=", ".", "A", " ", "\n", "\0", `.${token}`]) {
    assert.equal(signer.verify("upload", token + more), undefined, JSON.stringify(more));
    assert.equal(signer.verify("upload", more + token), undefined, JSON.stringify(more));
  }
});

test("a second spelling of the same bytes is refused (TOKEN-1)", () => {
  // The last letter of 32 bytes in base64 carries two unused bits: four letters decode to the same bytes.
  const token = signer.sign("upload", { text: "???>>>" }, soon);
  const [body = "", signature = ""] = token.split(".");
  const spellings = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    .split("")
    .map((letter) => signature.slice(0, -1) + letter)
    .filter(
      (other) => other !== signature && Buffer.from(other, "base64url").equals(Buffer.from(signature, "base64url")),
    );
  assert.ok(spellings.length > 0);
  for (const other of spellings) assert.equal(signer.verify("upload", `${body}.${other}`), undefined);
  const plain = (text: string) => text.replaceAll("-", "+").replaceAll("_", "/");
  assert.equal(signer.verify("upload", `${body}.${signature}=`), undefined);
  if (plain(signature) !== signature) assert.equal(signer.verify("upload", `${body}.${plain(signature)}`), undefined);
  if (plain(body) !== body) assert.equal(signer.verify("upload", `${plain(body)}.${signature}`), undefined);
});

test("the newest secret signs, all verify, and a secret that is gone verifies nothing (TOKEN-2)", () => {
  const [before, between, after] = [createSigner([oldSecret], clock), signer, createSigner([newSecret], clock)];
  const old = before.sign("upload", claims, soon);
  assert.deepEqual(between.verify("upload", old), claims);
  assert.equal(after.verify("upload", old), undefined);
  const fresh = between.sign("upload", claims, soon);
  assert.deepEqual(after.verify("upload", fresh), claims);
  assert.equal(before.verify("upload", fresh), undefined);
});

test("what is no token at all is refused, however long (TOKEN-1)", () => {
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

test("keys for different uses of one secret have nothing in common (TOKEN-1)", () => {
  const keys = ["token:upload", "token:form", "encryption"].map((use) => deriveKey(newSecret, use).toString("hex"));
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.equal(key.length, 64);
  assert.notEqual(deriveKey(oldSecret, "encryption").toString("hex"), keys[2]);
});
