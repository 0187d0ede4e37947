import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { createBufferSource } from "#domain/ports/byte-source.ts";
import { checkContent } from "#domain/steps/content/check-content.ts";
import { isSidewaysInExif } from "#domain/steps/content/image-header.ts";
import { declareType, runContentCheck } from "../support/content-check.ts";
import { getOutcome } from "../support/outcome.ts";
import { ooxml } from "../support/sample-files.ts";
import { encodeBox, encodeBrand, jpeg, office } from "../support/samples.ts";

const wordType = `${ooxml}wordprocessingml.document`;

/** ZIP headers every 24 bytes, each of which states a name of 65,535 bytes. */
function encodeOverlappingHeaders(count: number, signature: string): Buffer {
  const header = Buffer.alloc(24, 0xff);
  header.write(signature, "latin1");
  return Buffer.alloc(count * 24, header);
}

function encodeEndRecord(directoryStart: number, directoryBytes: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(directoryStart, 16);
  return end;
}

test("decodes only a few bytes of each name in a ZIP directory, whatever length it states (U14)", async (t) => {
  const directory = Buffer.concat([encodeOverlappingHeaders(2000, "PK\x01\x02"), Buffer.alloc(70_000)]);
  const localHeader = Buffer.alloc(64);
  localHeader.write("PK\x03\x04", "latin1");
  const files = {
    "central directory": Buffer.concat([localHeader, directory, encodeEndRecord(64, directory.length)]),
    "local headers": encodeOverlappingHeaders(2700, "PK\x03\x04"),
  };
  for (const [name, file] of Object.entries(files)) {
    let decodedCharacters = 0;
    const decode = Buffer.prototype.toString;
    const mock = t.mock.method(
      Buffer.prototype,
      "toString",
      function (this: Buffer, ...range: Parameters<typeof decode>) {
        const text = decode.apply(this, range);
        decodedCharacters += text.length;
        return text;
      },
    );
    const outcome = await getOutcome(checkContent(createBufferSource(file), declareType(wordType)));
    mock.mock.restore();
    assert.equal(outcome, "type_mismatch", name);
    assert.ok(decodedCharacters < 1_000_000, `${name}: ${decodedCharacters} characters`);
  }
});

test("finds macros behind a long path and behind a header that states a false length (U12)", async () => {
  const file = office("word", { "word/settings.xml": "<x/>", [`word/${"a/".repeat(1000)}vbaProject.bin`]: "x" });
  assert.equal(await runContentCheck(file, wordType), "type_mismatch");
  const settings = file.lastIndexOf("word/settings.xml");
  file.writeUInt16LE(0xffff, settings - 46 + 28);
  assert.equal(await runContentCheck(file, wordType), "type_mismatch");
});

/** An APP1 segment of a JPEG. */
function encodeExif(tiff: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xe1, 0, tiff.length + 8]);
  return Buffer.concat([head, Buffer.from("Exif\0\0", "latin1"), tiff]);
}

/** A TIFF header and a directory of one entry. */
function encodeOrientation(orientation: number): Buffer {
  const tiff = Buffer.from("49492a0008000000010012010300010000000000000000000000", "hex");
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}

test("uses the orientation in the first of several EXIF blocks, like the decoder (U15)", async () => {
  const photo = await jpeg();
  for (const orientations of [
    [6, 1],
    [1, 6],
  ]) {
    const blocks = orientations.map((orientation) => encodeExif(encodeOrientation(orientation)));
    const file = Buffer.concat([photo.subarray(0, 2), ...blocks, photo.subarray(2)]);
    const { autoOrient } = await sharp(file).metadata();
    const { imageHeader } = await checkContent(createBufferSource(file), declareType("image/jpeg"));
    assert.deepEqual({ width: imageHeader?.width, height: imageHeader?.height }, autoOrient, String(orientations));
  }
});

test("throws no error, not even internally, if EXIF data ends early or its offsets point beyond it (U15)", (t) => {
  const methods = (["readUInt16LE", "readUInt16BE", "readUInt32LE", "readUInt32BE"] as const).map((name) =>
    t.mock.method(Buffer.prototype, name),
  );
  const whole = encodeOrientation(6);
  assert.equal(isSidewaysInExif(whole), true);
  const farDirectory = Buffer.from(whole);
  farDirectory.writeUInt32LE(0xffffffff, 4);
  const manyEntries = Buffer.from(whole);
  manyEntries.writeUInt16LE(0xffff, 8);
  manyEntries.writeUInt16LE(0, 10);
  const prefixes = Array.from({ length: 20 }, (_, length) => whole.subarray(0, length));
  for (const exif of [...prefixes, farDirectory, manyEntries]) assert.equal(isSidewaysInExif(exif), false);
  assert.deepEqual(
    methods.flatMap(({ mock }) => mock.calls.filter(({ error }: { error?: unknown }) => error !== undefined)),
    [],
  );
});

const createHeicOfBoxes = (count: number): Buffer =>
  Buffer.concat([encodeBrand("heic", "mif1", "heic"), Buffer.alloc(count * 8, encodeBox("free"))]);

test("yields to the event loop while it checks a file of many small parts in memory (U15, F6)", async () => {
  const isDone = new AbortController();
  let turnCount = 0;
  const countTurns = (): void => {
    turnCount++;
    if (!isDone.signal.aborted) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  await checkContent(createBufferSource(createHeicOfBoxes(100_000)), declareType("image/heic"));
  isDone.abort();
  assert.ok(turnCount >= 20, `${turnCount} turns`);
});

test("rejects an image of more than 300,000 parts, and accepts the largest GIF (U15, F6)", async () => {
  assert.equal(await runContentCheck(createHeicOfBoxes(299_000), "image/heic"), "ok");
  assert.equal(await runContentCheck(createHeicOfBoxes(301_000), "image/heic"), "too_large");
  const subBlock = Buffer.alloc(255, 0x41);
  subBlock[0] = 254;
  const head = Buffer.from("4749463839610100010000000021fe", "hex");
  const gif = Buffer.concat([head, Buffer.alloc(50 * 1024 * 1024 - head.length, subBlock)]);
  assert.equal(await getOutcome(checkContent(createBufferSource(gif), declareType("image/gif"))), "ok");
});
