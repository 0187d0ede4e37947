import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { createBufferSource } from "#domain/assets/content/byte-source.ts";
import { createImageConverter } from "#media/image-converter.ts";
import { createSingleFlight } from "#media/single-flight.ts";
import { encodePngChunk } from "../support/image-corpus.ts";
import { createImageRequest } from "../support/image-request.ts";
import { runContentCheck } from "../support/content-check.ts";

const converter = createImageConverter({ timeoutMs: 120_000 });
const createSquare = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "#888" } });
const createThumbnail = (bytes: Buffer) =>
  converter.createThumbnail(createImageRequest(randomUUID()), createBufferSource(bytes));

test("the type of the bytes, not the declared type, selects the decoder; an SVG or TIFF declared as PNG is never decoded (U12, U15)", async () => {
  // Rendering this takes most of a minute.
  const noise = '<feTurbulence baseFrequency="0.05" numOctaves="64"/>'.repeat(100);
  const otherFiles = [
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><filter id="f">${noise}</filter><rect width="3000" height="3000" filter="url(#f)"/></svg>`,
    ),
    await createSquare(10).tiff().toBuffer(),
  ];
  for (const bytes of otherFiles) {
    assert.equal(await createThumbnail(bytes), undefined);
  }
});

test("images that must be decoded as a whole have a lower pixel limit than those decoded by line (U14)", async () => {
  const large = 6400; // 41 million pixels
  assert.ok(await createThumbnail(await createSquare(large).jpeg().toBuffer()));
  assert.equal(await createThumbnail(await createSquare(large).jpeg({ progressive: true }).toBuffer()), undefined);
  assert.equal(await createThumbnail(await createSquare(large).png({ progressive: true }).toBuffer()), undefined);
  assert.equal(await createThumbnail(await createSquare(5100).avif({ effort: 0 }).toBuffer()), undefined);
  for (const [type, bytes] of [
    ["image/jpeg", await createSquare(3000).jpeg({ progressive: true }).toBuffer()],
    ["image/png", await createSquare(3000).png({ progressive: true }).toBuffer()],
    ["image/avif", await createSquare(3000).avif({ effort: 0 }).toBuffer()],
  ] as const)
    assert.ok(await createThumbnail(bytes), type);
});

test("never inflates compressed text in a PNG (U14, U15)", async () => {
  const png = await createSquare(64).png().toBuffer();
  const bomb = deflateSync(Buffer.alloc(400_000_000), { level: 1 });
  const textHeader = { zTXt: "a\0\0", iTXt: "a\0\x01\0\0\0" };
  for (const type of ["zTXt", "iTXt"] as const) {
    const text = encodePngChunk(type, Buffer.concat([Buffer.from(textHeader[type], "latin1"), bomb]));
    const file = Buffer.concat([png.subarray(0, 33), text, png.subarray(33, -12), text, png.subarray(-12)]);
    // A process that inflates the text needs more than this, and is ended.
    const limited = createImageConverter({ maxProcesses: 1, maxMegabytes: 300 });
    assert.deepEqual(
      await limited.createThumbnail(createImageRequest(type), createBufferSource(file)),
      await createThumbnail(png),
    );
    assert.equal(await runContentCheck(file, "image/png"), "ok");
  }
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
