import { AppError } from "#lib/errors.ts";
import type { AssetKind } from "../../model/asset-kinds.ts";
import { type DeclaredType, findAssetKind, normalizeMimeType, parseDeclaredType } from "../../model/declared-type.ts";
import { type ByteSource, createBufferSource, headBytes } from "../../ports/byte-source.ts";
import { isCfb } from "./cfb-check.ts";
import { checkContent, inspectFormat, typeMismatchError } from "./check-content.ts";
import { cleanFilename, guessTypeFromFilename, resolveFilename } from "./filename.ts";
import { detectFormat } from "./formats.ts";
import { isZip } from "./zip-check.ts";

/** Content types that servers send for files of unknown type. */
const genericTypes = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/download",
  "application/x-download",
]);

/**
 * Returns the type that an imported file should have: the first stated type that is not generic, else the type detected
 * from the bytes, else the type of the extension. `checkContent` later checks the whole file against this type.
 */
export async function resolveImportType(
  head: Uint8Array,
  statedTypes: readonly (string | undefined)[],
  name: string,
  kind: AssetKind | undefined,
): Promise<{ expectedType: DeclaredType; filename: string }> {
  if (head.length === 0) throw new AppError("invalid_input:empty_file");
  const statedType = statedTypes.map((type) => normalizeMimeType(type ?? "")).find((type) => !genericTypes.has(type));
  const expectedType = requireSupportedType(await guessMimeType(head, statedType, name), kind);
  return { expectedType, filename: resolveFilename(name, expectedType) };
}

async function guessMimeType(head: Uint8Array, statedType: string | undefined, name: string): Promise<string> {
  // Many servers send all text as text/plain; the extension may be more specific.
  if (statedType === "text/plain")
    return specificTextTypes.find((type) => type === guessTypeFromFilename(name)) ?? statedType;
  if (statedType !== undefined) return typeAliases[statedType] ?? statedType;
  const detectedType = await detectFormat(createBufferSource(head), head);
  return (
    (detectedType !== undefined && findAssetKind(detectedType) ? detectedType : guessTypeFromFilename(name)) ??
    "application/octet-stream"
  );
}

const specificTextTypes = ["text/csv", "text/markdown"];

/** Nonstandard names that servers use for supported types. */
const typeAliases: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "text/x-markdown": "text/markdown",
  "application/csv": "text/csv",
  "application/x-pdf": "application/pdf",
};

function requireSupportedType(mimeType: string, kind: AssetKind | undefined): DeclaredType {
  const kindOfType = findAssetKind(mimeType);
  if (kindOfType === undefined && kind === undefined) {
    throw new AppError("unsupported_type:url", { mimeType: mimeType.slice(0, 100) });
  }
  return parseDeclaredType(kind ?? kindOfType ?? "document", mimeType);
}

export function getFilenameFromUrl({ pathname }: URL): string {
  try {
    return cleanFilename(decodeURIComponent(pathname.split("/").at(-1) ?? ""))
      .slice(0, 255)
      .toWellFormed();
  } catch {
    return "";
  }
}

/**
 * Returns the type of a file uploaded in parts: the type that its filename implies, unless the bytes are another
 * supported format. Throws `type_mismatch` or `unsupported_type` if the bytes are an unsupported format.
 */
export async function recognizeType(source: ByteSource, filenameType: DeclaredType | undefined): Promise<DeclaredType> {
  if (source.bytes === 0) throw new AppError("invalid_input:empty_file");
  const head = await source.read(0, headBytes);
  if (!filenameType) {
    const supportedType = toSupportedType(await detectFormat(source, head));
    if (supportedType) return supportedType;
    throw new AppError("unsupported_type:file");
  }
  const { format, isMismatch } = await inspectFormat(source, head, filenameType);
  if (!isMismatch) return filenameType;
  const supportedType = toSupportedType(format);
  if (supportedType) return supportedType;
  throw typeMismatchError(filenameType, format);
}

/**
 * `recognizeType` for the first bytes, before the rest is uploaded. With a `filenameType`, rejects only what the final
 * check would reject. Without one, also rejects files whose first bytes do not show their type. An accepted file is
 * checked again when it is complete.
 */
export async function recognizeTypeFromHead(
  headBase64: string | undefined,
  bytes: number,
  filenameType: DeclaredType | undefined,
): Promise<DeclaredType> {
  const head = Buffer.from(headBase64 ?? "", "base64");
  const isHeadComplete = head.length === Math.min(bytes, headBytes);
  // The directory of a container may be at its end, so use the filename's type until the file is complete.
  if (filenameType && (!isHeadComplete || isZip(head) || isCfb(head))) return filenameType;
  if (!isHeadComplete) throw new AppError("unsupported_type:file");
  const source: ByteSource = { bytes, read: async (start, end) => head.subarray(start, end) };
  const recognizedType = await recognizeType(source, filenameType);
  await checkContent(source, recognizedType);
  return recognizedType;
}

/** Maps formats that the file-type library distinguishes to the types that `assetKinds` lists. */
const listedTypeByFormat: Readonly<Record<string, string>> = {
  "image/apng": "image/png",
  "image/heic-sequence": "image/heic",
  "image/heif-sequence": "image/heif",
  "video/mp1s": "video/mpeg",
  "video/mp2p": "video/mpeg",
};

function toSupportedType(format: string | undefined): DeclaredType | undefined {
  if (format === undefined) return undefined;
  const mimeType = listedTypeByFormat[format] ?? format;
  const kind = findAssetKind(mimeType);
  return kind && { kind, mimeType };
}
