import assert from "node:assert/strict";
import { test } from "node:test";
import { nameFromEmail, parseEmail } from "#dev/dev-issuer.ts";
import { hasNameAndEmail, toIdentity } from "#auth/relying-party.ts";
import { getOutcome } from "../support/outcome.ts";

const issuer = "https://idp.example";

test("a person is named by name, then user name, then address", () => {
  const name = (claims: Record<string, unknown>) => toIdentity(issuer, { sub: "1", ...claims }).name;
  assert.equal(name({ name: "Ada", preferred_username: "al", email: "a@example.com" }), "Ada");
  assert.equal(name({ name: " ", preferred_username: "al", email: "a@example.com" }), "al");
  assert.equal(name({ email: "a@example.com" }), "a@example.com");
  assert.equal(name({}), "Someone");
});

test("names are one line that every database can keep", () => {
  const { name } = toIdentity(issuer, { sub: "1", name: "A\0d\r\na\u2028 \ud800 \u001b[31m" });
  assert.equal(name, "A d a  \ufffd  [31m");
  assert.equal(toIdentity(issuer, { sub: "1", name: `x${"😀".repeat(5000)}` }).name.isWellFormed(), true);
});

test("an address is verified by the JSON value true only (A24)", () => {
  for (const verdict of ["true", 1, "1", null, {}, [true], undefined, false]) {
    const { email, emailVerified } = toIdentity(issuer, {
      sub: "1",
      email: "ada@example.com",
      email_verified: verdict,
    });
    assert.deepEqual({ email, emailVerified }, { email: "ada@example.com", emailVerified: false });
  }
  assert.equal(toIdentity(issuer, { sub: "1", email: "ada@example.com", email_verified: true }).emailVerified, true);
});

test("an address and its verdict come from the same answer (A24)", () => {
  const verdictOnly = { sub: "1", email_verified: true };
  assert.equal(toIdentity(issuer, verdictOnly, { email: "other@example.com" }).emailVerified, false);
  const addressOnly = { sub: "1", email: "ada@example.com" };
  const other = toIdentity(issuer, addressOnly, { email: "other@example.com", email_verified: true });
  assert.deepEqual([other.email, other.emailVerified], ["other@example.com", true]);
  assert.equal(toIdentity(issuer, addressOnly, { email_verified: true }).emailVerified, false);
});

test("what is no address is none", () => {
  for (const email of [
    "",
    "ada",
    "a b@example.com",
    "a@b@c.com",
    "a\0@example.com",
    `${"a".repeat(300)}@b.c`,
    7,
    null,
    {},
  ]) {
    assert.equal(toIdentity(issuer, { sub: "1", email, email_verified: true }).email, null);
  }
});

test("an answer without a usable subject names nobody", async () => {
  for (const sub of [undefined, "", 7, "a\0", "x".repeat(256), "\ud800"]) {
    assert.equal(await getOutcome(async () => toIdentity(issuer, { sub })), "invalid_input");
  }
});

test("the userinfo endpoint is asked only where the ID token leaves something open", () => {
  assert.equal(hasNameAndEmail({ sub: "1", name: "Ada", email: "a@b.c", email_verified: false }), true);
  assert.equal(hasNameAndEmail({ sub: "1", name: "Ada", email: "a@b.c" }), false);
  assert.equal(hasNameAndEmail({ sub: "1", email: "a@b.c", email_verified: true }), false);
});

test("the development issuer makes a name of an address", () => {
  assert.equal(nameFromEmail("ada@example.com"), "Ada");
  assert.equal(nameFromEmail("grace.hopper@example.com"), "Grace Hopper");
  assert.equal(nameFromEmail("...@example.com"), "...@example.com");
  assert.equal(parseEmail(" Ada@Example.COM "), "ada@example.com");
  for (const none of ["", "ada", "@", "a@", "@b", "a@b@c", "a b@c.d", "a@b\0", `${"x".repeat(250)}@b.cd`]) {
    assert.equal(parseEmail(none), undefined);
  }
});
