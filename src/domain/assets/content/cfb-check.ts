import type { ByteSource } from "./byte-source.ts";

/**
 * Identifies compound files (doc, ppt, xls, but also installers and emails) by the names of the streams in their
 * directory; [MS-CFB].
 */

const magic = "d0cf11e0a1b11ae1";
const streams: readonly [name: string, type: string][] = [
  ["WordDocument", "application/msword"],
  ["PowerPoint Document", "application/vnd.ms-powerpoint"],
  ["Workbook", "application/vnd.ms-excel"],
  ["Book", "application/vnd.ms-excel"],
];
const otherCompoundFile = "another kind of compound file";
/** A sector has at least four entries; the streams we look for are among the first few dozen. */
const maxSectors = 32;
/** Larger sector numbers are special values, such as the end of a chain. */
const maxRegularSector = 0xffff_fffa;

export const isCfb = (head: Uint8Array): boolean => Buffer.from(head.subarray(0, 8)).toString("hex") === magic;

/** Returns undefined if the directory could not be read to its end. */
export async function detectCfbType(source: ByteSource, head: Uint8Array): Promise<string | undefined> {
  if (head.length < 512) return undefined;
  const header = Buffer.from(head.buffer, head.byteOffset, 512);
  const sectorShift = header.readUInt16LE(30);
  if (sectorShift !== 9 && sectorShift !== 12) return undefined;
  const sectorSize = 2 ** sectorShift;
  const readSector = async (sector: number): Promise<Buffer> =>
    Buffer.from(await source.read((sector + 1) * sectorSize, (sector + 2) * sectorSize));
  const allocationTable = new Map<number, Buffer>();

  const readNextSector = async (sector: number): Promise<number> => {
    const tableIndex = Math.floor(sector / (sectorSize / 4));
    if (tableIndex >= 109) return Number.NaN; // only very large files have more tables than the header lists
    const tableSector = allocationTable.get(tableIndex) ?? (await readSector(header.readUInt32LE(76 + 4 * tableIndex)));
    allocationTable.set(tableIndex, tableSector);
    const offset = (sector % (sectorSize / 4)) * 4;
    return offset + 4 <= tableSector.length ? tableSector.readUInt32LE(offset) : Number.NaN;
  };

  let sector = header.readUInt32LE(48);
  for (let i = 0; i < maxSectors; i++) {
    if (Number.isNaN(sector) || (sector + 1) * sectorSize >= source.bytes) return undefined;
    const names = parseEntryNames(await readSector(sector));
    const match = streams.find(([name]) => names.includes(name));
    if (match) return match[1];
    sector = await readNextSector(sector);
    if (sector >= maxRegularSector) return otherCompoundFile;
  }
  return undefined;
}

function parseEntryNames(sector: Buffer): string[] {
  const names: string[] = [];
  for (let offset = 0; offset + 128 <= sector.length; offset += 128) {
    const length = Math.min(Math.max(sector.readUInt16LE(offset + 64) - 2, 0), 62);
    names.push(sector.subarray(offset, offset + length).toString("utf16le"));
  }
  return names;
}
