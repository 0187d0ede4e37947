import type { ByteSource } from "../../ports/byte-source.ts";
import { detectCfbType, isCfb } from "./cfb-check.ts";
import { detectZipType, isZip } from "./zip-check.ts";

/** Each family lists variants of one format. A file may be declared as another variant than the detected one. */
const families: readonly (readonly string[])[] = [
  ["video/mp4", "video/quicktime", "video/x-m4v", "video/3gpp", "video/3gpp2"],
  ["video/mpeg", "video/mp1s", "video/mp2p", "video/mp2t"],
  ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"],
  // A HEIF container with a generic brand may contain AVIF; the headers we read do not show it.
  ["image/avif", "image/heif", "image/heif-sequence"],
  ["image/png", "image/apng"],
];

export function isSameFamily(detectedType: string, declaredType: string): boolean {
  return (
    detectedType === declaredType ||
    families.some((family) => family.includes(detectedType) && family.includes(declaredType))
  );
}

/** How much the file-type library reads. Version 22 knows no signature beyond this. */
export const sniffBytes = 8192;

/**
 * Detects the format, as a MIME type or a description; undefined if unknown. ZIP and compound files are identified by
 * their directories and never unpacked, because they could be decompression bombs.
 */
export async function detectFormat(source: ByteSource, head: Uint8Array): Promise<string | undefined> {
  if (isZip(head)) return detectZipType(source, head);
  if (isCfb(head)) return detectCfbType(source, head);
  const signature = signatures.find(({ matches }) => matches(head));
  if (signature) return signature.name;
  // Imported on first use, because it loads 35 modules.
  const { fileTypeFromBuffer } = await import("file-type");
  const fileType = await fileTypeFromBuffer(head.subarray(0, sniffBytes));
  const mime = fileType?.mime.toLowerCase();
  if (mime === undefined || !(weakSignatureChecks[mime]?.(head) ?? true)) return undefined;
  return mime;
}

const startsWith = (head: Uint8Array, text: string, offset = 0): boolean =>
  head.length >= offset + text.length &&
  Array.from(text).every((letter, i) => head[offset + i] === letter.charCodeAt(0));

const readUint32LE = (head: Uint8Array, offset: number): number =>
  ((head[offset] ?? 0) |
    ((head[offset + 1] ?? 0) << 8) |
    ((head[offset + 2] ?? 0) << 16) |
    ((head[offset + 3] ?? 0) << 24)) >>>
  0;

/**
 * Checked before the file-type library runs: formats that can make it loop forever, that it does not know, or that
 * it detects by too short a signature.
 */
const signatures: readonly { name: string; matches: (head: Uint8Array) => boolean }[] = [
  // ASF: crafted object sizes can make a parser loop forever, so no parser reads it.
  { name: "video/x-ms-asf", matches: (head) => startsWith(head, "\x30\x26\xb2\x75\x8e\x66\xcf\x11") },
  {
    name: "a program",
    matches: (head) => startsWith(head, "MZ") && startsWith(head, "PE\0\0", readUint32LE(head, 0x3c)),
  },
  { name: "a program", matches: (head) => startsWith(head, "MZ") && startsWith(head, "This program", 0x4e) },
  // A Java class or a universal binary of macOS.
  { name: "a program", matches: (head) => startsWith(head, "\xca\xfe\xba\xbe") },
  { name: "application/gzip", matches: (head) => startsWith(head, "\x1f\x8b\x08") },
];

/** For types whose signature in the library is never reliable. */
const alwaysDiscard = (): boolean => false;

/**
 * Additional checks of types that the library detects. Its signatures of these types are so short that other content
 * matches them by chance.
 */
const weakSignatureChecks: Readonly<Record<string, (head: Uint8Array) => boolean>> = {
  "application/x-msdownload": alwaysDiscard, // detected in `signatures`
  "application/x-compress": alwaysDiscard,
  "application/x-cpio": (head) => startsWith(head, "0707"),
  "application/x-arj": alwaysDiscard,
  "application/x-apple-diskimage": alwaysDiscard,
  "application/x-asar": alwaysDiscard,
  "application/postscript": (head) => startsWith(head, "%!PS"),
  "application/xml": alwaysDiscard, // detected in text-check.ts
  "audio/vnd.dolby.dd-raw": alwaysDiscard,
  "audio/mpeg": (head) => startsWith(head, "ID3"),
  "audio/aac": alwaysDiscard,
  "font/ttf": alwaysDiscard,
  "image/bmp": (head) => [12, 40, 52, 56, 64, 108, 124].includes(readUint32LE(head, 14)) && readUint32LE(head, 6) === 0,
  "image/gif": (head) => startsWith(head, "GIF87a") || startsWith(head, "GIF89a"),
  "image/jxl": (head) => startsWith(head, "JXL ", 4),
  "image/x-icon": alwaysDiscard,
  "text/calendar": alwaysDiscard,
  "text/vcard": alwaysDiscard,
  "text/vtt": alwaysDiscard,
  "video/mp2t": (head) =>
    [0, 188, 376, 564].every((offset) => head[offset] === 0x47) ||
    [4, 196, 388].every((offset) => head[offset] === 0x47),
};
