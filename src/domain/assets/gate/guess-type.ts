import { AppError } from "#lib/errors.ts";
import type { PublicResponse } from "#lib/public-fetch.ts";
import { emptyFileError } from "../base64.ts";
import { createBufferSource } from "../byte-source.ts";
import { parseDeclaredType, findAssetKind, normalizeMimeType, type DeclaredType } from "../declared.ts";
import { cleanFilename, resolveFilename, guessTypeFromFilename } from "../filename.ts";
import { detectFormat } from "./formats.ts";
import type { AssetKind } from "../kinds.ts";

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
