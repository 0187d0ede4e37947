import type { IncomingMessage } from "node:http";
import { AppError } from "#lib/errors.ts";

/** Far more than any form of ours sends. */
const maxBytes = 16 * 1024;

/** The fields of a plain HTML form. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  const type = req.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    throw new AppError("unsupported_type", "A form is expected here: application/x-www-form-urlencoded.");
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AppError("too_large", "The form is too large.");
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
