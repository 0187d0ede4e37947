import sharp, { type Sharp } from "sharp";

/** Small real files of many formats, and malformed ones. */

export const jpeg = (width = 64, height = 48): Promise<Buffer> => createImage(width, height).jpeg().toBuffer();
export const png = (width = 64, height = 48): Promise<Buffer> => createImage(width, height).png().toBuffer();
export const webp = (width = 64, height = 48): Promise<Buffer> => createImage(width, height).webp().toBuffer();
export const gif = (width = 64, height = 48): Promise<Buffer> => createImage(width, height).gif().toBuffer();
export const avif = (width = 64, height = 48): Promise<Buffer> =>
  createImage(width, height).avif({ effort: 0 }).toBuffer();

/** An image with EXIF orientation 6 and GPS coordinates. */
export function rotatedJpeg(): Promise<Buffer> {
  return createImage(80, 40)
    .jpeg()
    .withExif({ IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 3230/100" } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
}

function createImage(width: number, height: number): Sharp {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 80, b: 40 } } });
}

/** Changes the size in the header of a JPEG. */
export function stateJpegSize(file: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(file);
  const progressiveHeader = file.indexOf(Buffer.from([0xff, 0xc2]));
  const at = progressiveHeader >= 0 ? progressiveHeader : file.indexOf(Buffer.from([0xff, 0xc0]));
  changed.writeUInt16BE(height, at + 5);
  changed.writeUInt16BE(width, at + 7);
  return changed;
}

/** The pixels of an image that hardly compresses. */
export async function createNoise(
  width: number,
  height: number,
): Promise<{ data: Buffer; info: { width: number; height: number; channels: 3 } }> {
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
  const image = sharp({ create: { width, height, channels: 3, noise, background: "#888" } });
  return { data: await image.raw().toBuffer(), info: { width, height, channels: 3 } };
}

export const encodeBox = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
};

export const encodeBrand = (major: string, ...compatible: string[]): Buffer =>
  encodeBox("ftyp", Buffer.from(`${major}\0\0\0\0${compatible.join("")}`, "latin1"));

export const encodeUint32s = (...values: number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => buffer.writeUInt32BE(value >>> 0, i * 4));
  return buffer;
};

const identityMatrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

interface TrackOptions {
  handler?: "vide" | "soun";
  isEnabled?: boolean;
  width?: number;
  height?: number;
  matrix?: number[] | undefined;
  /** Bytes of padding in its sample tables. */
  tableBytes?: number;
}

export interface MovieOptions {
  brand?: string;
  /** Uses version 1 headers, with 64-bit times. */
  has64BitTimes?: boolean;
  timescale?: number;
  duration?: number;
  matrix?: number[] | undefined;
  tracks?: TrackOptions[];
  /** Makes the movie fragmented, with this duration in `mehd`; 0 omits `mehd`. */
  fragmentsDuration?: number;
  edit?: { duration: number; mediaTime: number };
  /** Omits `ftyp` and `mdat`. */
  isMoovOnly?: boolean;
}

/** An MP4 with one empty video track of 640 × 360 and 2.5 s. It has metadata but is not playable. */
export const mp4 = (brand = "isom"): Buffer => movie({ brand });

export function movie(options: MovieOptions = {}): Buffer {
  const { brand: major = "isom", has64BitTimes = false, timescale = 1000, duration = 2500, tracks = [{}] } = options;
  const { matrix = identityMatrix, fragmentsDuration, edit } = options;
  const version = has64BitTimes ? 0x1000000 : 0;
  const times = (...values: number[]): number[] => (has64BitTimes ? values.flatMap((value) => [0, value]) : values);
  const mvhd = encodeBox(
    "mvhd",
    encodeUint32s(version, ...times(0, 0), timescale, ...times(duration), 0x10000, 0x1000000, 0, 0),
    encodeUint32s(...matrix),
    encodeUint32s(0, 0, 0, 0, 0, 0, 2),
  );
  const encodeTrack = (track: TrackOptions, i: number): Buffer => {
    const { handler = "vide", isEnabled = true, width = 640, height = 360, tableBytes = 0 } = track;
    const tkhd = encodeBox(
      "tkhd",
      encodeUint32s(version + (isEnabled ? 7 : 6), ...times(0, 0), i + 1, 0, ...times(duration), 0, 0, 0, 0),
      encodeUint32s(...(track.matrix ?? identityMatrix), Math.round(width * 0x10000), Math.round(height * 0x10000)),
    );
    const edts = edit
      ? [encodeBox("edts", encodeBox("elst", encodeUint32s(0, 1, edit.duration, edit.mediaTime, 0x10000)))]
      : [];
    const mdhd = encodeBox("mdhd", encodeUint32s(version, ...times(0, 0), 1000, ...times(2500), 0x55c40000));
    const hdlr = encodeBox(
      "hdlr",
      encodeUint32s(0, 0),
      Buffer.from(handler, "latin1"),
      encodeUint32s(0, 0, 0),
      Buffer.from([0]),
    );
    const dinf = encodeBox("dinf", encodeBox("dref", encodeUint32s(0, 1), encodeBox("url ", encodeUint32s(1))));
    const table = tableBytes > 0 ? [encodeBox("free", Buffer.alloc(tableBytes))] : [];
    const minf = encodeBox(
      "minf",
      encodeBox("vmhd", encodeUint32s(1, 0, 0)),
      dinf,
      encodeBox("stbl", ...encodeSampleTables(width, height), ...table),
    );
    return encodeBox("trak", tkhd, ...edts, encodeBox("mdia", mdhd, hdlr, minf));
  };
  const mehd = fragmentsDuration ? [encodeBox("mehd", encodeUint32s(0, fragmentsDuration))] : [];
  const mvex =
    fragmentsDuration === undefined
      ? []
      : [encodeBox("mvex", ...mehd, encodeBox("trex", encodeUint32s(0, 1, 1, 0, 0, 0)))];
  const moov = encodeBox("moov", mvhd, ...tracks.map(encodeTrack), ...mvex);
  return options.isMoovOnly
    ? moov
    : Buffer.concat([encodeBrand(major, major, "avc1"), moov, encodeBox("mdat", Buffer.alloc(64))]);
}

function encodeSampleTables(width: number, height: number): Buffer[] {
  const avcC = encodeBox("avcC", Buffer.from([1, 66, 0, 30, 0xff, 0xe1, 0, 4, 0x67, 66, 0, 30, 1, 0, 2, 0x68, 0xce]));
  const avc1 = Buffer.alloc(78);
  avc1.writeUInt16BE(1, 6);
  avc1.writeUInt16BE(width, 24);
  avc1.writeUInt16BE(height, 26);
  avc1.writeUInt16BE(1, 40);
  avc1.writeUInt16BE(24, 74);
  return [
    encodeBox("stsd", encodeUint32s(0, 1), encodeBox("avc1", avc1, avcC)),
    encodeBox("stts", encodeUint32s(0, 1, 25, 100)),
    encodeBox("stsc", encodeUint32s(0, 1, 1, 25, 1)),
    encodeBox("stsz", encodeUint32s(0, 1, 25)),
    encodeBox("stco", encodeUint32s(0, 1, 40)),
  ];
}

export const heic = (width = 400, height = 300): Buffer => {
  const ispe = encodeBox("ispe", encodeUint32s(0, width, height));
  const meta = encodeBox("meta", encodeUint32s(0), encodeBox("iprp", encodeBox("ipco", ispe)));
  return Buffer.concat([encodeBrand("heic", "mif1", "heic"), meta]);
};

export const webm = (docType = "webm"): Buffer =>
  Buffer.concat([
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 | (docType.length + 3), 0x42, 0x82, 0x80 | docType.length]),
    Buffer.from(docType, "latin1"),
    Buffer.from([0x18, 0x53, 0x80, 0x67, 0x80]),
  ]);

export const mpeg = Buffer.concat([Buffer.from([0, 0, 1, 0xba, 0x44, 0, 4, 0, 4, 1]), Buffer.alloc(100)]);
export const pdf = Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n", "latin1");

/** A ZIP of uncompressed files. */
export function zip(files: Record<string, string>): Buffer {
  const localEntries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50);
    head.writeUInt16LE(20, 4);
    head.writeUInt32LE(content.length, 18);
    head.writeUInt32LE(content.length, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    localEntries.push(head, Buffer.from(name), Buffer.from(content));
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + content.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...localEntries, directoryBytes, end]);
}

export const office = (folder: "word" | "ppt" | "xl", extraFiles: Record<string, string> = {}): Buffer =>
  zip({ "[Content_Types].xml": "<Types/>", "_rels/.rels": "<x/>", [`${folder}/document.xml`]: "<x/>", ...extraFiles });

export const openDocument = (type: string): Buffer => zip({ mimetype: type, "content.xml": "<x/>" });

/** An OLE compound file whose directory lists these streams. */
export function compoundFile(...streams: string[]): Buffer {
  const file = Buffer.alloc(512 * 4, 0);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(file);
  file.writeUInt16LE(3, 26);
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48); // the directory starts at sector 1
  file.fill(0xff, 76, 512);
  file.writeUInt32LE(0, 76); // the allocation table is sector 0
  file.fill(0xff, 512, 1024);
  file.writeUInt32LE(0xffff_fffd, 512);
  file.writeUInt32LE(0xffff_fffe, 516);
  ["Root Entry", ...streams].forEach((name, i) => {
    file.write(name, 1024 + i * 128, "utf16le");
    file.writeUInt16LE((name.length + 1) * 2, 1024 + i * 128 + 64);
  });
  return file;
}

/** A PNG that declares this size and contains no pixels. */
export function hugePng(width: number, height: number): Buffer {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  return Buffer.concat([
    head,
    encodeUint32s(width, height),
    Buffer.from([1, 0, 0, 0, 0]),
    encodeUint32s(0),
    Buffer.from("0000000049444154", "hex"),
    encodeUint32s(0),
  ]);
}

/** A GIF with this many frames of one pixel. */
export function manyFrameGif(frameCount: number): Buffer {
  const head = Buffer.from("47494638396101000100800000000000ffffff", "hex");
  const frame = Buffer.from("2c00000000010001000002014400", "hex");
  return Buffer.concat([head, ...Array.from({ length: frameCount }, () => frame), Buffer.from([0x3b])]);
}
