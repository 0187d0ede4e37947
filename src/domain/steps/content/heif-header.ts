import type { VisitPart } from "./walk-file.ts";

/** What is known of an image from the headers of its file. */
export interface HeifHeader {
  width: number;
  height: number;
  isSideways: boolean;
  frameCount: number;
}

/** The boxes to enter, with the bytes between their header and their first child. */
const containers = new Map([
  ...["moov", "trak", "mdia", "minf", "stbl", "moof", "traf", "iprp", "ipco"].map((type) => [type, 0] as const),
  ["meta", 4],
  ["iinf", 6],
]);

/** Real files have five levels. Deeper boxes are not entered, so that a file cannot fill the memory. */
const maxDepth = 16;

/**
 * Returns a visitor of the boxes of AVIF and HEIC files, and the header that it fills: dimensions of the largest image
 * (`ispe`), rotation (`irot`), and the number of frames: items (ISO/IEC 23008-12) or samples (14496-12).
 */
export function createHeifVisitor(fileBytes: number): { header: HeifHeader; visit: VisitPart } {
  const header: HeifHeader = { width: 0, height: 0, isSideways: false, frameCount: 0 };
  let itemCount = 0;
  let fragmentSampleCount = 0;
  /** Where the boxes end that were entered. A box never extends beyond its parent. */
  const ends = [fileBytes];

  const count = (frames: number): void => {
    header.frameCount = Math.max(header.frameCount, frames);
  };

  const visit: VisitPart = (window, at, position) => {
    while (ends.length > 1 && (ends.at(-1) ?? 0) <= position) ends.pop();
    const parentEnd = ends.at(-1) ?? fileBytes;
    const size = window.readUInt32BE(at);
    const type = window.toString("latin1", at + 4, at + 8);
    // ISO/IEC 14496-12 §4.2: size 1 means that a 64-bit size follows, size 0 that the box extends to the end.
    const headerBytes = size === 1 ? 16 : 8;
    const boxBytes = size === 1 ? Number(window.readBigUInt64BE(at + 8)) : size || parentEnd - position;
    if (boxBytes < headerBytes) return undefined;
    const end = Math.min(position + boxBytes, parentEnd);
    const content = at + headerBytes;
    if (type === "ispe") {
      const [width, height] = [window.readUInt32BE(content + 4), window.readUInt32BE(content + 8)];
      if (width * height > header.width * header.height) Object.assign(header, { width, height });
    } else if (type === "irot") header.isSideways = ((window[content] ?? 0) & 1) === 1;
    else if (type === "infe") count(++itemCount);
    else if (type === "stsz" || type === "stz2") count(window.readUInt32BE(content + 8));
    else if (type === "trun") count((fragmentSampleCount += window.readUInt32BE(content + 4)));
    const childrenAt = getChildrenOffset(type, window[content]);
    if (childrenAt === undefined || ends.length > maxDepth) return end - position;
    ends.push(end);
    return Math.min(headerBytes + childrenAt, end - position);
  };
  return { header, visit };
}

/** A later version of `iinf` has a count of four bytes instead of two. */
function getChildrenOffset(type: string, version: number | undefined): number | undefined {
  const offset = containers.get(type);
  return offset !== undefined && type === "iinf" && version !== 0 ? offset + 2 : offset;
}
