import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import sharp from "sharp";
import { createBufferSource } from "#domain/ports/byte-source.ts";
import { type ImageInspection, planRendition, type RenditionPlan } from "#domain/model/renditions/plan-rendition.ts";
import type { ExecutablePlan } from "#domain/ports/media.ts";
import { createImageConverter } from "#media/image-converter.ts";
import { runContentCheck } from "../support/content-check.ts";
import { encodePngChunk } from "../support/image-corpus.ts";
import { createImageRequest } from "../support/image-request.ts";
import { encodeUint32s, hugePng, jpeg, gif, manyFrameGif, pdf, png, stateJpegSize, zip } from "../support/samples.ts";

const converter = createImageConverter({ timeoutMs: 120_000 });
const inspect = (file: Buffer) => converter.inspectImage(createImageRequest(randomUUID()), createBufferSource(file));
const createThumbnail = (file: Buffer) =>
  converter.createThumbnail(createImageRequest(randomUUID()), createBufferSource(file));
const execute = (file: Buffer, plan: ExecutablePlan) =>
  converter.createRendition(createImageRequest(randomUUID()), createBufferSource(file), plan);

const traits = { width: 64, height: 48, frames: 1, hasAlpha: false, hasMetadata: true, canStripMetadata: true };
const limit = { types: ["image/jpeg"], maxBytes: 100_000 };
/** Plans for a valid image of this size. The tests apply them to other files. */
const renderPlan = planRendition({ ...traits, mimeType: "image/png", bytes: 1 }, limit) as ExecutablePlan;
const stripPlan: ExecutablePlan = { kind: "strip" };

function splice(file: Buffer, offset: number, ...parts: Buffer[]): Buffer {
  return Buffer.concat([file.subarray(0, offset), ...parts, file.subarray(offset)]);
}

/** A zlib stream of zeros. Its blocks are compressed only once, because compressing all zeros takes seconds. */
function deflateZeros(bytes: number): Buffer {
  const blockBytes = 2 ** 20;
  const deflateBlock = (length: number) =>
    deflateRawSync(Buffer.alloc(length), { finishFlush: constants.Z_FULL_FLUSH });
  const block = deflateBlock(blockBytes);
  const blocks = Array.from({ length: Math.floor(bytes / blockBytes) }, () => block);
  const checksum = encodeUint32s((bytes % 65_521) * 65_536 + 1); // Adler-32, RFC 1950 §2.2
  const end = Buffer.from("0300", "hex");
  return Buffer.concat([Buffer.from("7801", "hex"), ...blocks, deflateBlock(bytes % blockBytes), end, checksum]);
}

/** A PNG of one color in as few bytes as possible. */
function encodeBomb(width: number, height: number): Buffer {
  const head = Buffer.concat([encodeUint32s(width, height), Buffer.from([1, 0, 0, 0, 0])]); // one bit per pixel, grey
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    encodePngChunk("IHDR", head),
    encodePngChunk("IDAT", deflateZeros((Math.ceil(width / 8) + 1) * height)),
    encodePngChunk("IEND", Buffer.alloc(0)),
  ]);
}

const noise = '<feTurbulence baseFrequency="0.05" numOctaves="64"/>'.repeat(100);
const slowSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="3000"><filter id="f">${noise}</filter><rect width="3000" height="3000" filter="url(#f)"/></svg>`;
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48"><rect width="64" height="48"/></svg>';

test("never opens files that are truncated or not images, even if there is a plan for them (U12, U15)", async () => {
  const [wholePng, wholeJpeg] = [await png(), await jpeg()];
  const otherFormats = {
    SVG: Buffer.from(svg),
    "SVG that takes a minute to render": Buffer.from(slowSvg),
    "SVG with a declaration": Buffer.from(`<?xml version="1.0"?>${svg}`),
    "gzipped SVG": gzipSync(Buffer.from(svg)),
    "SVG after white space": Buffer.from(`   \n${svg}`),
    TIFF: await sharp(wholePng).tiff().toBuffer(),
    PDF: pdf,
    BMP: Buffer.concat([Buffer.from("BM"), Buffer.alloc(200)]),
  };
  const files = {
    ...otherFormats,
    "18 bytes of a PNG": wholePng.subarray(0, 18),
    "half a PNG": wholePng.subarray(0, wholePng.length / 2),
    "half a JPEG": wholeJpeg.subarray(0, wholeJpeg.length / 2),
    "a PNG without pixels": hugePng(64, 48),
    "nothing but zeros": Buffer.alloc(1000),
  };
  for (const [name, file] of Object.entries(files)) {
    assert.deepEqual(await inspect(file), { problem: "unreadable" }, name);
    assert.deepEqual(await execute(file, renderPlan), { problem: "unreadable" }, name);
  }
  for (const [name, file] of Object.entries(otherFormats)) assert.equal(await createThumbnail(file), undefined, name);
});

test("never decodes decompression bombs, even if there is a plan for them (U14, U15)", async () => {
  const files = {
    "PNG of 900 megapixels in 110 kB": encodeBomb(30_000, 30_000),
    "JPEG whose header states 4,290 megapixels": stateJpegSize(await jpeg(), 65_500, 65_500),
  };
  for (const [name, file] of Object.entries(files)) {
    assert.ok(file.length < 200_000, `${name}: ${file.length} bytes`);
    const inspection = await inspect(file);
    assert.ok(inspection && "problem" in inspection, `${name}: ${JSON.stringify(inspection)}`);
    const result = await execute(file, renderPlan);
    assert.ok(result === undefined || "problem" in result, name);
  }
  assert.deepEqual(await inspect(encodeBomb(30_000, 30_000)), { problem: "too_many_pixels" });
  // The largest image that is decoded.
  const inspection = await inspect(encodeBomb(10_000, 10_000));
  assert.ok(inspection && !("problem" in inspection));
  assert.deepEqual([inspection.width, inspection.height], [10_000, 10_000]);
});

async function convert(file: Buffer, mimeType: string): Promise<{ inspection: ImageInspection; content: Buffer }> {
  const inspection = await inspect(file);
  assert.ok(inspection && !("problem" in inspection), JSON.stringify(inspection));
  const plan: RenditionPlan = planRendition(
    { ...inspection, mimeType, bytes: file.length },
    { types: ["image/jpeg", "image/png", "image/gif"], maxBytes: 100_000 },
  );
  if (plan.kind === "as_is") return { inspection, content: file };
  assert.ok(plan.kind !== "reject");
  const result = await execute(file, plan);
  assert.ok(result && "content" in result, JSON.stringify(result));
  return { inspection, content: Buffer.from(result.content) };
}

test("keeps only the image of a file that is also a script, an HTML page or an archive (U12)", async () => {
  const script = Buffer.from("<script>alert(1)</script>");
  const archive = zip({ "index.html": script.toString() });
  const [wholeJpeg, wholePng, wholeGif] = [await jpeg(), await png(), await gif()];
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, script.length + 2]), script]);
  const gifComment = Buffer.concat([Buffer.from([0x21, 0xfe, script.length]), script, Buffer.alloc(1)]);
  const files: [string, string, Buffer][] = [
    ["JPEG with a page as its comment", "image/jpeg", splice(wholeJpeg, 2, comment)],
    ["JPEG and ZIP", "image/jpeg", Buffer.concat([wholeJpeg, archive])],
    ["PNG with a page as its text", "image/png", splice(wholePng, 33, encodePngChunk("tEXt", script))],
    ["PNG with a page in an unknown chunk", "image/png", splice(wholePng, 33, encodePngChunk("prVt", script))],
    ["PNG and ZIP", "image/png", Buffer.concat([wholePng, archive])],
    ["GIF with a page as its comment", "image/gif", splice(wholeGif, wholeGif.length - 1, gifComment)],
    ["GIF and ZIP", "image/gif", Buffer.concat([wholeGif, archive])],
  ];
  for (const [name, mimeType, file] of files) {
    assert.ok(file.includes("<script>"), name);
    const { inspection, content } = await convert(file, mimeType);
    assert.ok(!("problem" in inspection) && inspection.hasMetadata, name);
    assert.ok(!content.includes("<script>") && !content.includes("PK\x03\x04"), name);
    const { width, height } = await sharp(content, { failOn: "warning" }).metadata();
    assert.deepEqual([width, height], [64, 48], name);
  }
});

test("removes a huge or damaged color profile and keeps the image (U14, U15)", async () => {
  const pixels = sharp(await png());
  const withoutProfile = await pixels.clone().png().toBuffer();
  const embedProfile = (deflatedProfile: Buffer): Buffer =>
    splice(withoutProfile, 33, encodePngChunk("iCCP", Buffer.concat([Buffer.from("p\0\0"), deflatedProfile])));
  const p3 = (await sharp(await pixels.clone().withIccProfile("p3").png().toBuffer()).metadata()).icc;
  assert.ok(p3);
  const padded = Buffer.concat([p3, Buffer.alloc(4_000_000)]);
  padded.writeUInt32BE(padded.length);
  const jpegFile = await jpeg();
  const segments = Array.from({ length: 200 }, (_, i) => {
    const segment = Buffer.alloc(65_535, 0x41);
    segment.writeUInt32BE(0xffe2fffd);
    segment.write("ICC_PROFILE\0", 4, "latin1");
    segment.writeUInt8(i + 1, 16);
    segment.writeUInt8(200, 17);
    return segment.subarray(0, 65_535);
  });
  const files: [string, string, Buffer][] = [
    ["PNG with a profile of 4 MB", "image/png", embedProfile(deflateSync(padded, { level: 1 }))],
    ["PNG with a profile that inflates to 100 MB", "image/png", embedProfile(deflateZeros(100_000_000))],
    ["PNG with random bytes as profile", "image/png", embedProfile(deflateSync(randomBytes(1500)))],
    ["JPEG with a profile of 13 MB", "image/jpeg", splice(jpegFile, 2, ...segments)],
  ];
  for (const [name, mimeType, file] of files) {
    const { content } = await convert(file, mimeType);
    assert.ok(content.length < 100_000, `${name}: ${content.length} bytes`);
    const { icc } = await sharp(content, { failOn: "warning" }).metadata();
    assert.equal(icc, undefined, name);
  }
});

test("uses the first frame of an animation with too many frames (U14, U15)", async () => {
  const { inspection, content } = await convert(manyFrameGif(100_000), "image/gif");
  assert.ok(!("problem" in inspection) && inspection.frames > 1);
  assert.equal((await sharp(content).metadata()).pages ?? 1, 1);
  // Declares 2³²−1 frames, more than the database column can store.
  const control = Buffer.alloc(8, 0xff);
  const apng = splice(await png(), 33, encodePngChunk("acTL", control));
  const apngResult = await convert(apng, "image/png");
  assert.ok(!("problem" in apngResult.inspection) && apngResult.inspection.frames > 1);
  assert.ok(apngResult.inspection.frames < 2 ** 31 && !apngResult.content.includes("acTL"));
});

/** EXIF data whose first directory, or that of its thumbnail, consists of entries that all refer to itself. */
function encodeRecursiveExif(entryCount: number, isInThumbnail: boolean, isLittleEndian: boolean): Buffer {
  const number = (bytes: number, value: number): Buffer => {
    const buffer = Buffer.alloc(bytes);
    if (isLittleEndian) buffer.writeUIntLE(value, 0, bytes);
    else buffer.writeUIntBE(value, 0, bytes);
    return buffer;
  };
  const offset = isInThumbnail ? 14 : 8;
  const entry = Buffer.concat([number(2, 0x87_69), number(2, 4), number(4, 1), number(4, offset)]);
  const emptyDirectory = Buffer.concat([number(2, 0), number(4, offset)]);
  return Buffer.concat([
    Buffer.from(isLittleEndian ? "II" : "MM"),
    Buffer.concat([number(2, 42), number(4, 8), isInThumbnail ? emptyDirectory : Buffer.alloc(0)]),
    Buffer.concat([number(2, entryCount), ...Array.from({ length: entryCount }, () => entry), number(4, 0)]),
  ]);
}

test("rejects an image whose EXIF entries refer to each other, before the decoder reads them (U14, U15)", async () => {
  const [wholeJpeg, wholePng] = [await jpeg(), await png()];
  const embedInJpeg = (exif: Buffer): Buffer => {
    const segment = Buffer.concat([Buffer.from("\xff\xe1\0\0Exif\0\0", "latin1"), exif]);
    segment.writeUInt16BE(segment.length - 2, 2);
    return splice(wholeJpeg, 2, segment);
  };
  const copyright = "x".repeat(50_000); // is replaced below
  const wholeAvif = await sharp(wholeJpeg)
    .withExif({ IFD0: { Copyright: copyright } })
    .avif({ effort: 0 })
    .toBuffer();
  const embedInAvif = (exif: Buffer): Buffer => {
    const file = Buffer.from(wholeAvif);
    exif.copy(file, file.indexOf("II*\0", 0, "latin1"));
    return file;
  };
  for (const [isInThumbnail, isLittleEndian] of [
    [false, true],
    [true, true],
    [true, false],
  ] as const) {
    const exif = encodeRecursiveExif(4000, isInThumbnail, isLittleEndian);
    const files = {
      JPEG: embedInJpeg(exif),
      PNG: splice(wholePng, 33, encodePngChunk("eXIf", exif)),
      AVIF: embedInAvif(exif),
    };
    for (const [name, file] of Object.entries(files)) {
      assert.deepEqual(await inspect(file), { problem: "unreadable" }, name);
      assert.equal(await createThumbnail(file), undefined, name);
    }
  }
  const ordinary = embedInJpeg(encodeRecursiveExif(1, true, false));
  assert.ok(!("problem" in ((await inspect(ordinary)) ?? { problem: "" })));
});

test("never inflates compressed text in a PNG, which would take 400 MB (U14, U15)", async () => {
  const bomb = deflateZeros(400_000_000);
  const whole = await png();
  const textHeaders = { zTXt: "Comment\0\0", iTXt: "Comment\0\x01\0\0\0" };
  for (const [type, header] of Object.entries(textHeaders)) {
    const text = encodePngChunk(type, Buffer.concat([Buffer.from(header, "latin1"), bomb]));
    const file = Buffer.concat([whole.subarray(0, 33), text, whole.subarray(33, -12), text, whole.subarray(-12)]);
    // A process that inflates the text needs more than this, and is ended.
    const limited = createImageConverter({ maxProcesses: 1, maxMegabytes: 300 });
    const [request, source] = [createImageRequest(type), createBufferSource(file)];
    const inspection = await limited.inspectImage(request, source);
    assert.ok(inspection && !("problem" in inspection) && inspection.hasMetadata);
    const stripped = await limited.createRendition(request, source, stripPlan);
    assert.ok(stripped && "content" in stripped && stripped.content.length < bomb.length);
    assert.deepEqual(await limited.createThumbnail(request, source), await createThumbnail(whole));
    assert.equal(await runContentCheck(file, "image/png"), "ok");
  }
});
