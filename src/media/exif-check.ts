/** EXIF data starts with a TIFF header: the byte order, 42, and the offset of the first directory. */
const tiffHeaders = [
  { bytes: Buffer.from("II*\0", "latin1"), isLittleEndian: true },
  { bytes: Buffer.from("MM\0*", "latin1"), isLittleEndian: false },
];

/** Tags whose value is the offset of another directory: EXIF, GPS and interoperability (EXIF 2.32 §4.6.3). */
const directoryTags = new Set([0x87_69, 0x88_25, 0xa0_05]);
const entryBytes = 12;
const maxDepth = 4;
/** Cameras write a few hundred entries. The limit exceeds a directory's 65,535, which arbitrary bytes can declare. */
const maxEntries = 200_000;

/**
 * Throws if thousands of entries in EXIF data refer to the same directory. The decoder reads a directory once per entry
 * that refers to it and can't be stopped: 60 KB take four seconds, and twice as many four times as long. Searches the
 * whole file for TIFF headers, because each format stores EXIF data in another place.
 */
export function assertExifIsSmall(file: Buffer): void {
  let entryCount = 0;
  const countEntry = (): void => {
    if (++entryCount > maxEntries) throw new Error("the EXIF data has too many entries");
  };

  for (const { bytes, isLittleEndian } of tiffHeaders) {
    const readUint16 = (at: number): number => (isLittleEndian ? file.readUInt16LE(at) : file.readUInt16BE(at));
    const readUint32 = (at: number): number => (isLittleEndian ? file.readUInt32LE(at) : file.readUInt32BE(at));

    /** Counts the entries of the directory at this offset, and of those it refers to. Returns where it ends. */
    const countEntries = (header: number, offset: number, depth = 1): number => {
      const start = header + offset + 2;
      if (start > file.length) return file.length;
      const end = start + readUint16(start - 2) * entryBytes;
      for (let entry = start; entry < end && entry + entryBytes <= file.length; entry += entryBytes) {
        countEntry();
        if (depth < maxDepth && directoryTags.has(readUint16(entry)))
          countEntries(header, readUint32(entry + 8), depth + 1);
      }
      return end;
    };

    for (let header = file.indexOf(bytes); header >= 0; header = file.indexOf(bytes, header + 4)) {
      countEntry();
      if (header + 8 > file.length) break;
      const end = countEntries(header, readUint32(header + 4));
      // The second directory describes the thumbnail.
      if (end + 4 <= file.length) countEntries(header, readUint32(end));
    }
  }
}
