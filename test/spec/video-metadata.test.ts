import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import type { MediaMetadata } from "#domain/model/asset.ts";
import { type ByteSource, createBufferSource } from "#domain/ports/byte-source.ts";
import { createMediaReader } from "#media/media-reader.ts";
import { mimeTypeOf, muxedFormats, muxVideo, type MuxedFormat } from "../support/muxed-videos.ts";
import { movie, mp4, mpeg, type MovieOptions } from "../support/samples.ts";

const media = createMediaReader();
const unknownMetadata = { width: null, height: null, durationMs: null };
const read = (bytes: Buffer, mimeType = "video/mp4") => media.readVideoMetadata(createBufferSource(bytes), mimeType);

/** Reads the metadata with an independent library, which parses whole sample tables and is unsafe for untrusted files. */
async function readIndependently(bytes: Buffer): Promise<MediaMetadata> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryVideoTrack();
  const seconds = await input.getDurationFromMetadata();
  return {
    width: track ? await track.getDisplayWidth() : null,
    height: track ? await track.getDisplayHeight() : null,
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
  };
}

for (const format of muxedFormats) {
  test(`reads the same metadata of ${format} as an independent library, in every rotation (U15)`, async () => {
    for (const rotation of [0, 90, 180, 270] as const) {
      for (const options of [{ seconds: 0.5 }, { seconds: 3, hasAudio: false }, { seconds: 2, frameBytes: 9000 }]) {
        const bytes = await muxVideo(format, { width: 1280, height: 720, rotation, ...options });
        const metadata = await read(bytes, mimeTypeOf(format));
        assert.deepEqual(metadata, await readIndependently(bytes));
        const isSideways = rotation % 180 !== 0;
        assert.deepEqual([metadata.width, metadata.height], isSideways ? [720, 1280] : [1280, 720]);
        assert.equal(metadata.durationMs, isStreamed(format) ? null : options.seconds * 1000);
      }
    }
  });
}

/** Whether the format has no duration before its first fragment or cluster. */
const isStreamed = (format: MuxedFormat): boolean => format === "mp4, fragmented" || format === "webm, live";

test("reads 64-bit headers, M4V and QuickTime brands (U15)", async () => {
  for (const [brand, mimeType] of [
    ["isom", "video/mp4"],
    ["M4V ", "video/x-m4v"],
    ["qt  ", "video/quicktime"],
  ] as const) {
    const expected = { width: 640, height: 360, durationMs: 2500 };
    assert.deepEqual(await read(mp4(brand), mimeType), expected);
    const long = Buffer.from(movie({ has64BitTimes: true }));
    assert.deepEqual(await read(long, mimeType), expected);
    assert.deepEqual(await readIndependently(long), expected);
  }
});

test("reads the duration of a fragmented MP4 from mehd, and treats all bits set as unknown (U15)", async () => {
  const durations: [MovieOptions, number | null][] = [
    [{ duration: 0, fragmentsDuration: 4000 }, 4000],
    [{ duration: 1000, fragmentsDuration: 4000 }, 4000],
    [{ duration: 0xffff_ffff, fragmentsDuration: 4000 }, 4000],
    [{ duration: 0, fragmentsDuration: 0 }, null],
    [{ duration: 0xffff_ffff }, null],
    [{ duration: 0 }, null],
    [{ timescale: 0 }, null],
  ];
  for (const [options, durationMs] of durations)
    assert.deepEqual(await read(movie(options)), { width: 640, height: 360, durationMs }, JSON.stringify(options));
});

test("reads the duration of the edited movie, like an independent library (U15)", async () => {
  // The edit skips the first 500 ms of the track; the movie header has the remaining duration.
  const bytes = movie({ duration: 2000, edit: { duration: 2000, mediaTime: 500 } });
  assert.deepEqual(await read(bytes), { width: 640, height: 360, durationMs: 2000 });
  assert.deepEqual(await readIndependently(bytes), { width: 640, height: 360, durationMs: 2000 });
});

test("reads the size of the first enabled video track, rotated by the matrices of track and movie (U15)", async () => {
  const [upright, sideways] = [
    [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000],
    [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000],
  ];
  const sizes: [MovieOptions, number, number][] = [
    [{ tracks: [{ matrix: sideways }] }, 360, 640],
    [{ matrix: sideways }, 360, 640],
    [{ matrix: sideways, tracks: [{ matrix: sideways }] }, 640, 360],
    [{ tracks: [{ handler: "soun" }, { width: 320, height: 180, matrix: upright }] }, 320, 180],
    [{ tracks: [{ isEnabled: false, width: 100, height: 100 }, {}] }, 640, 360],
    [{ tracks: [{ isEnabled: false, width: 100, height: 100 }] }, 100, 100],
    [{ tracks: [{ width: 853.33, height: 480 }] }, 853, 480],
  ];
  for (const [options, width, height] of sizes)
    assert.deepEqual(await read(movie(options)), { width, height, durationMs: 2500 }, JSON.stringify(options));
  assert.deepEqual(await read(movie({ tracks: [{ handler: "soun" }] })), { ...unknownMetadata, durationMs: 2500 });
});

const encodeElement = (id: string, ...content: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(content.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
  return Buffer.concat([Buffer.from(id, "hex"), Buffer.from([0x40 | (body.length >> 8), body.length & 0xff]), body]);
};

test("reads the display size of a WebM, like an independent library (U15)", async () => {
  const displaySizes: Record<string, [width: number, height: number]> = {
    "": [720, 480],
    "54b0820010 54ba820009": [853, 480], // a ratio, 16 : 9
    "54b0820356 54ba8201e0": [854, 480], // pixels
    "54b0820004 54ba820005": [720, 900],
    "54b0820000 54ba820009": [720, 480], // not a valid ratio
    "7670 87 7675 84 42b40000": [480, 720], // rotated by 90°
  };
  for (const [elements, expected] of Object.entries(displaySizes)) {
    const video = encodeElement("e0", "b08202d0", "ba8201e0", elements.replaceAll(" ", ""));
    const track = encodeElement("ae", "d78101", "73c58101", "838101", encodeElement("86", Buffer.from("V_VP8")), video);
    const bytes = Buffer.concat([
      encodeElement("1a45dfa3", "4282847765626d"),
      encodeElement(
        "18538067",
        encodeElement("1549a966", "2ad7b1830f4240", "448984451c4000"),
        encodeElement("1654ae6b", track),
      ),
    ]);
    const metadata = await read(bytes, "video/webm");
    assert.deepEqual(metadata, { width: expected[0], height: expected[1], durationMs: 2500 }, elements);
    assert.deepEqual(metadata, await readIndependently(bytes), elements);
  }
});

test("finds no metadata in MPEG streams or in files that are not containers (U15)", async () => {
  for (const mimeType of ["video/mp4", "video/quicktime", "video/x-m4v", "video/webm", "video/mpeg"])
    for (const bytes of [mpeg, Buffer.alloc(1), Buffer.alloc(100_000), Buffer.alloc(100_000, 0xff)])
      assert.deepEqual(await read(bytes, mimeType), unknownMetadata);
});

test("reads a moov at the end of a 20 GB video in at most four range reads, without its sample tables (U15, X3)", async () => {
  const tableBytes = 5_000_000;
  const head = Buffer.concat([mp4().subarray(0, 24), Buffer.from("000000016d646174", "hex"), Buffer.alloc(8)]);
  const mdatEnd = 20_000_000_000;
  head.writeBigUInt64BE(BigInt(mdatEnd - 24), 32);
  const moov = movie({ tracks: [{ handler: "soun", tableBytes }, { tableBytes }], isMoovOnly: true });
  const reads: [number, number][] = [];
  const source: ByteSource = {
    bytes: mdatEnd + moov.length,
    read: async (start, end) => {
      reads.push([start, end - start]);
      if (start < head.length) return Buffer.concat([head, Buffer.alloc(end - start - head.length)]);
      return moov.subarray(start - mdatEnd, end - mdatEnd);
    },
  };
  assert.deepEqual(await media.readVideoMetadata(source, "video/mp4"), { width: 640, height: 360, durationMs: 2500 });
  assert.ok(reads.length <= 4, JSON.stringify(reads));
  assert.ok(reads.every(([, bytes]) => bytes <= 64 * 1024));
});

test("returns unknown metadata after one read if the store does not respond (U15)", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let reads = 0;
  const { promise: pendingRead, resolve: respond } = Promise.withResolvers<Uint8Array>();
  const source: ByteSource = {
    bytes: 1_000_000,
    read: () => {
      reads++;
      return pendingRead;
    },
  };
  const metadata = media.readVideoMetadata(source, "video/mp4");
  t.mock.timers.tick(3000);
  assert.deepEqual(await metadata, unknownMetadata);
  respond(Buffer.from("0000fff06d646174", "hex"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(reads, 1);
});
