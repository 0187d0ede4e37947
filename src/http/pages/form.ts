import type { IncomingMessage } from "node:http";
import type { User } from "#domain/model/user.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { readBody } from "#lib/request-body.ts";
import type { Signer } from "#lib/signed-token.ts";

const maxFormBytes = 16 * 1024;

/** Reads a URL-encoded form body of at most 16 KiB. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(req.headers["content-type"] ?? "")) {
    throw edgeError("unsupported_type", "Expected a form.");
  }
  const body = await readBody(req, (bytes) =>
    bytes > maxFormBytes ? edgeError("too_large", "The form is too large.") : undefined,
  ).catch((cause: unknown) =>
    edgeError("invalid_input", "The form did not arrive completely.", "Send it again.", { cause }),
  );
  if (body instanceof AppError) throw body;
  return new URLSearchParams(body.toString());
}

/** Creates the CSRF token of a form, bound to the user and the page. */
export function createFormToken(signer: Signer, user: User, page: string, expiresAt: number): string {
  return signer.sign("form", { user: user.id, page }, expiresAt);
}

/** Returns the page of a valid CSRF token. */
export function readFormToken(signer: Signer, token: string | null, user: User): string | undefined {
  const { user: userId, page } = signer.verify("form", token ?? "") ?? {};
  return userId === user.id && typeof page === "string" ? page : undefined;
}

export const formExpiredError = (hint: string): AppError =>
  edgeError("forbidden", "This form has expired or belongs to another account.", hint);

/** The sign-in cookie contains the path, so the path must be short. */
const maxReturnToLength = 2000;

/**
 * Returns a path on this site to redirect to after sign-in, or `/`. Browsers resolve `//host`, `/\host` and
 * `/.//host` to another site, and strip tabs and newlines before they parse a URL.
 */
export function sanitizeReturnTo(value: string | null | undefined): string {
  if (!value || value.length > maxReturnToLength || !/^\/(?![/\\])/.test(value)) return "/";
  if (/[\p{Cc}\\\s]/u.test(value) || /%(0[0-9a-f]|1[0-9a-f]|7f|5c)/i.test(value.split(/[?#]/, 1)[0] ?? "")) return "/";
  const placeholderOrigin = "http://placeholder.invalid";
  if (!URL.canParse(value, placeholderOrigin)) return "/";
  const { origin, pathname, search, hash } = new URL(value, placeholderOrigin);
  return origin === placeholderOrigin && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : "/";
}

export function buildLoginUrl(loginPath: string, returnTo: string, isSwitchingAccount = false): string {
  const query = new URLSearchParams();
  if (returnTo !== "/") query.set("return_to", returnTo);
  if (isSwitchingAccount) query.set("switch", "1");
  return query.size > 0 ? `${loginPath}?${query.toString()}` : loginPath;
}
