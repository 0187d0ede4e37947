import { AppError } from "#lib/errors.ts";
import { inlineLimitBytes } from "../model/kinds.ts";

/** Tells the size from the length alone, before anything is decoded; answers the text, without blanks if need be. */
export function checkInlineSize(base64: string): string {
  if (computeDecodedLength(base64) < inlineLimitBytes) return base64;
  const compactText = stripWhitespace(base64);
  if (computeDecodedLength(compactText) >= inlineLimitBytes) throw inlineTooLargeError();
  return compactText;
}

/**
 * A file that came as base64: the standard alphabet of RFC 4648 §4, padded. Spaces, tabs and line ends are skipped,
 * since many encoders wrap their lines. The URL-safe alphabet, missing padding and a `data:` prefix are refused.
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
 * Node's decoder is fast and forgiving: it leaves out what is no base64. So what it decoded is right exactly if it is
 * as long as it should be, and nothing of the other alphabet was in it.
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

export const emptyFileError = (): AppError => new AppError("invalid_input:empty_file");
