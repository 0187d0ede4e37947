import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { createBufferSource } from "#domain/assets/content/byte-source.ts";
import { createSingleFlight } from "#media/queue.ts";
import { createMediaReader } from "#media/media-reader.ts";
import { encodePngChunk } from "../support/image-corpus.ts";

const media = createMediaReader();
const createSquare = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "#888" } });
const createThumbnail = async (bytes: Buffer, type: string) =>
  media.createThumbnail(randomUUID(), createBufferSource(bytes), type);

test("the type of the bytes, not the declared type, selects the decoder; an SVG or TIFF declared as PNG is never decoded (U12, U15)", async () => {
  // Rendering this takes most of a minute, and the renderer cannot be interrupted.
  const noise = '<feTurbulence baseFrequency="0.05" numOctaves="64"/>'.repeat(100);
  const otherFiles = [
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><filter id="f">${noise}</filter><rect width="3000" height="3000" filter="url(#f)"/></svg>`,
    ),
    await createSquare(10).tiff().toBuffer(),
  ];
  for (const bytes of otherFiles) {
    const startedAt = performance.now();
    assert.equal(await createThumbnail(bytes, "image/png"), undefined);
    assert.deepEqual(await media.readMetadata(createBufferSource(bytes), "image/png"), {
      width: null,
      height: null,
      durationMs: null,
    });
    assert.ok(performance.now() - startedAt < 10_000);
  }
});

test("images that must be decoded as a whole have a lower pixel limit than those decoded by line (U14)", async () => {
  const large = 6400; // 41 million pixels
  assert.ok(await createThumbnail(await createSquare(large).jpeg().toBuffer(), "image/jpeg"));
  assert.equal(
    await createThumbnail(await createSquare(large).jpeg({ progressive: true }).toBuffer(), "image/jpeg"),
    undefined,
  );
  assert.equal(
    await createThumbnail(await createSquare(large).png({ progressive: true }).toBuffer(), "image/png"),
    undefined,
  );
  assert.equal(await createThumbnail(await createSquare(5100).avif({ effort: 0 }).toBuffer(), "image/avif"), undefined);
  for (const [type, bytes] of [
    ["image/jpeg", await createSquare(3000).jpeg({ progressive: true }).toBuffer()],
    ["image/png", await createSquare(3000).png({ progressive: true }).toBuffer()],
    ["image/avif", await createSquare(3000).avif({ effort: 0 }).toBuffer()],
  ] as const)
    assert.ok(await createThumbnail(bytes, type), type);
});

test("never inflates compressed text in a PNG, neither for metadata nor for a thumbnail (U14, U15)", async () => {
  const png = await createSquare(64).png().toBuffer();
  const bomb = deflateSync(Buffer.alloc(50_000_000), { level: 9 });
  const textHeader = { zTXt: "a\0\0", iTXt: "a\0\x01\0\0\0" };
  for (const type of ["zTXt", "iTXt"] as const) {
    const text = encodePngChunk(type, Buffer.concat([Buffer.from(textHeader[type], "latin1"), bomb]));
    // 1 MB of text chunks, before and after the pixels. Inflating them takes nine seconds of CPU time.
    const texts = Array.from({ length: 10 }, () => text);
    const withManyBombs = Buffer.concat([
      png.subarray(0, 33),
      ...texts,
      png.subarray(33, -12),
      ...texts,
      png.subarray(-12),
    ]);
    const cpuBefore = process.cpuUsage();
    const withOneBomb = Buffer.concat([png.subarray(0, 33), text, png.subarray(33)]);
    const { width, height } = await media.readMetadata(createBufferSource(withOneBomb), "image/png");
    const thumbnail = await createThumbnail(withManyBombs, "image/png");
    const { user, system } = process.cpuUsage(cpuBefore);
    assert.deepEqual([width, height], [64, 64]);
    assert.deepEqual(thumbnail, await createThumbnail(png, "image/png"));
    assert.ok(user + system < 1_000_000, `${type}: ${(user + system) / 1000} ms`);
  }
});

test("a PNG with far too many chunks gets no thumbnail (U14, U15)", async () => {
  const png = await createSquare(64).png().toBuffer();
  const chunks = Array.from({ length: 60_000 }, () => encodePngChunk("teSt", Buffer.alloc(0)));
  assert.equal(
    await createThumbnail(Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]), "image/png"),
    undefined,
  );
});

test("concurrent requests for a thumbnail generate the thumbnail once (U14, U15)", async () => {
  const bytes = await createSquare(50).png().toBuffer();
  let reads = 0;
  const read = async () => {
    reads++;
    return bytes;
  };
  const key = randomUUID();
  const request = () => media.createThumbnail(key, { bytes: bytes.length, read }, "image/png");
  assert.ok((await Promise.all(Array.from({ length: 10 }, request))).every((thumbnail) => thumbnail !== undefined));
  assert.equal(reads, 1);
});

test("an expensive failure is not retried at once; other failures are (U14, U15)", async () => {
  const attempt = createSingleFlight<string>();
  let attempts = 0;
  const fail = () =>
    attempt("image", async () => {
      attempts++;
      return undefined;
    });
  assert.deepEqual([await fail(), await fail(), attempts], [undefined, undefined, 2]);
  await assert.rejects(
    attempt("image", () => Promise.reject(new Error("store unavailable"))),
    /unavailable/,
  );
  assert.equal(await attempt("image", async () => "thumbnail"), "thumbnail");
  const failExpensively = () =>
    attempt("costly", async (skipRetries) => {
      attempts++;
      skipRetries();
      return undefined;
    });
  assert.deepEqual([await failExpensively(), await failExpensively(), attempts], [undefined, undefined, 3]);
});
