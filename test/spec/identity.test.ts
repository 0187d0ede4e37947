import assert from "node:assert/strict";
import { test } from "node:test";
import { deriveNameFromEmail, parseEmail } from "#dev/dev-issuer.ts";
import { hasNameAndEmail, toIdentity } from "#auth/relying-party.ts";
import { getOutcome } from "../support/outcome.ts";

const issuer = "https://idp.example";

test("reads the name of a user from the name, user name or email claim, in this order", () => {
  const getName = (claims: Record<string, unknown>) => toIdentity(issuer, { sub: "1", ...claims }).name;
  assert.equal(getName({ name: "Ada", preferred_username: "al", email: "a@example.com" }), "Ada");
  assert.equal(getName({ name: " ", preferred_username: "al", email: "a@example.com" }), "al");
  assert.equal(getName({ email: "a@example.com" }), "a@example.com");
  assert.equal(getName({}), "Someone");
});

test("reduces names to one line that every database can store", () => {
  const { name } = toIdentity(issuer, { sub: "1", name: "A\0d\r\na\u2028 \ud800 \u001b[31m" });
  assert.equal(name, "A d a  \ufffd  [31m");
  assert.equal(toIdentity(issuer, { sub: "1", name: `x${"😀".repeat(5000)}` }).name.isWellFormed(), true);
});

test("an email is verified only if email_verified is the JSON value true (A24)", () => {
  for (const email_verified of ["true", 1, "1", null, {}, [true], undefined, false]) {
    const { email, emailVerified } = toIdentity(issuer, {
      sub: "1",
      email: "ada@example.com",
      email_verified,
    });
    assert.deepEqual({ email, emailVerified }, { email: "ada@example.com", emailVerified: false });
  }
  assert.equal(toIdentity(issuer, { sub: "1", email: "ada@example.com", email_verified: true }).emailVerified, true);
});

test("an email and its verification come from the same response (A24)", () => {
  const withoutEmail = { sub: "1", email_verified: true };
  assert.equal(toIdentity(issuer, withoutEmail, { email: "other@example.com" }).emailVerified, false);
  const withoutVerification = { sub: "1", email: "ada@example.com" };
  const other = toIdentity(issuer, withoutVerification, { email: "other@example.com", email_verified: true });
  assert.deepEqual([other.email, other.emailVerified], ["other@example.com", true]);
  assert.equal(toIdentity(issuer, withoutVerification, { email_verified: true }).emailVerified, false);
});

test("ignores an email claim that is not a valid email", () => {
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

test("rejects claims without a usable subject", async () => {
  for (const sub of [undefined, "", 7, "a\0", "x".repeat(256), "\ud800"]) {
    assert.equal(await getOutcome(async () => toIdentity(issuer, { sub })), "invalid_input");
  }
});

test("the ID token is sufficient only if it contains a name, an email and email_verified", () => {
  assert.equal(hasNameAndEmail({ sub: "1", name: "Ada", email: "a@b.c", email_verified: false }), true);
  assert.equal(hasNameAndEmail({ sub: "1", name: "Ada", email: "a@b.c" }), false);
  assert.equal(hasNameAndEmail({ sub: "1", email: "a@b.c", email_verified: true }), false);
});

test("the dev issuer derives a name from an email", () => {
  assert.equal(deriveNameFromEmail("ada@example.com"), "Ada");
  assert.equal(deriveNameFromEmail("grace.hopper@example.com"), "Grace Hopper");
  assert.equal(deriveNameFromEmail("...@example.com"), "...@example.com");
  assert.equal(parseEmail(" Ada@Example.COM "), "ada@example.com");
  for (const invalidEmail of ["", "ada", "@", "a@", "@b", "a@b@c", "a b@c.d", "a@b\0", `${"x".repeat(250)}@b.cd`]) {
    assert.equal(parseEmail(invalidEmail), undefined);
  }
});
