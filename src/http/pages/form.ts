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
