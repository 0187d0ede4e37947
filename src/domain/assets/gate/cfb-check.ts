import type { ByteSource } from "../byte-source.ts";

/** Compound files (doc, ppt, xls, but also installers and mail), told apart by the streams in their directory. [MS-CFB] */

const magic = "d0cf11e0a1b11ae1";
const streams: readonly [name: string, type: string][] = [
  ["WordDocument", "application/msword"],
  ["PowerPoint Document", "application/vnd.ms-powerpoint"],
  ["Workbook", "application/vnd.ms-excel"],
  ["Book", "application/vnd.ms-excel"],
];
const other = "another kind of compound file";
/** A directory has a few entries to a sector; the streams that matter are among the first dozens. */
const maxSectors = 32;
const endOfChain = 0xffff_fffa;

export const isCfb = (head: Uint8Array): boolean => Buffer.from(head.subarray(0, 8)).toString("hex") === magic;

/** The type, or `undefined` where the directory could not be read to its end. */
export async function detectCfb(source: ByteSource, head: Uint8Array): Promise<string | undefined> {
  if (head.length < 512) return undefined;
  const header = Buffer.from(head.buffer, head.byteOffset, 512);
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return undefined;
  const size = 2 ** shift;
  const sectorAt = async (sector: number): Promise<Buffer> =>
    Buffer.from(await source.read((sector + 1) * size, (sector + 2) * size));
  const table = new Map<number, Buffer>();

  const nextOf = async (sector: number): Promise<number> => {
    const part = Math.floor(sector / (size / 4));
    if (part >= 109) return Number.NaN; // tables further out are for files of many megabytes of directory
    const known = table.get(part) ?? (await sectorAt(header.readUInt32LE(76 + 4 * part)));
    table.set(part, known);
    const at = (sector % (size / 4)) * 4;
    return at + 4 <= known.length ? known.readUInt32LE(at) : Number.NaN;
  };

  let sector = header.readUInt32LE(48);
  for (let i = 0; i < maxSectors; i++) {
    if (Number.isNaN(sector) || (sector + 1) * size >= source.bytes) return undefined;
    const names = entryNames(await sectorAt(sector));
    const found = streams.find(([name]) => names.includes(name));
    if (found) return found[1];
    sector = await nextOf(sector);
    if (sector >= endOfChain) return other;
  }
  return undefined;
}

function entryNames(sector: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + 128 <= sector.length; at += 128) {
    const length = Math.min(Math.max(sector.readUInt16LE(at + 64) - 2, 0), 62);
    names.push(sector.subarray(at, at + length).toString("utf16le"));
  }
  return names;
}
