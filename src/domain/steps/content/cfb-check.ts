import type { ByteSource } from "../../ports/byte-source.ts";

/**
 * Identifies compound files (doc, ppt, xls, but also installers and emails) by the names of the streams in their
 * directory. Offsets are those of [MS-CFB] §2.2 (header) and §2.6 (directory).
 */

const cfbSignature = "d0cf11e0a1b11ae1";
const typesByStream: readonly [name: string, type: string][] = [
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

export const isCfb = (head: Uint8Array): boolean => Buffer.from(head.subarray(0, 8)).toString("hex") === cfbSignature;

/** Returns undefined if the header is invalid, or if the directory could not be read to its end. */
export async function detectCfbType(source: ByteSource, head: Uint8Array): Promise<string | undefined> {
  if (head.length < 512) return undefined;
  const header = Buffer.from(head.buffer, head.byteOffset, 512);
  const sectorShift = header.readUInt16LE(30);
  if (sectorShift !== 9 && sectorShift !== 12) return undefined;
  const sectorSize = 2 ** sectorShift;
  const readSector = async (sectorNumber: number): Promise<Buffer> =>
    Buffer.from(await source.read((sectorNumber + 1) * sectorSize, (sectorNumber + 2) * sectorSize));
  const allocationTable = new Map<number, Buffer>();

  const readNextSectorNumber = async (sectorNumber: number): Promise<number> => {
    const tableIndex = Math.floor(sectorNumber / (sectorSize / 4));
    if (tableIndex >= 109) return Number.NaN; // only very large files have more tables than the header lists
    const tableSector = allocationTable.get(tableIndex) ?? (await readSector(header.readUInt32LE(76 + 4 * tableIndex)));
    allocationTable.set(tableIndex, tableSector);
    const offset = (sectorNumber % (sectorSize / 4)) * 4;
    return offset + 4 <= tableSector.length ? tableSector.readUInt32LE(offset) : Number.NaN;
  };

  let sectorNumber = header.readUInt32LE(48);
  for (let i = 0; i < maxSectors; i++) {
    if (Number.isNaN(sectorNumber) || (sectorNumber + 1) * sectorSize >= source.bytes) return undefined;
    const names = parseEntryNames(await readSector(sectorNumber));
    const match = typesByStream.find(([name]) => names.includes(name));
    if (match) return match[1];
    sectorNumber = await readNextSectorNumber(sectorNumber);
    if (sectorNumber >= maxRegularSector) return otherCompoundFile;
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
