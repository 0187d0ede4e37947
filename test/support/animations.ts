import { encodePngChunk } from "./image-corpus.ts";
import { encodeBox, encodeBrand, encodeUint32s, manyFrameGif, png, webp } from "./samples.ts";

/** An image file of many frames or items, after metadata of any length. */
export interface Animation {
  name: string;
  mimeType: string;
  create(frameCount: number, metadataBytes: number): Promise<Buffer>;
}

const repeat = (count: number, part: Buffer): Buffer[] => Array.from({ length: count }, () => part);

export const animations: readonly Animation[] = [
  {
    name: "GIF",
    mimeType: "image/gif",
    async create(frameCount, metadataBytes) {
      const file = manyFrameGif(frameCount);
      const subBlock = Buffer.alloc(256, 0x41);
      subBlock[0] = 255;
      const subBlocks = repeat(Math.ceil(metadataBytes / 256), subBlock);
      const comment = Buffer.concat([Buffer.from([0x21, 0xfe]), ...subBlocks, Buffer.alloc(1)]);
      return Buffer.concat([file.subarray(0, 19), comment, file.subarray(19)]);
    },
  },
  {
    name: "WebP",
    mimeType: "image/webp",
    async create(frameCount, metadataBytes) {
      const image = (await webp(4, 4)).subarray(12);
      const frameHeader = Buffer.alloc(16);
      frameHeader.writeUIntLE(3, 6, 3);
      frameHeader.writeUIntLE(3, 9, 3);
      const fileHeader = Buffer.from("02000000030000030000", "hex"); // animated, 4 × 4
      const body = Buffer.concat([
        Buffer.from("WEBP"),
        encodeRiffChunk("VP8X", fileHeader),
        encodeRiffChunk("ANIM", Buffer.alloc(6)),
        encodeRiffChunk("JUNK", Buffer.alloc(metadataBytes)),
        ...repeat(frameCount, encodeRiffChunk("ANMF", Buffer.concat([frameHeader, image]))),
      ]);
      return encodeRiffChunk("RIFF", body);
    },
  },
  {
    name: "APNG that states its frames",
    mimeType: "image/png",
    create: (frameCount, metadataBytes) => createApng(frameCount, metadataBytes, 0),
  },
  {
    name: "APNG that states one frame",
    mimeType: "image/png",
    create: (frameCount, metadataBytes) => createApng(1, metadataBytes, frameCount),
  },
  {
    name: "AVIF sequence",
    mimeType: "image/avif",
    create: async (frameCount, metadataBytes) =>
      createHeif("avis", metadataBytes, encodeTrack(encodeBox("stsz", encodeUint32s(0, 1, frameCount)))),
  },
  {
    name: "AVIF sequence in fragments",
    mimeType: "image/avif",
    create: async (frameCount, metadataBytes) =>
      createHeif(
        "avis",
        metadataBytes,
        ...repeat(frameCount, encodeBox("moof", encodeBox("traf", encodeBox("trun", encodeUint32s(0, 1))))),
      ),
  },
  {
    name: "HEIC with items",
    mimeType: "image/heic",
    create: async (frameCount, metadataBytes) =>
      createHeif("heic", metadataBytes, encodeBox("meta", encodeUint32s(0), encodeItems(frameCount))),
  },
];

function encodeRiffChunk(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, "latin1");
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

async function createApng(statedFrames: number, metadataBytes: number, frameControls: number): Promise<Buffer> {
  const file = await png();
  return Buffer.concat([
    file.subarray(0, 33),
    encodePngChunk("tEXt", Buffer.alloc(metadataBytes, 0x41)),
    encodePngChunk("acTL", encodeUint32s(statedFrames, 0)),
    file.subarray(33, -12),
    ...repeat(frameControls, encodePngChunk("fcTL", Buffer.alloc(26))),
    file.subarray(-12),
  ]);
}

const createHeif = (brand: string, metadataBytes: number, ...boxes: Buffer[]): Buffer =>
  Buffer.concat([encodeBrand(brand, brand, "mif1"), encodeBox("free", Buffer.alloc(metadataBytes)), ...boxes]);

const encodeTrack = (...tables: Buffer[]): Buffer =>
  encodeBox("moov", encodeBox("trak", encodeBox("mdia", encodeBox("minf", encodeBox("stbl", ...tables)))));

function encodeItems(count: number): Buffer {
  const item = encodeBox("infe", Buffer.from("020000000001000068766331", "hex"), Buffer.alloc(1));
  const header = Buffer.alloc(6);
  header.writeUInt16BE(Math.min(count, 0xffff), 4);
  return encodeBox("iinf", header, ...repeat(count, item));
}

/** An animation that passes no content check, and whose header takes libvips two minutes to read. */
export async function createSlowWebp(): Promise<Buffer> {
  const webpAnimation = animations.find(({ mimeType }) => mimeType === "image/webp");
  if (!webpAnimation) throw new Error("there is no animated WebP");
  return webpAnimation.create(100_000, 0);
}
