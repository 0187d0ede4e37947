import { mimeTypeOf, muxVideo, type MuxedFormat } from "./muxed-videos.ts";
import { encodeBox, mp4, mpeg } from "./samples.ts";

/** A video that tries to crash, stall or exhaust a parser. Every run creates the same videos. */
export interface HostileVideo {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

const fromHex = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

/** Files that crashed or stalled the service while it parsed whole sample tables with mediabunny 1.61. */
export function createKnownAttacks(): HostileVideo[] {
  const stz2 = mp4();
  const table = stz2.indexOf("stsz");
  stz2.write("stz2", table, "latin1");
  stz2.writeUInt32BE(0, table + 8); // field size 0: the samples take no bytes
  stz2.writeUInt32BE(0xffff_ffff, table + 12); // 2³²−1 samples
  const keyIds = Buffer.alloc(24);
  keyIds[0] = 1; // version 1 has a count of key ids
  keyIds.writeUInt32BE(0xffff_ffff, 20);
  const ebml = "1a45dfa3 87 4282 84 7765626d";
  return [
    { name: "stz2 of 2³²−1 empty samples", mimeType: "video/mp4", bytes: stz2 },
    { name: "pssh of 2³²−1 key ids", mimeType: "video/mp4", bytes: insertIntoMovie(mp4(), encodeBox("pssh", keyIds)) },
    {
      name: "a segment of junk where a search for the next element never ends",
      mimeType: "video/webm",
      bytes: fromHex(`${ebml} 18538067 ff ${"1f8b08000000000000".repeat(4)} 03cbff`),
    },
    {
      name: "a segment that ends eight bytes into junk",
      mimeType: "video/webm",
      bytes: fromHex(`${ebml} 18538067 ff 1f8b0800000000000003cb48cdc9c9070086a6103605000000`),
    },
  ];
}

/** Inserts a box at the start of the movie box. */
function insertIntoMovie(file: Buffer, newBox: Buffer): Buffer {
  const moov = file.indexOf("moov") - 4;
  const result = Buffer.concat([file.subarray(0, moov + 8), newBox, file.subarray(moov + 8)]);
  result.writeUInt32BE(file.readUInt32BE(moov) + newBox.length, moov);
  return result;
}

/** Creates the known attacks, and more than 1,500 mutations of valid files of every accepted video type. */
export async function createMutatedVideos(): Promise<HostileVideo[]> {
  const formats: MuxedFormat[] = ["mp4", "mp4, moov last", "mp4, fragmented", "mov", "webm", "webm, live"];
  const options = { seconds: 0.5, frameRate: 4 };
  const muxed = formats.map(async (format) => ({
    name: format,
    mimeType: mimeTypeOf(format),
    bytes: await muxVideo(format, options),
  }));
  const seeds = [
    ...(await Promise.all(muxed)),
    { name: "m4v", mimeType: "video/x-m4v", bytes: mp4("M4V ") },
    { name: "mpeg", mimeType: "video/mpeg", bytes: mpeg },
  ];
  return [
    ...createKnownAttacks(),
    ...createNestedContainers(),
    ...seeds.flatMap((seed) => [
      ...truncate(seed),
      ...(seed.mimeType === "video/webm" ? mutateElements(seed) : mutateBoxes(seed)),
      ...mutateRandomly(seed),
    ]),
  ];
}

const toMutation = ({ name, mimeType }: HostileVideo, change: string, bytes: Buffer): HostileVideo => ({
  name: `${name}: ${change}`,
  mimeType,
  bytes,
});

/** Cuts the file at 40 evenly spaced positions. */
function truncate(seed: HostileVideo): HostileVideo[] {
  const lengths = Array.from({ length: 40 }, (_, i) => 1 + Math.floor((i * (seed.bytes.length - 1)) / 40));
  return [...new Set(lengths)].map((length) =>
    toMutation(seed, `cut to ${length} bytes`, Buffer.from(seed.bytes.subarray(0, length))),
  );
}

const boxTypePattern = /[a-z][a-z0-9]{2}[a-z0-9 ]/;

/** Changes the size of each box to zero, too small, off by one, huge or 64-bit; then its first fields and its type. */
function mutateBoxes(seed: HostileVideo): HostileVideo[] {
  const mutations: HostileVideo[] = [];
  for (let typeOffset = 4; typeOffset + 4 <= seed.bytes.length; typeOffset++) {
    const type = seed.bytes.toString("latin1", typeOffset, typeOffset + 4);
    if (!boxTypePattern.test(type)) continue;
    const size = seed.bytes.readUInt32BE(typeOffset - 4);
    if (size > seed.bytes.length) continue;
    const set = (value: number, offset: number, change: string): void => {
      const bytes = Buffer.from(seed.bytes);
      if (typeOffset + offset + 4 > bytes.length) return;
      bytes.writeUInt32BE(value >>> 0, typeOffset + offset);
      mutations.push(toMutation(seed, `${type} at ${typeOffset}: ${change}`, bytes));
    };
    for (const value of [0, 2, 7, 8, size - 1, size + 1, 0x7fff_ffff, 0xffff_ffff]) set(value, -4, `size ${value}`);
    for (const [high, low] of [
      [0, 0],
      [0, size],
      [0xffff_ffff, 0xffff_ffff],
    ] as const) {
      const bytes = Buffer.from(seed.bytes);
      if (typeOffset + 12 > bytes.length) continue;
      bytes.writeUInt32BE(1, typeOffset - 4);
      bytes.writeUInt32BE(high, typeOffset + 4);
      bytes.writeUInt32BE(low, typeOffset + 8);
      mutations.push(toMutation(seed, `${type} at ${typeOffset}: 64-bit size ${high}:${low}`, bytes));
    }
    for (const offset of [4, 8, 12, 16]) set(0xffff_ffff, offset, `all bits set at ${offset}`);
    for (const other of ["moov", "trak", "mdia", "mvex"]) {
      const bytes = Buffer.from(seed.bytes);
      bytes.write(other, typeOffset, "latin1");
      mutations.push(toMutation(seed, `${type} at ${typeOffset} becomes ${other}`, bytes));
    }
  }
  return mutations;
}

const elementIds = "18538067 1549a966 1654ae6b 114d9b74 1f43b675 2ad7b1 4489 ae 83 e0 b0 ba 54b0 54ba 7670 7675 ec";

/** Changes the size of the first element with each id to zero, unknown, huge or different from its content. */
function mutateElements(seed: HostileVideo): HostileVideo[] {
  return elementIds.split(" ").flatMap((hex) => {
    const id = Buffer.from(hex, "hex");
    const idOffset = seed.bytes.indexOf(id);
    if (idOffset < 0) return [];
    const sizes = ["00", "80", "81", "88", "89", "fe", "ff", "407f", "01ffffffffffffff", "01fffffffffffffe"];
    return sizes.map((size) => {
      const bytes = [
        seed.bytes.subarray(0, idOffset),
        id,
        Buffer.from(size, "hex"),
        seed.bytes.subarray(idOffset + id.length + 1),
      ];
      return toMutation(seed, `element ${hex} of size ${size}`, Buffer.concat(bytes));
    });
  });
}

/** Changes and repeats bytes at pseudorandom positions. */
function mutateRandomly(seed: HostileVideo): HostileVideo[] {
  let state = 1;
  const randomBelow = (limit: number): number => {
    state = (state * 48_271) % 0x7fff_ffff; // Lehmer generator: the same sequence on every run
    return state % limit;
  };
  return Array.from({ length: 60 }, (_, i) => {
    const bytes = Buffer.from(seed.bytes);
    for (let change = 0; change <= i % 6; change++)
      bytes[randomBelow(bytes.length)] = [0, 1, 0x7f, 0x80, 0xff][randomBelow(5)] ?? 0;
    const [from, length] = [randomBelow(bytes.length), randomBelow(200)];
    const mutatedBytes = i % 3 === 0 ? Buffer.concat([bytes.subarray(0, from + length), bytes.subarray(from)]) : bytes;
    return toMutation(seed, `random change ${i}`, mutatedBytes);
  });
}

/** Creates containers nested deeper than the call stack allows, and containers with many children. */
export const createNestedContainers = (): HostileVideo[] => [...createNestedBoxes(), ...createNestedElements()];

function createNestedBoxes(): HostileVideo[] {
  const ftyp = encodeBox("ftyp", Buffer.from("isom\0\0\0\0isom", "latin1"));
  const shapes: Record<string, Buffer> = {
    "a hundred thousand empty tracks": encodeBox("moov", ...Array.from({ length: 100_000 }, () => encodeBox("trak"))),
    "a hundred thousand boxes before the movie box": Buffer.concat([
      ...Array.from({ length: 100_000 }, () => encodeBox("free")),
      encodeBox("moov"),
    ]),
  };
  for (const types of [["moov"], ["moov", "trak"], ["trak", "mdia"], ["mvex"], ["meta", "ilst"]]) {
    const depth = 20_000;
    const bytes = Buffer.alloc(depth * 8);
    for (let i = 0; i < depth; i++) {
      bytes.writeUInt32BE((depth - i) * 8, i * 8);
      bytes.write(types[i % types.length] ?? "moov", i * 8 + 4, "latin1");
    }
    shapes[`${types.join(" in ")}, 20,000 deep`] = bytes;
  }
  return Object.entries(shapes).map(([name, bytes]) => ({
    name,
    mimeType: "video/mp4",
    bytes: Buffer.concat([ftyp, bytes]),
  }));
}

function createNestedElements(): HostileVideo[] {
  const ebml = fromHex("1a45dfa3 87 4282 84 7765626d");
  const shapes: Record<string, Buffer> = {
    "nested segments of unknown size": Buffer.concat(Array.from({ length: 20_000 }, () => fromHex("18538067 ff"))),
    "nested track entries of unknown size": Buffer.concat([
      fromHex("18538067 ff 1654ae6b ff"),
      ...Array.from({ length: 100_000 }, () => fromHex("ae ff")),
    ]),
    "a hundred thousand empty tracks": Buffer.concat([
      fromHex("18538067 ff 1654ae6b ff"),
      ...Array.from({ length: 100_000 }, () => fromHex("ae 80")),
    ]),
    "a hundred thousand void elements": Buffer.concat([
      fromHex("18538067 ff"),
      ...Array.from({ length: 100_000 }, () => fromHex("ec 80")),
    ]),
    "values out of range for the database columns": fromHex(
      "18538067 ff 1549a966 8f 2ad7b1 84 ffffffff 4489 84 7f7fffff 1654ae6b a5 ae a3 d7 81 01 83 81 01 86 85 565f565038 e0 94 b0 88 00000000ffffffff ba 88 00000000ffffffff",
    ),
    "a duration that is not a number": fromHex("18538067 ff 1549a966 87 4489 84 7fc00000"),
  };
  return Object.entries(shapes).map(([name, bytes]) => ({
    name: `webm: ${name}`,
    mimeType: "video/webm",
    bytes: Buffer.concat([ebml, bytes]),
  }));
}
