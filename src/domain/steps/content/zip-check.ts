import type { ByteSource } from "../../ports/byte-source.ts";

/** Identifies ZIP containers by the names in their central directory. Unpacks nothing, so ZIP bombs have no effect. */

const ooxml = "application/vnd.openxmlformats-officedocument.";

const officeTypes: readonly [folder: string, type: string][] = [
  ["word/", `${ooxml}wordprocessingml.document`],
  ["ppt/", `${ooxml}presentationml.presentation`],
  ["xl/", `${ooxml}spreadsheetml.sheet`],
];

const zipType = "application/zip";
/** Of larger directories, only the start is read, because the names that identify a format come early. */
const maxDirectoryBytes = 512 * 1024;
const maxNames = 20_000;
/** Only the start and the end of a name identify a format. A name may be 64 KiB long, and headers may overlap. */
const maxNameEdge = 32;

export const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));

export async function detectZipType(source: ByteSource, head: Uint8Array): Promise<string> {
  const openDocumentType = readOpenDocumentType(head);
  if (openDocumentType !== undefined) return openDocumentType;
  const names = (await readCentralDirectoryNames(source)) ?? scanNames(head, localHeader);
  if (names.some((name) => name.endsWith("vbaProject.bin"))) return "an office file with macros";
  if (!names.includes("[Content_Types].xml")) return zipType;
  return officeTypes.find(([folder]) => names.some((name) => name.startsWith(folder)))?.[1] ?? zipType;
}

/** OpenDocument 1.3, part 2, §3.3: the first entry, `mimetype`, is stored uncompressed and contains the type. */
function readOpenDocumentType(head: Uint8Array): string | undefined {
  const view = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 256));
  if (view.length < 38 || view.subarray(30, 38).toString("latin1") !== "mimetype" || view.readUInt16LE(8) !== 0)
    return undefined;
  const start = 38 + view.readUInt16LE(28);
  return view.subarray(start, start + Math.min(view.readUInt32LE(18), 128)).toString("latin1");
}

/** Where a header contains the name of its file. */
interface HeaderLayout {
  signature: number;
  nameLengthOffset: number;
  nameOffset: number;
}

const localHeader: HeaderLayout = { signature: 0x04034b50, nameLengthOffset: 26, nameOffset: 30 };
const directoryEntry: HeaderLayout = { signature: 0x02014b50, nameLengthOffset: 28, nameOffset: 46 };

/** The names in the central directory at the end of the file; undefined if there is none. */
async function readCentralDirectoryNames(source: ByteSource): Promise<string[] | undefined> {
  const tailStart = Math.max(0, source.bytes - 66_000); // the end record and the longest comment after it
  const tail = Buffer.from(await source.read(tailStart, source.bytes));
  const end = tail.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end < 0 || end + 22 > tail.length) return undefined;
  const directoryBytes = tail.readUInt32LE(end + 12);
  const start = tail.readUInt32LE(end + 16);
  if (directoryBytes === 0 || start >= source.bytes) return undefined; // empty, or ZIP64
  const directory =
    start >= tailStart
      ? tail.subarray(start - tailStart, end)
      : await source.read(start, start + Math.min(directoryBytes, maxDirectoryBytes));
  const names = scanNames(directory, directoryEntry);
  return names.length > 0 ? names : undefined;
}

/**
 * Finds names by searching for signatures, because the sizes in the headers can't be trusted: a false length must not
 * hide the entries after it.
 */
function scanNames(bytes: Uint8Array, { signature, nameLengthOffset, nameOffset }: HeaderLayout): string[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const signatureBytes = Buffer.alloc(4);
  signatureBytes.writeUInt32LE(signature);
  const names: string[] = [];
  for (
    let offset = view.indexOf(signatureBytes);
    offset >= 0 && names.length < maxNames;
    offset = view.indexOf(signatureBytes, offset + 4)
  ) {
    if (offset + nameOffset > view.length) break;
    const length = view.readUInt16LE(offset + nameLengthOffset);
    names.push(shortenName(view.subarray(offset + nameOffset, offset + nameOffset + length)));
  }
  return names;
}

function shortenName(name: Buffer): string {
  if (name.length <= 2 * maxNameEdge) return name.toString("latin1");
  return name.toString("latin1", 0, maxNameEdge) + name.toString("latin1", name.length - maxNameEdge);
}
