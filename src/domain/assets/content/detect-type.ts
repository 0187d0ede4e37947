import { AppError } from "#lib/errors.ts";
import type { PublicResponse } from "#lib/public-fetch.ts";
import { emptyFileError } from "./base64.ts";
import { createBufferSource, type ByteSource } from "./byte-source.ts";
import { findAssetKind, normalizeMimeType, parseDeclaredType, type DeclaredType } from "../model/declared-type.ts";
import { cleanFilename, guessTypeFromFilename, resolveFilename } from "../model/filename.ts";
import type { AssetKind } from "../model/kinds.ts";
import { isCfb } from "./cfb-check.ts";
import { detectFormat } from "./formats.ts";
import { checkContent, headBytes, inspectFormat, typeMismatch } from "./check-content.ts";
import { isZip } from "./zip-check.ts";

/** What servers say of files they know nothing about. */
const genericTypes = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/download",
  "application/x-download",
]);

/**
 * What a file from an address is declared as: what its server says, if that is a type we take; where the server says
 * nothing, what the bytes are, and after that what the name ends in. The gate then holds the whole file to it.
 */
export async function guessDeclaredType(
  head: Uint8Array,
  { url, headers }: Pick<PublicResponse, "url" | "headers">,
  requested: { kind?: AssetKind | undefined; filename?: string | undefined },
): Promise<{ declared: DeclaredType; filename: string }> {
  if (head.length === 0) throw emptyFileError();
  const name =
    requested.filename === undefined || requested.filename === "" ? getFilenameFromUrl(url) : requested.filename;
  const declaredType = resolveDeclaredType(
    await guessMimeType(head, normalizeMimeType(headers["content-type"] ?? ""), name),
    requested.kind,
  );
  return { declared: declaredType, filename: resolveFilename(name, declaredType) };
}

async function guessMimeType(head: Uint8Array, serverType: string, name: string): Promise<string> {
  // Servers call every text plain; its name may say more.
  if (serverType === "text/plain") return textTypes.find((type) => type === guessTypeFromFilename(name)) ?? serverType;
  if (!genericTypes.has(serverType)) return aliases[serverType] ?? serverType;
  const detectedType = await detectFormat(createBufferSource(head), head);
  return (
    (detectedType !== undefined && findAssetKind(detectedType) ? detectedType : guessTypeFromFilename(name)) ??
    "application/octet-stream"
  );
}

const textTypes = ["text/csv", "text/markdown"];

/** Names that servers in the field use for types we take. */
const aliases: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "text/x-markdown": "text/markdown",
  "application/csv": "text/csv",
  "application/x-pdf": "application/pdf",
};

function resolveDeclaredType(mimeType: string, kind: AssetKind | undefined): DeclaredType {
  const detectedKind = findAssetKind(mimeType);
  if (detectedKind === undefined && kind === undefined) {
    throw new AppError("unsupported_type:url", { mimeType: mimeType.slice(0, 100) });
  }
  return parseDeclaredType(kind ?? detectedKind ?? "document", mimeType);
}

function getFilenameFromUrl({ pathname }: URL): string {
  try {
    return cleanFilename(decodeURIComponent(pathname.split("/").at(-1) ?? ""))
      .slice(0, 255)
      .toWellFormed();
  } catch {
    return "";
  }
}

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
