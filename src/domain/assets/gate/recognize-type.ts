import { AppError } from "#lib/errors.ts";
import { emptyFileError } from "../base64.ts";
import type { ByteSource } from "../byte-source.ts";
import { findAssetKind, type DeclaredType } from "../declared.ts";
import { isCfb } from "./cfb-check.ts";
import { detectFormat } from "./formats.ts";
import { checkContent, headBytes, inspectFormat, typeMismatch } from "./gate.ts";
import { isZip } from "./zip-check.ts";

export const headLength = headBytes;

/**
 * The type of a file that nobody declared, for the upload page: what its name says, unless the bytes are another
 * accepted format. Throws `type_mismatch` or `unsupported_type` where they are a format that is not accepted.
 */
export async function recognizeType(source: ByteSource, named: DeclaredType | undefined): Promise<DeclaredType> {
  if (source.bytes === 0) throw emptyFileError();
  const head = await source.read(0, headBytes);
  if (!named) {
    const recognized = acceptFormat(await detectFormat(source, head));
    if (recognized) return recognized;
    throw unsupportedType();
  }
  const { format, isMismatch } = await inspectFormat(source, head, named);
  if (!isMismatch) return named;
  const recognized = acceptFormat(format);
  if (recognized) return recognized;
  throw typeMismatch(named, format);
}

/**
 * The same from the first bytes, before the rest is sent. What it rejects would be rejected at the end; what it accepts
 * is checked again then, whole.
 */
export async function recognizeHead(
  base64: string | undefined,
  bytes: number,
  named: DeclaredType | undefined,
): Promise<DeclaredType> {
  const head = Buffer.from(base64 ?? "", "base64");
  const hasHead = head.length === Math.min(bytes, headLength);
  // Containers are told apart by a table at their end: until then the name decides.
  if (named && (!hasHead || isZip(head) || isCfb(head))) return named;
  if (!hasHead) throw unsupportedType();
  const source: ByteSource = { bytes, read: async (start, end) => head.subarray(start, end) };
  const recognized = await recognizeType(source, named);
  await checkContent(source, recognized);
  return recognized;
}

/** Formats that file-type names more precisely than our table of types does. */
const variants: Readonly<Record<string, string>> = {
  "image/apng": "image/png",
  "image/heic-sequence": "image/heic",
  "image/heif-sequence": "image/heif",
  "video/mp1s": "video/mpeg",
  "video/mp2p": "video/mpeg",
};

function acceptFormat(format: string | undefined): DeclaredType | undefined {
  if (format === undefined) return undefined;
  const mimeType = variants[format] ?? format;
  const kind = findAssetKind(mimeType);
  return kind && { kind, mimeType };
}

const unsupportedType = (): AppError => new AppError("unsupported_type:file");
