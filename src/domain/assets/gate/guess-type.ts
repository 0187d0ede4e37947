import { AppError } from "#lib/errors.ts";
import type { OpenedUrl } from "#lib/public-fetch.ts";
import { emptyFile } from "../base64.ts";
import { sourceOfBuffer } from "../byte-source.ts";
import { checkDeclared, kindOf, plainType, type Declared } from "../declared.ts";
import { cleanFilename, filenameFor, typeOfFilename } from "../filename.ts";
import { detectFormat } from "./formats.ts";
import type { AssetKind } from "../kinds.ts";

/** What servers say of files they know nothing about. */
const vague = new Set([
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
export async function guessDeclared(
  head: Uint8Array,
  { url, headers }: Pick<OpenedUrl, "url" | "headers">,
  wanted: { kind?: AssetKind | undefined; filename?: string | undefined },
): Promise<{ declared: Declared; filename: string }> {
  if (head.length === 0) throw emptyFile();
  const name = wanted.filename === undefined || wanted.filename === "" ? nameIn(url) : wanted.filename;
  const declared = check(await typeOf(head, plainType(headers["content-type"] ?? ""), name), wanted.kind);
  return { declared, filename: filenameFor(name, declared) };
}

async function typeOf(head: Uint8Array, said: string, name: string): Promise<string> {
  // Servers call every text plain; its name may say more.
  if (said === "text/plain") return textTypes.find((type) => type === typeOfFilename(name)) ?? said;
  if (!vague.has(said)) return aliases[said] ?? said;
  const found = await detectFormat(sourceOfBuffer(head), head);
  return (found !== undefined && kindOf(found) ? found : typeOfFilename(name)) ?? "application/octet-stream";
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

function check(mimeType: string, kind: AssetKind | undefined): Declared {
  const own = kindOf(mimeType);
  if (own === undefined && kind === undefined) {
    throw new AppError("unsupported_type:url", { mimeType: mimeType.slice(0, 100) });
  }
  return checkDeclared(kind ?? own ?? "document", mimeType);
}

function nameIn({ pathname }: URL): string {
  try {
    return cleanFilename(decodeURIComponent(pathname.split("/").at(-1) ?? ""))
      .slice(0, 255)
      .toWellFormed();
  } catch {
    return "";
  }
}
