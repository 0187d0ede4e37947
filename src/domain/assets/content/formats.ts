import { fileTypeFromBuffer } from "file-type";
import type { ByteSource } from "./byte-source.ts";
import { detectCfbType, isCfb } from "./cfb-check.ts";
import { detectZipType, isZip } from "./zip-check.ts";

/** Types that are one format in several dresses: bytes of one pass where another was declared. */
const families: readonly (readonly string[])[] = [
  ["video/mp4", "video/quicktime", "video/x-m4v", "video/3gpp", "video/3gpp2"],
  ["video/mpeg", "video/mp1s", "video/mp2p", "video/mp2t"],
  ["image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"],
  // What a HEIF container with a general brand holds is told by no header we read.
  ["image/avif", "image/heif", "image/heif-sequence"],
  ["image/png", "image/apng"],
];

export function isSameFamily(detected: string, declaredType: string): boolean {
  return (
    detected === declaredType || families.some((family) => family.includes(detected) && family.includes(declaredType))
  );
}

/** A file-type 22 detection is run on this much: every signature it knows stands before. */
const sniffBytes = 8192;

/**
 * The format that bytes are recognisably of, as a MIME type or in words; undefined for what we do not know.
 * Containers that could be bombs are read by us, from their tables, and never unpacked.
 */
export async function detectFormat(source: ByteSource, head: Uint8Array): Promise<string | undefined> {
  if (isZip(head)) return detectZipType(source, head);
  if (isCfb(head)) return detectCfbType(source, head);
  const signature = signatures.find(({ matches }) => matches(head));
  if (signature) return signature.name;
  const detected = await fileTypeFromBuffer(head.subarray(0, sniffBytes));
  const mime = detected?.mime.toLowerCase();
  if (mime === undefined || !(weakSignatureChecks[mime]?.(head) ?? true)) return undefined;
  return mime;
}

const startsWith = (head: Uint8Array, text: string, offset = 0): boolean =>
  head.length >= offset + text.length &&
  Array.from(text).every((letter, i) => head[offset + i] === letter.charCodeAt(0));

const readUint32 = (head: Uint8Array, offset: number): number =>
  ((head[offset] ?? 0) |
    ((head[offset + 1] ?? 0) << 8) |
    ((head[offset + 2] ?? 0) << 16) |
    ((head[offset + 3] ?? 0) << 24)) >>>
  0;

/** Looked at before anything else is: what a sniffer has looped on, and what it does not know. */
const signatures: readonly { name: string; matches: (head: Uint8Array) => boolean }[] = [
  // ASF: a parser can be led in circles by its object sizes, so none gets to see it.
  { name: "video/x-ms-asf", matches: (head) => startsWith(head, "\x30\x26\xb2\x75\x8e\x66\xcf\x11") },
  {
    name: "a program",
    matches: (head) => startsWith(head, "MZ") && startsWith(head, "PE\0\0", readUint32(head, 0x3c)),
  },
  { name: "a program", matches: (head) => startsWith(head, "MZ") && startsWith(head, "This program", 0x4e) },
  { name: "a program", matches: (head) => startsWith(head, "\xca\xfe\xba\xbe") },
  { name: "application/gzip", matches: (head) => startsWith(head, "\x1f\x8b\x08") },
];

const never = (): boolean => false;

/** Signatures of two or three bytes, which other bytes have by chance: what must be true besides. */
const weakSignatureChecks: Readonly<Record<string, (head: Uint8Array) => boolean>> = {
  "application/x-msdownload": never, // the long way, above
  "application/x-compress": never,
  "application/x-cpio": (head) => startsWith(head, "0707"),
  "application/x-arj": never,
  "application/x-apple-diskimage": never,
  "application/x-asar": never,
  "application/postscript": (head) => startsWith(head, "%!PS"),
  "application/xml": never, // ours to judge, in text-check
  "audio/vnd.dolby.dd-raw": never,
  "audio/mpeg": (head) => startsWith(head, "ID3"),
  "audio/aac": never,
  "font/ttf": never,
  "image/bmp": (head) => [12, 40, 52, 56, 64, 108, 124].includes(readUint32(head, 14)) && readUint32(head, 6) === 0,
  "image/gif": (head) => startsWith(head, "GIF87a") || startsWith(head, "GIF89a"),
  "image/jxl": (head) => startsWith(head, "JXL ", 4),
  "image/x-icon": never,
  "text/calendar": never,
  "text/vcard": never,
  "text/vtt": never,
  "video/mp2t": (head) =>
    [0, 188, 376, 564].every((offset) => head[offset] === 0x47) ||
    [4, 196, 388].every((offset) => head[offset] === 0x47),
};
