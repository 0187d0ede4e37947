const orientationTag = 0x112;
const exifPrefix = "Exif\0\0";

/** Whether EXIF data (with or without its prefix) says that width and height are swapped when the image is shown. */
export function isSidewaysInExif(exif: Buffer): boolean {
  const tiff = exif.toString("latin1", 0, 6) === exifPrefix ? exif.subarray(6) : exif;
  return readOrientation(tiff) >= 5;
}

const upright = 1;

/**
 * EXIF 2.32 §4.6.2 and tag 274: the first directory of a TIFF header has 12 bytes per entry, sorted by tag. Compares
 * offsets with the length, because an exception takes 20 µs.
 */
function readOrientation(tiff: Buffer): number {
  if (tiff.length < 8) return upright;
  const isLittleEndian = tiff.toString("latin1", 0, 2) === "II";
  const readUint16 = (at: number): number => (isLittleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const entriesStart = 2 + (isLittleEndian ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4));
  if (entriesStart > tiff.length) return upright;
  const entriesEnd = Math.min(entriesStart + readUint16(entriesStart - 2) * 12, tiff.length);
  for (let entry = entriesStart; entry + 12 <= entriesEnd; entry += 12) {
    const tag = readUint16(entry);
    if (tag === orientationTag) return readUint16(entry + 8);
    if (tag > orientationTag) return upright;
  }
  return upright;
}
