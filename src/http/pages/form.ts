import type { IncomingMessage } from "node:http";
import type { User } from "#domain/access/ports.ts";
import { edgeError } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";

const maxFormBytes = 16 * 1024;

/** A submitted HTML form: small, and nothing but a form. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(req.headers["content-type"] ?? "")) {
    throw edgeError("unsupported_type", "A form was expected.");
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxFormBytes) throw edgeError("too_large", "The form is too large.");
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/**
 * A form carries a token of its own, so a browser that says where the form came from must say "from us",
 * and one that says nothing is judged by the token alone.
 */
export function assertNotCrossSite(req: IncomingMessage, base: string): void {
  const site = req.headers["sec-fetch-site"];
  const origin = req.headers.origin;
  const isCrossSite =
    (origin !== undefined && origin !== new URL(base).origin) ||
    (site !== undefined && site !== "same-origin" && site !== "none");
  if (isCrossSite) throw edgeError("forbidden", "Forms are accepted from our own pages only.");
}

/** What a form carries: made for this person on this page. A form that someone else wrote does not have it. */
export function signForm(signer: Signer, user: User, page: string, expiresAt: number): string {
  return signer.sign("form", { user: user.id, page }, expiresAt);
}

export function isSignedForm(signer: Signer, token: string | null, user: User, page: string): boolean {
  const claims = signer.verify("form", token ?? "");
  return claims !== undefined && claims["user"] === user.id && claims["page"] === page;
}

/** Longer ones would not fit into the cookie that carries them; ours are short. */
const maxLength = 2000;

/**
 * Where to go on after signing in: a path of ours, or the start page. A browser takes `//host`, `/\host` and
 * `/./` + `/host` for another site's address, and drops tabs and line ends before it looks.
 */
export function sanitizeReturnTo(value: string | null | undefined): string {
  if (!value || value.length > maxLength || !/^\/(?![/\\])/.test(value)) return "/";
  if (/[\p{Cc}\\\s]/u.test(value) || /%(0[0-9a-f]|1[0-9a-f]|7f|5c)/i.test(value.split(/[?#]/, 1)[0] ?? "")) return "/";
  const placeholderOrigin = "http://ours.invalid";
  if (!URL.canParse(value, placeholderOrigin)) return "/";
  const { origin, pathname, search, hash } = new URL(value, placeholderOrigin);
  return origin === placeholderOrigin && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : "/";
}

/** The sign-in page, from which a person returns to `returnTo`. `other`: to use an account other than the one signed in. */
export function buildLoginUrl(loginPath: string, returnTo: string, isSwitchingAccount = false): string {
  const query = new URLSearchParams();
  if (returnTo !== "/") query.set("return_to", returnTo);
  if (isSwitchingAccount) query.set("switch", "1");
  return query.size > 0 ? `${loginPath}?${query.toString()}` : loginPath;
}
