import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { heic, mp4 } from "./samples.ts";

/** A file of the corpus that is converted, and published to real servers. */
export interface CorpusFile {
  name: string;
  mimeType: string;
  bytes: Buffer;
  /** The dimensions of the upright image. */
  dimensions: { width: number; height: number };
  /** What a viewer shows, as a small upright image in sRGB. */
  pixels: RawImage;
  frameCount: number;
  /** How much a color may differ from these pixels. */
  tolerance: number;
  /** The reason, if the file must be rejected instead of published. */
  rejection?: string;
}

export interface RawImage {
  data: Buffer;
  info: { width: number; height: number; channels: 3 | 4 };
}

type Color = readonly number[];

/** One color per quadrant, so that a wrong orientation or color space shows. */
const quadrants: readonly Color[] = [
  [200, 80, 40],
  [60, 140, 80],
  [60, 90, 170],
  [220, 200, 90],
];
const greyQuadrants = [50, 100, 150, 200].map((value) => [value, value, value]);
const blackAndWhite = [0, 255, 255, 0].map((value) => [value, value, value]);

/** Marks data that must not be published: no published file may contain this word. */
const secret = "SECRET";
const location = { IFD0: { ImageDescription: secret }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" } };
const exportAsJpeg = "can’t be converted; export it as JPEG";
const unreadable = "can’t be opened; export it as JPEG";
const tooLarge = "is too large to be converted; export it with fewer pixels";

function paint(width = 60, height = 40, colors = quadrants, alpha?: number): RawImage {
  const channels = alpha === undefined ? 3 : 4;
  const data = Buffer.alloc(width * height * channels);
  for (let at = 0, y = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += channels) {
      const [r = 0, g = 0, b = 0] = colors[(y * 2 >= height ? 2 : 0) + (x * 2 >= width ? 1 : 0)] ?? [];
      data[at] = r;
      data[at + 1] = g;
      data[at + 2] = b;
      if (alpha !== undefined) data[at + 3] = alpha;
    }
  return { data, info: { width, height, channels } };
}

/** Adds noise around the color of the image. The noise is the same in every run. */
function addNoise({ data, info }: RawImage, amplitude: number): RawImage {
  const noisy = Buffer.alloc(data.length);
  for (let at = 0, state = 1; at < data.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noisy[at] = (data[at] ?? 0) + (((state >>> 16) * amplitude * 2) >>> 16) - amplitude;
  }
  return { data: noisy, info };
}

/** Rotates and mirrors an upright image into the layout that this orientation stores (EXIF 2.32 §4.6.5, tag 274). */
function turn({ data, info: { width, height, channels } }: RawImage, orientation: number): RawImage {
  const isSideways = orientation >= 5;
  const info = { width: isSideways ? height : width, height: isSideways ? width : height, channels };
  const isMirroredX = [2, 3, 6, 7].includes(orientation);
  const isMirroredY = [3, 4, 7, 8].includes(orientation);
  const turned = Buffer.alloc(data.length);
  for (let y = 0; y < info.height; y++)
    for (let x = 0; x < info.width; x++) {
      const [column, row] = isSideways ? [y, x] : [x, y];
      const from =
        ((isMirroredY ? height - 1 - row : row) * width + (isMirroredX ? width - 1 - column : column)) * channels;
      data.copy(turned, (y * info.width + x) * channels, from, from + channels);
    }
  return { data: turned, info };
}

const open = ({ data, info }: RawImage): Sharp => sharp(data, { raw: info });

const encoders = {
  "image/jpeg": (image: Sharp) => image.jpeg({ quality: 95 }),
  "image/png": (image: Sharp) => image.png(),
  "image/webp": (image: Sharp) => image.webp({ quality: 95 }),
  "image/avif": (image: Sharp) => image.avif({ quality: 90, effort: 0 }),
  "image/gif": (image: Sharp) => image.gif(),
};

/** 60 files that platforms process incorrectly, or each in its own way; 56 without the large ones. */
export async function createImageCorpus({ hasLargeFiles = true } = {}): Promise<CorpusFile[]> {
  const files: CorpusFile[] = [];
  const add = async (
    name: string,
    mimeType: string,
    image: Sharp | Buffer,
    { pixels = paint(), dimensions = pixels.info, tolerance = 12, ...more }: Partial<CorpusFile> = {},
  ): Promise<void> => {
    const bytes = Buffer.isBuffer(image) ? image : await image.toBuffer();
    const { width, height } = dimensions;
    files.push({ name, mimeType, bytes, dimensions: { width, height }, pixels, tolerance, frameCount: 1, ...more });
  };
  await addJpegs(add);
  await addPngs(add);
  await addOtherTypes(add);
  await addAnimations(add);
  await addSizes(add);
  if (hasLargeFiles) await addLargeFiles(add);
  await addRejectedFiles(add, hasLargeFiles);
  return files;
}

type Add = (name: string, mimeType: string, image: Sharp | Buffer, more?: Partial<CorpusFile>) => Promise<void>;

async function addJpegs(add: Add): Promise<void> {
  const jpeg = (pixels = paint()): Sharp => encoders["image/jpeg"](open(pixels));
  const plain = await jpeg().toBuffer();
  const insert = (segment: Buffer): Buffer => Buffer.concat([plain.subarray(0, 2), segment, plain.subarray(2)]);
  for (let orientation = 1; orientation <= 8; orientation++)
    await add(
      `JPEG, EXIF orientation ${orientation}`,
      "image/jpeg",
      jpeg(turn(paint(), orientation)).withMetadata({ orientation }),
    );
  await add("JPEG", "image/jpeg", plain);
  await add("JPEG with a GPS position", "image/jpeg", jpeg().withExif(location));
  await add("JPEG with XMP", "image/jpeg", jpeg().withXmp(`<x:xmpmeta xmlns:x='adobe:ns:meta/'>${secret}</x:xmpmeta>`));
  await add("JPEG with a comment", "image/jpeg", insert(encodeJpegSegment(0xfe, secret)));
  await add(
    "JPEG with Photoshop data (IPTC)",
    "image/jpeg",
    insert(encodeJpegSegment(0xed, `Photoshop 3.0\0${secret}`)),
  );
  await add("JPEG with fill bytes", "image/jpeg", insert(Buffer.from([0xff, 0xff])));
  await add("JPEG with data after its end", "image/jpeg", Buffer.concat([plain, Buffer.from(secret.repeat(50))]));
  await add("JPEG with a video after its end (motion photo)", "image/jpeg", Buffer.concat([plain, mp4()]));
  await add("JPEG, progressive", "image/jpeg", open(paint()).jpeg({ progressive: true, quality: 95 }));
  await add("JPEG, CMYK", "image/jpeg", jpeg().toColourspace("cmyk").keepIccProfile(), { tolerance: 40 });
  const greyPixels = paint(60, 40, greyQuadrants);
  await add("JPEG, grey", "image/jpeg", jpeg(greyPixels).toColourspace("b-w"), { pixels: greyPixels });
  await add("JPEG, sRGB profile", "image/jpeg", jpeg().withIccProfile("srgb"));
  await add("JPEG, Display P3 profile", "image/jpeg", jpeg().withIccProfile("p3"));
  await add(
    "JPEG, Display P3 profile, EXIF orientation 6 and a GPS position",
    "image/jpeg",
    jpeg(turn(paint(), 6)).withIccProfile("p3").withExif(location).withMetadata({ orientation: 6, icc: "p3" }),
  );
}

async function addPngs(add: Add): Promise<void> {
  const png = (pixels = paint()): Sharp => open(pixels).png();
  const grey = paint(60, 40, greyQuadrants);
  const translucent = paint(60, 40, quadrants, 128);
  await add("PNG", "image/png", png());
  await add("PNG, 16 bits", "image/png", png().toColourspace("rgb16"));
  await add("PNG, 16 bits, grey", "image/png", png(grey).toColourspace("grey16"), { pixels: grey });
  await add("PNG, 16 bits, translucent", "image/png", png(translucent).toColourspace("rgb16"), {
    pixels: translucent,
  });
  await add("PNG, palette", "image/png", open(paint()).png({ palette: true, dither: 0 }));
  const black = paint(60, 40, blackAndWhite);
  await add("PNG, 1 bit", "image/png", open(black).png({ palette: true, colours: 2, dither: 0 }), { pixels: black });
  await add("PNG, interlaced", "image/png", open(paint()).png({ progressive: true }));
  await add("PNG, Display P3 profile", "image/png", png().withIccProfile("p3"));
  await add("PNG with a GPS position", "image/png", png().withExif(location));
  await add("PNG, EXIF orientation 6", "image/png", png(turn(paint(), 6)).withMetadata({ orientation: 6 }));
  const [signatureAndHeader, rest] = splitAt(await png().toBuffer(), 33);
  const text = encodePngChunk("tEXt", Buffer.from(`Author\0${secret}`));
  await add("PNG with text", "image/png", Buffer.concat([signatureAndHeader, text, rest]));
  await add("PNG, translucent", "image/png", png(translucent), { pixels: translucent });
}

async function addOtherTypes(add: Add): Promise<void> {
  const translucent = paint(60, 40, quadrants, 128);
  const names = { "image/webp": "WebP", "image/avif": "AVIF" } as const;
  for (const [mimeType, name] of Object.entries(names) as [keyof typeof names, string][]) {
    const encode = encoders[mimeType];
    await add(name, mimeType, encode(open(paint())));
    await add(`${name}, translucent`, mimeType, encode(open(translucent)), { pixels: translucent });
    await add(`${name} with a GPS position`, mimeType, encode(open(paint())).withExif(location));
  }
  await add("WebP, Display P3 profile", "image/webp", open(paint()).webp({ lossless: true }).withIccProfile("p3"));
  await add(
    "WebP, EXIF orientation 8",
    "image/webp",
    encoders["image/webp"](open(turn(paint(), 8))).withMetadata({ orientation: 8 }),
  );
  await add("AVIF, 10 bits", "image/avif", open(paint()).avif({ quality: 90, effort: 0, bitdepth: 10 }));
  await add("GIF", "image/gif", open(paint()).gif());
  const transparentImage = paint(60, 40, quadrants, 0);
  await add("GIF, fully transparent", "image/gif", open(transparentImage).gif(), { pixels: transparentImage });
}

async function addAnimations(add: Add): Promise<void> {
  const expectedFrames = [paint(), paint(60, 40, greyQuadrants), paint(60, 40, blackAndWhite)];
  const frames = await Promise.all(expectedFrames.map((pixels) => open(pixels).png().toBuffer()));
  const more = { frameCount: frames.length };
  const animate = (): Sharp => sharp(frames, { join: { animated: true } });
  const animatedGif = await animate()
    .gif({ delay: [100, 100, 100] })
    .toBuffer();
  await add("GIF, animated", "image/gif", animatedGif, more);
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, secret.length]), Buffer.from(`${secret}\0`)]);
  const [frameBytes, trailer] = splitAt(animatedGif, animatedGif.length - 1);
  await add("GIF, animated, with a comment", "image/gif", Buffer.concat([frameBytes, comment, trailer]), more);
  await add("WebP, animated", "image/webp", animate().webp({ delay: [100, 100, 100], quality: 95 }), more);
  await add("PNG, animated", "image/png", encodeApng(frames), more);
}

async function addSizes(add: Add): Promise<void> {
  const addSize = (name: string, mimeType: keyof typeof encoders, width: number, height: number): Promise<void> => {
    const pixels = paint(width, height);
    return add(name, mimeType, encoders[mimeType](open(pixels)), { pixels });
  };
  await addSize("JPEG, 1 × 8000", "image/jpeg", 1, 8000);
  await addSize("JPEG, 10000 × 1", "image/jpeg", 10_000, 1);
  await addSize("PNG, 1 × 1", "image/png", 1, 1);
  await addSize("PNG, 20000 × 1", "image/png", 20_000, 1);
}

async function addLargeFiles(add: Add): Promise<void> {
  const wide = { width: 7000, height: 5000 };
  const enlarged = open(paint(70, 50)).resize({ ...wide, kernel: "nearest" });
  await add("JPEG, 7000 × 5000", "image/jpeg", enlarged.jpeg(), { dimensions: wide });
  const [large, photo] = [addNoise(paint(4200, 4000), 35), addNoise(paint(3000, 2000), 20)];
  const largePng = await open(large).png({ compressionLevel: 0 }).toBuffer();
  await add("PNG, 4200 × 4000, 50 MB", "image/png", largePng, { pixels: paint(), dimensions: large.info });
  const photoJpeg = await open(photo).jpeg({ quality: 97 }).toBuffer();
  await add("JPEG, 3000 × 2000, 4 MB", "image/jpeg", photoJpeg, { pixels: paint(), dimensions: photo.info });
}

export async function createCorpusJpeg(width: number, height: number): Promise<CorpusFile> {
  // One color, because a JPEG stores colors in blocks that are larger than some of these images.
  const pixels = paint(
    width,
    height,
    [0, 1, 2, 3].map(() => [200, 80, 40]),
  );
  const bytes = await encoders["image/jpeg"](open(pixels)).toBuffer();
  const name = `JPEG, ${width} × ${height}`;
  return { name, mimeType: "image/jpeg", bytes, dimensions: { width, height }, pixels, frameCount: 1, tolerance: 12 };
}

async function addRejectedFiles(add: Add, hasLargeFiles: boolean): Promise<void> {
  const noise = open(addNoise(paint(300, 200), 30));
  const [jpeg, png] = [await noise.clone().jpeg().toBuffer(), await noise.clone().png().toBuffer()];
  await add("HEIC", "image/heic", heic(), { rejection: exportAsJpeg });
  await add("JPEG that ends early", "image/jpeg", jpeg.subarray(0, jpeg.length / 2), { rejection: unreadable });
  if (hasLargeFiles) {
    const huge = sharp({ create: { width: 7000, height: 6000, channels: 3, background: "#c85028" } });
    await add("JPEG, progressive, 7000 × 6000", "image/jpeg", huge.jpeg({ progressive: true }), {
      rejection: tooLarge,
    });
  }
  await add("PNG that ends early", "image/png", png.subarray(0, png.length / 2), { rejection: unreadable });
}

const measuredSide = 64;

/** The mean color of each corner, on a white background: red, green and blue of the first, then of the others. */
async function measureCorners(image: Sharp): Promise<number[]> {
  const pixels = await image
    .flatten({ background: "#fff" })
    .toColourspace("srgb")
    .resize({ width: measuredSide, height: measuredSide, fit: "fill", kernel: "linear" })
    .raw()
    .toBuffer({ resolveWithObject: true });
  assert.equal(pixels.info.channels, 3);
  const cornerSide = measuredSide / 4;
  return [0, measuredSide - cornerSide].flatMap((top) =>
    [0, measuredSide - cornerSide].flatMap((left) =>
      [0, 1, 2].map((channel) => {
        let sum = 0;
        for (let y = top; y < top + cornerSide; y++)
          for (let x = left; x < left + cornerSide; x++) sum += pixels.data[(y * measuredSide + x) * 3 + channel] ?? 0;
        return Math.round(sum / cornerSide ** 2);
      }),
    ),
  );
}

/** Asserts that a converted image is upright and has the colors of the file. */
export async function assertLooksAlike({ pixels, tolerance }: CorpusFile, bytes: Buffer, note: string): Promise<void> {
  const expected = await measureCorners(open(pixels));
  const actual = await measureCorners(sharp(bytes));
  const difference = Math.max(...actual.map((value, i) => Math.abs(value - (expected[i] ?? 0))));
  assert.ok(difference <= tolerance, `${note}: ${actual.join(" ")} instead of ${expected.join(" ")}`);
}

/** Asserts that the whole file can be decoded, and contains neither metadata nor other data. */
export async function assertClean(bytes: Buffer, note: string): Promise<void> {
  const { exif, xmp, iptc, comments, orientation = 1, depth } = await sharp(bytes).metadata();
  assert.deepEqual([exif ?? xmp ?? iptc ?? comments, orientation, depth], [undefined, 1, "uchar"], note);
  assert.ok(!bytes.includes(secret) && !bytes.includes("GPSLatitude") && !bytes.includes("ftypisom"), note);
  await sharp(bytes, { failOn: "warning", animated: true }).raw().toBuffer();
}

const splitAt = (file: Buffer, offset: number): [Buffer, Buffer] => [file.subarray(0, offset), file.subarray(offset)];

function encodeJpegSegment(marker: number, content: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, Buffer.from(content, "latin1")]);
}

export function encodePngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** An animated PNG of frames with the same size, each a PNG with one IDAT chunk (PNG, third edition, §4.8). */
function encodeApng(frames: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = frames;
  const [width, height] = [first.readUInt32BE(16), first.readUInt32BE(20)];
  const control = Buffer.alloc(8);
  control.writeUInt32BE(frames.length);
  let sequence = 0;
  const chunks = frames.flatMap((frame, i) => {
    const start = frame.indexOf("IDAT");
    const pixels = frame.subarray(start + 4, start + 4 + frame.readUInt32BE(start - 4));
    const frameControl = Buffer.alloc(26);
    [sequence++, width, height].forEach((value, field) => frameControl.writeUInt32BE(value, field * 4));
    frameControl.writeUInt16BE(100, 20);
    frameControl.writeUInt16BE(1000, 22);
    const controlChunk = encodePngChunk("fcTL", frameControl);
    if (i === 0) return [controlChunk, encodePngChunk("IDAT", pixels)];
    const prefix = Buffer.alloc(4);
    prefix.writeUInt32BE(sequence++);
    return [controlChunk, encodePngChunk("fdAT", Buffer.concat([prefix, pixels]))];
  });
  const header = first.subarray(0, 33);
  return Buffer.concat([header, encodePngChunk("acTL", control), ...chunks, encodePngChunk("IEND", Buffer.alloc(0))]);
}
