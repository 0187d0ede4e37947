import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import sharp from "sharp";
import { type ByteSource, createBufferSource, headBytes } from "#domain/ports/byte-source.ts";
import { checkContent } from "#domain/steps/content/check-content.ts";
import { animations } from "../support/animations.ts";
import { declareType, runContentCheck } from "../support/content-check.ts";
import { encodeBox, encodeBrand, encodeUint32s, jpeg, stateJpegSize } from "../support/samples.ts";

const maxFrames = 2000;

for (const { name, mimeType, create } of animations)
  test(`rejects ${name} with too many frames, whatever precedes them (U14, U15, F6)`, async () => {
    for (const metadataBytes of [0, 100_000, 3_000_000]) {
      assert.equal(await runContentCheck(await create(maxFrames, metadataBytes), mimeType), "ok");
      assert.equal(await runContentCheck(await create(maxFrames + 1, metadataBytes), mimeType), "too_large");
    }
  });

/** Insert after the first two bytes of a JPEG. */
function encodeComments(count: number, bytes: number): Buffer {
  const comment = Buffer.alloc(bytes + 4, 0x41);
  comment.writeUInt32BE(0xfffe0000 + bytes + 2);
  return Buffer.concat(Array.from({ length: count }, () => comment));
}

test("rejects images with too many pixels, whatever precedes their dimensions (U14, F6)", async () => {
  const photo = stateJpegSize(await jpeg(), 20_000, 20_000);
  for (const comments of [encodeComments(1000, 1), encodeComments(300, 65_000)]) {
    const file = Buffer.concat([photo.subarray(0, 2), comments, photo.subarray(2)]);
    assert.equal(await runContentCheck(file, "image/jpeg"), "too_large");
  }
  const ispe = encodeBox("ispe", encodeUint32s(0, 20_000, 20_000));
  const meta = encodeBox("meta", encodeUint32s(0), encodeBox("iprp", encodeBox("ipco", ispe)));
  for (const type of ["avif", "heic"]) {
    const file = Buffer.concat([encodeBrand(type, type, "mif1"), encodeBox("free", Buffer.alloc(headBytes)), meta]);
    assert.equal(await runContentCheck(file, `image/${type}`), "too_large");
  }
});

function createCountingSource(file: Buffer): ByteSource & { reads: number; bytesRead: number } {
  const source = {
    bytes: file.length,
    reads: 0,
    bytesRead: 0,
    async read(start: number, end: number) {
      const bytes = file.subarray(start, end);
      source.reads++;
      source.bytesRead += bytes.length;
      return bytes;
    },
  };
  return source;
}

test("reads only the start of an ordinary photo, and no part of an animation twice (F6)", async () => {
  const image = sharp(randomBytes(1_500_000), { raw: { width: 1000, height: 500, channels: 3 } });
  for (const [mimeType, photo] of [
    ["image/jpeg", image.clone().jpeg({ quality: 100, chromaSubsampling: "4:4:4" })],
    ["image/png", image.clone().png()],
  ] as const) {
    const source = createCountingSource(await photo.toBuffer());
    assert.ok(source.bytes > 1_000_000);
    await checkContent(source, declareType(mimeType));
    assert.ok(source.bytesRead <= headBytes, `${mimeType}: ${source.bytesRead} bytes`);
  }
  for (const { name, mimeType, create } of animations) {
    const source = createCountingSource(await create(1000, 10_000_000));
    await checkContent(source, declareType(mimeType));
    assert.ok(source.reads <= 2 + source.bytes / 1_000_000, `${name}: ${source.reads} reads`);
  }
});

test("reads a long file in pieces of at most 1 MiB, between which other requests run (F6)", async () => {
  const subBlocks = Buffer.alloc(5_000_000, Buffer.alloc(100, 99));
  const gif = Buffer.concat([Buffer.from("47494638396101000100000000", "hex"), Buffer.from([0x21, 0xfe]), subBlocks]);
  const lengths: number[] = [];
  const read = async (start: number, end: number) => {
    lengths.push(end - start);
    return gif.subarray(start, end);
  };
  await checkContent({ bytes: gif.length, read }, declareType("image/gif"));
  assert.ok(lengths.length >= gif.length / 2 ** 20 && Math.max(...lengths) <= 2 ** 20, String(lengths));
});

test("reads the dimensions of the upright image, like the decoder (F6)", async () => {
  const photo = sharp({ create: { width: 80, height: 40, channels: 3, background: "#888" } });
  for (const format of ["jpeg", "png", "webp", "avif", "gif"] as const)
    for (const orientation of [1, 3, 5, 6, 8]) {
      const file = await photo.clone().toFormat(format, { effort: 1 }).withMetadata({ orientation }).toBuffer();
      const { autoOrient } = await sharp(file).metadata();
      const { imageHeader } = await checkContent(createBufferSource(file), declareType(`image/${format}`));
      const { width, height } = imageHeader ?? {};
      assert.deepEqual({ width, height }, autoOrient, `${format}, orientation ${orientation}`);
    }
});
