import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createBufferSource } from "#domain/ports/byte-source.ts";
import { fitExtension, getDownloadName } from "#domain/steps/content/filename.ts";
import { isSameFamily } from "#domain/steps/content/formats.ts";
import { checkContent } from "#domain/steps/content/check-content.ts";
import { recognizeType, recognizeTypeFromHead } from "#domain/steps/content/detect-type.ts";
import { assetKinds } from "#domain/model/asset-kinds.ts";
import { getOutcome } from "../support/outcome.ts";
import * as sample from "../support/samples.ts";
import { rejectedContainers, createFilesOfEveryType, ooxml, executables } from "../support/sample-files.ts";
import { declareType, encodeHead, runContentCheck } from "../support/content-check.ts";

const files = await createFilesOfEveryType();

/** Types that are accepted in place of each other. */
const families = [
  ["video/mp4", "video/quicktime", "video/x-m4v"],
  ["image/heic", "image/heif"],
];

const isText = (type: string): boolean => type.startsWith("text/");

test("the sample files cover every accepted type", () => {
  assert.deepEqual(Object.keys(files).toSorted(), Object.values(assetKinds).flat().toSorted());
});

for (const declared of Object.keys(files)) {
  test(`accepts as ${declared} only bytes of its type family or of no recognizable format (ASSET-19, U11)`, async () => {
    for (const [actual, bytes] of Object.entries(files)) {
      const isInFamily = families.some((family) => family.includes(actual) && family.includes(declared));
      const isAcceptedType =
        actual === declared || isInFamily || (actual === "image/avif" && declared === "image/heif"); // AVIF is a kind of HEIF
      // Text has no signature: bytes of no recognizable format pass as declared, unless they are markup.
      const isUnrecognizable = isText(actual) && (isText(declared) || actual !== "text/markdown");
      assert.equal(
        await runContentCheck(bytes, declared),
        isAcceptedType || isUnrecognizable ? "ok" : "type_mismatch",
        `${actual} as ${declared}`,
      );
    }
  });
}

const markup: Record<string, Buffer> = {
  html: Buffer.from("<!DOCTYPE html><script>alert(1)</script>"),
  "html after whitespace": Buffer.from(" \n\t<HTML><body>"),
  "html after a byte order mark": Buffer.from("\ufeff<html>"),
  "html after comments": Buffer.from("<!-- a --> <!-- b -->\n<html>"),
  "html after more comments than a real document has": Buffer.from(`${"<!---->".repeat(1001)}<html>`),
  "html after a comment longer than the inspected head": Buffer.from(`<!-- ${"x".repeat(70_000)} --><html>`),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
  "svg after an XML declaration": Buffer.from(
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>',
  ),
  script: Buffer.from("<script>alert(1)</script>"),
  "svg in UTF-16": Buffer.from('\ufeff<svg onload="alert(1)">', "utf16le"),
  "svg in UTF-16 without a byte order mark": Buffer.from('<svg onload="alert(1)">', "utf16le"),
  "svg in big-endian UTF-16": Buffer.from('\ufeff<svg onload="alert(1)">', "utf16le").swap16(),
};
const playlists: Record<string, Buffer> = {
  m3u8: Buffer.from("#EXTM3U\n#EXT-X-TARGETDURATION:1\nfile:///etc/passwd\n"),
  ffconcat: Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"),
};

for (const [group, members] of Object.entries({ executables, rejectedContainers, markup, playlists })) {
  test(`rejects ${group} as any declared type, and the upload page under any name, before and after the upload (UPLOAD-4, U12, U16)`, async () => {
    for (const [name, bytes] of Object.entries(members)) {
      const source = createBufferSource(bytes);
      for (const declared of Object.keys(files)) {
        assert.equal(await runContentCheck(bytes, declared), "type_mismatch", `${name} as ${declared}`);
        assert.equal(await getOutcome(recognizeType(source, declareType(declared))), "type_mismatch", name);
      }
      assert.equal(await getOutcome(recognizeType(source, undefined)), "unsupported_type", name);
      const headOutcome = await getOutcome(recognizeTypeFromHead(encodeHead(bytes), bytes.length, undefined));
      assert.equal(headOutcome, "unsupported_type", name);
    }
  });
}

test("the upload page detects the type of every accepted format, regardless of the file name (UPLOAD-4)", async () => {
  const binaryFiles = Object.entries(files).filter(([type]) => !isText(type));
  for (const [actual, bytes] of binaryFiles) {
    const source = createBufferSource(bytes);
    for (const nameType of Object.keys(files)) {
      const { mimeType } = await recognizeType(source, declareType(nameType));
      if ((await runContentCheck(bytes, nameType)) === "ok") assert.equal(mimeType, nameType);
      else
        assert.ok(isSameFamily(actual, mimeType), `${actual} with a name of ${nameType} was detected as ${mimeType}`);
    }
    const typeWithoutName = await recognizeType(source, undefined);
    assert.ok(
      isSameFamily(actual, typeWithoutName.mimeType),
      `${actual} without a name was detected as ${typeWithoutName.mimeType}`,
    );
  }
  for (const [actual, bytes] of Object.entries(files).filter(([type]) => isText(type)))
    assert.equal(await getOutcome(recognizeType(createBufferSource(bytes), undefined)), "unsupported_type", actual);
});

test("gives a file name the extension of its detected type (ASSET-21)", () => {
  for (const [name, type, expected] of [
    ["vase.png", "image/jpeg", "vase.jpg"],
    ["vase.JPEG", "image/jpeg", "vase.JPEG"],
    ["vase.jfif", "image/jpeg", "vase.jfif"],
    ["vase", "image/png", "vase.png"],
    ["vase.html", "image/png", "vase.html.png"],
    ["2026.11.15 vase", "image/webp", "2026.11.15 vase.webp"],
    ["clip.mov", "video/mp4", "clip.mov"],
    ["clip.jpg", "video/mp4", "clip.mp4"],
    ["server.log", "text/plain", "server.log"],
    ["plan.xlsx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "plan.docx"],
  ] as const)
    assert.equal(fitExtension(name, type), expected, name);
});

test("gives a download the extension of its type, also if it is text (ASSET-21, U13)", () => {
  for (const [name, type, expected] of [
    ["x.exe", "application/pdf", "x.exe.pdf"],
    ["plan.pdf", "application/pdf", "plan.pdf"],
    ["vase.JPEG", "image/jpeg", "vase.JPEG"],
    ["run.bat", "text/plain", "run.bat.txt"],
    ["data.csv", "text/plain", "data.csv"],
    ["README", "text/plain", "README"],
  ] as const)
    assert.equal(getDownloadName(name, type), expected, name);
});

test("rejects XML as any binary type, regardless of its first bytes (U12, U16)", async () => {
  const xml = [
    '<?a b?><svg xmlns="http://www.w3.org/2000/svg"/>',
    '<_:svg xmlns:_="http://www.w3.org/2000/svg"/>',
    '<é:svg xmlns:é="http://www.w3.org/2000/svg"/>',
    "<?php phpinfo();",
  ];
  for (const text of xml)
    for (const declared of Object.keys(files).filter((type) => !isText(type)))
      assert.equal(await runContentCheck(Buffer.from(text), declared), "type_mismatch", `${text} as ${declared}`);
});

test("accepts bytes of no recognizable format as declared", async () => {
  const unrecognizableFiles = [
    Buffer.alloc(1000),
    Buffer.alloc(1000, 1),
    Buffer.from("hello"),
    Buffer.from([1]),
    Buffer.alloc(70_000, 0x61),
  ];
  for (const bytes of unrecognizableFiles)
    for (const declared of Object.keys(files)) assert.equal(await runContentCheck(bytes, declared), "ok");
  // Signatures so short that random bytes match them by chance are ignored.
  for (const start of [
    "424d",
    "4d5a",
    "0b77",
    "7801",
    "1f9d",
    "60ea",
    "c771",
    "fffb90",
    "fff1",
    "ff0a",
    "00000100",
    "2521",
  ]) {
    const bytes = Buffer.concat([Buffer.from(start, "hex"), Buffer.alloc(500, 0x99)]);
    assert.equal(await runContentCheck(bytes, "image/png"), "ok", start);
  }
});

test("never detects a format in random bytes", async () => {
  for (let i = 0; i < 2000; i++) {
    // The same bytes in every run: about one run in a thousand would contain the three bytes of a signature.
    const bytes = createHash("shake256", { outputLength: 4096 }).update(String(i)).digest();
    const outcome = await getOutcome(checkContent(createBufferSource(bytes), declareType("image/png")));
    assert.equal(outcome, "ok", bytes.toString("hex", 0, 16));
  }
});

test("rejects an empty file with invalid_input", async () => {
  for (const declared of Object.keys(files))
    assert.equal(await runContentCheck(Buffer.alloc(0), declared), "invalid_input");
});

test("rejects images with too many pixels without decoding them (U14)", async () => {
  const oversizedImages: [Buffer, string][] = [
    [sample.hugePng(65_535, 65_535), "image/png"],
    [sample.hugePng(0xffff_ffff, 0xffff_ffff), "image/png"],
    [sample.manyFrameGif(1_000_000), "image/gif"],
    [sample.heic(65_535, 65_535), "image/heic"],
  ];
  const memoryBefore = process.memoryUsage().rss;
  for (const [bytes, type] of oversizedImages) assert.equal(await runContentCheck(bytes, type), "too_large");
  assert.ok(process.memoryUsage().rss - memoryBefore < 100 * 1024 * 1024);
  assert.equal(await runContentCheck(sample.hugePng(10_000, 10_000), "image/png"), "ok");
  assert.equal(await runContentCheck(sample.hugePng(10_000, 10_001), "image/png"), "too_large");
});

test("detects the type of a ZIP container from its directory, without unpacking entries (U14)", async () => {
  const names = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`word/${i}.xml`, "x"]));
  assert.equal(await runContentCheck(sample.office("word", names), `${ooxml}wordprocessingml.document`), "ok");
  assert.equal(await runContentCheck(sample.zip(names), `${ooxml}wordprocessingml.document`), "type_mismatch");
});

test("terminates on an ASF header whose objects have no length (U15)", async () => {
  const asf = Buffer.concat([Buffer.from("3026b2758e66cf11a6d900aa0062ce6c", "hex"), Buffer.alloc(39)]);
  assert.equal(await runContentCheck(asf, "video/mp4"), "type_mismatch");
});
