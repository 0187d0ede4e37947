import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createBufferSource } from "#domain/assets/content/byte-source.ts";
import { fitExtension } from "#domain/assets/model/filename.ts";
import { isSameFamily } from "#domain/assets/content/formats.ts";
import { checkContent } from "#domain/assets/content/check-content.ts";
import { recognizeHead, recognizeType } from "#domain/assets/content/detect-type.ts";
import { assetKinds } from "#domain/assets/model/kinds.ts";
import { getOutcome } from "../support/outcome.ts";
import * as sample from "../support/samples.ts";
import { archives, createFilesOfEveryType, ooxml, executables } from "../support/sample-files.ts";
import { declareType, headOf, runContentCheck } from "../support/content-check.ts";

const files = await createFilesOfEveryType();

/** Which of them are one family. */
const families = [
  ["video/mp4", "video/quicktime", "video/x-m4v"],
  ["image/heic", "image/heif"],
];

const isText = (type: string): boolean => type.startsWith("text/");

test("the samples cover every allowed type", () => {
  assert.deepEqual(Object.keys(files).toSorted(), Object.values(assetKinds).flat().toSorted());
});

for (const declared of Object.keys(files)) {
  test(`${declared}: its own bytes and its family's pass, every other known format is a mismatch (ASSET-19, U11)`, async () => {
    for (const [real, bytes] of Object.entries(files)) {
      const family = families.some((one) => one.includes(real) && one.includes(declared));
      const same = real === declared || family || (real === "image/avif" && declared === "image/heif"); // AVIF is a HEIF
      // Text has no format of its own: bytes of no recognisable format pass as declared, markup aside.
      const unknown = isText(real) && (isText(declared) || real !== "text/markdown");
      assert.equal(
        await runContentCheck(bytes, declared),
        same || unknown ? "ok" : "type_mismatch",
        `${real} as ${declared}`,
      );
    }
  });
}

const markup: Record<string, Buffer> = {
  html: Buffer.from("<!DOCTYPE html><script>alert(1)</script>"),
  "html after blanks": Buffer.from(" \n\t<HTML><body>"),
  "html after a mark": Buffer.from("\ufeff<html>"),
  "html after comments": Buffer.from("<!-- a --> <!-- b -->\n<html>"),
  "html behind more comments than anyone writes": Buffer.from(`${"<!---->".repeat(1001)}<html>`),
  "html behind a comment that does not end": Buffer.from(`<!-- ${"x".repeat(70_000)} --><html>`),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
  "svg after xml": Buffer.from(
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>',
  ),
  script: Buffer.from("<script>alert(1)</script>"),
  "svg in UTF-16": Buffer.from('\ufeff<svg onload="alert(1)">', "utf16le"),
  "svg in UTF-16 without a mark": Buffer.from('<svg onload="alert(1)">', "utf16le"),
  "svg in UTF-16, the other way round": Buffer.from('\ufeff<svg onload="alert(1)">', "utf16le").swap16(),
};
const playlists: Record<string, Buffer> = {
  m3u8: Buffer.from("#EXTM3U\n#EXT-X-TARGETDURATION:1\nfile:///etc/passwd\n"),
  ffconcat: Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"),
};

for (const [group, members] of Object.entries({ programs: executables, archives, markup, playlists })) {
  test(`${group} pass as nothing (U12, U16)`, async () => {
    for (const [name, bytes] of Object.entries(members)) {
      for (const declared of Object.keys(files))
        assert.equal(await runContentCheck(bytes, declared), "type_mismatch", `${name} as ${declared}`);
    }
  });
}

test("the upload page accepts every accepted format as what it is, whatever its name says (UPLOAD-4)", async () => {
  const binary = Object.entries(files).filter(([type]) => !isText(type));
  for (const [real, bytes] of binary) {
    const source = createBufferSource(bytes);
    for (const named of Object.keys(files)) {
      const { mimeType } = await recognizeType(source, declareType(named));
      if ((await runContentCheck(bytes, named)) === "ok") assert.equal(mimeType, named);
      else assert.ok(isSameFamily(real, mimeType), `${real} named as ${named} is ${mimeType}`);
    }
    const unnamed = await recognizeType(source, undefined);
    assert.ok(isSameFamily(real, unnamed.mimeType), `${real} without a name is ${unnamed.mimeType}`);
  }
  for (const [real, bytes] of Object.entries(files).filter(([type]) => isText(type)))
    assert.equal(await getOutcome(recognizeType(createBufferSource(bytes), undefined)), "unsupported_type", real);
});

for (const [group, members] of Object.entries({ programs: executables, archives, markup, playlists })) {
  test(`the upload page accepts ${group} under no name, neither early nor in the end (UPLOAD-4, U12, U16)`, async () => {
    for (const [name, bytes] of Object.entries(members)) {
      for (const declared of Object.keys(files))
        assert.equal(
          await getOutcome(recognizeType(createBufferSource(bytes), declareType(declared))),
          "type_mismatch",
          name,
        );
      assert.equal(await getOutcome(recognizeType(createBufferSource(bytes), undefined)), "unsupported_type", name);
      assert.equal(await getOutcome(recognizeHead(headOf(bytes), bytes.length, undefined)), "unsupported_type", name);
    }
  });
}

test("a name gets an extension that fits what the file is (ASSET-21)", () => {
  for (const [name, type, fitted] of [
    ["door.png", "image/jpeg", "door.jpg"],
    ["door.JPEG", "image/jpeg", "door.JPEG"],
    ["door.jfif", "image/jpeg", "door.jfif"],
    ["door", "image/png", "door.png"],
    ["door.html", "image/png", "door.html.png"],
    ["2026.11.15 door", "image/webp", "2026.11.15 door.webp"],
    ["film.mov", "video/mp4", "film.mov"],
    ["film.jpg", "video/mp4", "film.mp4"],
    ["server.log", "text/plain", "server.log"],
    ["plan.xlsx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "plan.docx"],
  ] as const)
    assert.equal(fitExtension(name, type), fitted, name);
});

test("XML passes as no binary type, whatever it begins with (U12, U16)", async () => {
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

test("bytes of no recognisable format pass as declared", async () => {
  const unknown = [
    Buffer.alloc(1000),
    Buffer.alloc(1000, 1),
    Buffer.from("hello"),
    Buffer.from([1]),
    Buffer.alloc(70_000, 0x61),
  ];
  for (const bytes of unknown)
    for (const declared of Object.keys(files)) assert.equal(await runContentCheck(bytes, declared), "ok");
  // Short signatures that random bytes have by chance count for nothing.
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

test("random bytes are never taken for something", async () => {
  for (let i = 0; i < 2000; i++)
    assert.equal(
      await getOutcome(checkContent(createBufferSource(randomBytes(4096)), { kind: "image", mimeType: "image/png" })),
      "ok",
    );
});

test("an empty file is invalid_input", async () => {
  for (const declared of Object.keys(files))
    assert.equal(await runContentCheck(Buffer.alloc(0), declared), "invalid_input");
});

test("pixel floods are refused before anything is decoded, in no time (U14)", async () => {
  const floods: [Buffer, string][] = [
    [sample.hugePng(65_535, 65_535), "image/png"],
    [sample.hugePng(0xffff_ffff, 0xffff_ffff), "image/png"],
    [sample.manyFrameGif(1_000_000), "image/gif"],
    [sample.heic(65_535, 65_535), "image/heic"],
  ];
  const before = process.memoryUsage().rss;
  for (const [bytes, type] of floods) {
    const started = performance.now();
    assert.equal(await runContentCheck(bytes, type), "too_large");
    assert.ok(performance.now() - started < 5000);
  }
  assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024);
  assert.equal(await runContentCheck(sample.hugePng(10_000, 10_000), "image/png"), "ok");
  assert.equal(await runContentCheck(sample.hugePng(10_000, 10_001), "image/png"), "too_large");
});

test("a bomb in a container is told by its table, and never unpacked (U14)", async () => {
  const names = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`word/${i}.xml`, "x"]));
  const started = performance.now();
  assert.equal(await runContentCheck(sample.office("word", names), `${ooxml}wordprocessingml.document`), "ok");
  assert.equal(await runContentCheck(sample.zip(names), `${ooxml}wordprocessingml.document`), "type_mismatch");
  assert.ok(performance.now() - started < 5000);
});

test("an ASF header that leads in circles ends at once (U15)", async () => {
  const asf = Buffer.concat([Buffer.from("3026b2758e66cf11a6d900aa0062ce6c", "hex"), Buffer.alloc(39)]);
  const started = performance.now();
  assert.equal(await runContentCheck(asf, "video/mp4"), "type_mismatch");
  assert.ok(performance.now() - started < 5000);
});
