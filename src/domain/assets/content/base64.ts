import { AppError } from "#lib/errors.ts";
import { inlineLimitBytes } from "../model/kinds.ts";
import { emptyFileError } from "./check-content.ts";

/** Throws if the decoded file would be too large. Whitespace does not count. */
export function checkInlineSize(base64: string): void {
  if (computeDecodedLength(base64) < inlineLimitBytes) return;
  if (computeDecodedLength(stripWhitespace(base64)) >= inlineLimitBytes) throw inlineTooLargeError();
}

/**
 * Decodes the padded standard alphabet of RFC 4648 §4. Ignores spaces, tabs and line breaks, because many encoders
 * wrap lines. Rejects the URL-safe alphabet, missing padding and a `data:` prefix.
 */
export function decodeInline(base64: string): Buffer {
  const bytes = decode(base64) ?? decode(stripWhitespace(base64));
  if (bytes === undefined) throw invalidBase64Error(base64);
  if (bytes.length === 0) throw emptyFileError();
  return bytes;
}

const stripWhitespace = (text: string): string => text.replace(/[ \t\r\n]+/g, "");

function computeDecodedLength(text: string): number {
  return Math.floor((text.length * 3) / 4) - countPadding(text);
}

function countPadding(text: string): number {
  if (text.endsWith("==")) return 2;
  return text.endsWith("=") ? 1 : 0;
}

/**
 * Node's decoder skips invalid characters and accepts the URL-safe alphabet. The input is therefore valid if the
 * result has the expected length and the input contains no `-` or `_`.
 */
function decode(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || text.includes("-") || text.includes("_")) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === computeDecodedLength(text) ? bytes : undefined;
}

const inlineTooLargeError = (): AppError =>
  new AppError("inline_too_large_use_presign", { limitBytes: inlineLimitBytes });

function invalidBase64Error(text: string): AppError {
  return new AppError("invalid_input:base64", { isDataUrl: text.startsWith("data:") });
}
