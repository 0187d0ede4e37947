import { edgeError } from "#lib/errors.ts";
import type { Identity } from "#domain/access/ports.ts";

/** What an ID token or a userinfo answer says of a person: OpenID Connect Core §5.1. */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether the ID token alone is enough to know name and address. */
export function hasNameAndEmail(idToken: Claims): boolean {
  return readName(idToken) !== undefined && hasEmailClaims(idToken);
}

function hasEmailClaims(claims: Claims): boolean {
  return "email" in claims && "email_verified" in claims;
}

/**
 * The person behind verified claims. An address counts with the verdict it came with: the two are never taken from
 * different answers, and only the JSON value `true` is a yes.
 */
export function toIdentity(issuer: string, idToken: Claims, userinfo: Claims = {}): Identity {
  const subject = idToken["sub"];
  // OpenID Connect Core §2: at most 255 characters. What no database can keep is nobody's name either.
  if (typeof subject !== "string" || !subject.isWellFormed() || !/^\P{Cc}{1,255}$/u.test(subject)) {
    throw edgeError("invalid_input", "The identity provider's answer names nobody.");
  }
  const emailClaims = hasEmailClaims(idToken) || !("email" in userinfo) ? idToken : userinfo;
  const email = parseEmail(emailClaims["email"]) ?? null;
  const emailVerified = email !== null && emailClaims["email_verified"] === true;
  const name = readName(idToken) ?? readName(userinfo) ?? email ?? "Someone";
  return { issuer, subject, name, email, emailVerified };
}

function readName(claims: Claims): string | undefined {
  return toSingleLine(claims["name"]) ?? toSingleLine(claims["preferred_username"]);
}

function parseEmail(value: unknown): string | undefined {
  const isValid =
    typeof value === "string" &&
    value.length <= 254 &&
    value.isWellFormed() &&
    /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(value);
  return isValid ? value : undefined;
}

/** As both engines can keep it and a page can show it. */
function toSingleLine(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = value
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return line.slice(0, 100).replace(/[\ud800-\udbff]$/, "") || undefined;
}
