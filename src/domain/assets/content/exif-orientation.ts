const orientationTag = 0x112;
const exifPrefix = "Exif\0\0";

/** Whether EXIF data (with or without its prefix) says that width and height are swapped when the image is shown. */
export function isSidewaysInExif(exif: Buffer): boolean {
  const tiff = exif.toString("latin1", 0, 6) === exifPrefix ? exif.subarray(6) : exif;
  try {
    return readOrientation(tiff) >= 5;
  } catch (error) {
    if (error instanceof RangeError) return false; // an offset outside of the data
    throw error;
  }
}

/** EXIF 2.32 §4.6.2 and tag 274: the first directory of a TIFF header has 12 bytes per entry, sorted by tag. */
function readOrientation(tiff: Buffer): number {
  const isLittleEndian = tiff.toString("latin1", 0, 2) === "II";
  const readUint16 = (at: number): number => (isLittleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittleEndian ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entryCount = readUint16(directory);
  for (let i = 0; i < entryCount; i++) {
    const entry = directory + 2 + i * 12;
    const tag = readUint16(entry);
    if (tag === orientationTag) return readUint16(entry + 8);
    if (tag > orientationTag) return 1;
  }
  return 1;
}
