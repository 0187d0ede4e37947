import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import sharp from "sharp";
import { createBufferSource } from "#domain/ports/byte-source.ts";
import { createImageConverter } from "#media/image-converter.ts";
import { createSingleFlight } from "#media/single-flight.ts";
import { encodePngChunk } from "../support/image-corpus.ts";
import { createImageRequest } from "../support/image-request.ts";
import { encodeUint32s, stateJpegSize } from "../support/samples.ts";

const converter = createImageConverter({ timeoutMs: 120_000 });
const createSquare = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "#888" } });
const inspect = (bytes: Buffer) => converter.inspectImage(createImageRequest(randomUUID()), createBufferSource(bytes));
const createThumbnail = (bytes: Buffer) =>
  converter.createThumbnail(createImageRequest(randomUUID()), createBufferSource(bytes));

/** Changes the size in the header of a small PNG or AVIF file. */
function stateSize(file: Buffer, side: number): Buffer {
  const at = file.indexOf(Buffer.from("ispe"));
  if (at >= 0) return Buffer.concat([file.subarray(0, at + 8), encodeUint32s(side, side), file.subarray(at + 16)]);
  const header = Buffer.concat([encodeUint32s(side, side), file.subarray(24, 29)]);
  return Buffer.concat([file.subarray(0, 8), encodePngChunk("IHDR", header), file.subarray(33)]);
}

test("images that must be decoded as a whole have a lower pixel limit than those decoded by line (U14)", async () => {
  const small = createSquare(64);
  const [baseline, progressive] = [await small.jpeg().toBuffer(), await small.jpeg({ progressive: true }).toBuffer()];
  // A thumbnail is created even if pixels are missing.
  assert.ok(await createThumbnail(stateJpegSize(baseline, 9999, 9999)));
  assert.ok(await createThumbnail(stateJpegSize(progressive, 6324, 6324)));
  const interlaced = await small.png({ progressive: true }).toBuffer();
  const avif = await small.avif({ effort: 0 }).toBuffer();
  for (const [file, largest] of [
    [(side: number) => stateJpegSize(baseline, side, side), 10_000],
    [(side: number) => stateJpegSize(progressive, side, side), 6324],
    [(side: number) => stateSize(interlaced, side), 6324],
    [(side: number) => stateSize(avif, side), 5000],
  ] as const) {
    assert.equal(await createThumbnail(file(largest + 1)), undefined);
    assert.deepEqual(await inspect(file(largest + 1)), { problem: "too_many_pixels" });
    assert.notDeepEqual(await inspect(file(largest)), { problem: "too_many_pixels" });
  }
  for (const image of [progressive, interlaced, avif]) assert.ok(await createThumbnail(image));
});

test("a PNG with far too many chunks gets no thumbnail (U14, U15)", async () => {
  const png = await createSquare(64).png().toBuffer();
  const chunks = Array.from({ length: 60_000 }, () => encodePngChunk("teSt", Buffer.alloc(0)));
  assert.equal(await createThumbnail(Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)])), undefined);
});

test("concurrent requests for a thumbnail generate the thumbnail once (U14, U15)", async () => {
  const bytes = await createSquare(50).png().toBuffer();
  let reads = 0;
  const read = async () => {
    reads++;
    return bytes;
  };
  const imageRequest = createImageRequest(randomUUID());
  const request = () => converter.createThumbnail(imageRequest, { bytes: bytes.length, read });
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
