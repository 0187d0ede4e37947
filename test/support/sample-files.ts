import * as sample from "./samples.ts";

export const ooxml = "application/vnd.openxmlformats-officedocument.";
const odf = "application/vnd.oasis.opendocument.";

/** One real file of every allowed type. */
export const createFilesOfEveryType = async (): Promise<Record<string, Buffer>> => ({
  "image/jpeg": await sample.jpeg(),
  "image/png": await sample.png(),
  "image/webp": await sample.webp(),
  "image/gif": await sample.gif(),
  "image/avif": await sample.avif(),
  "image/heic": sample.heic(),
  "image/heif": sample.heic(),
  "video/mp4": sample.mp4(),
  "video/quicktime": sample.mp4("qt  "),
  "video/webm": sample.webm(),
  "video/x-m4v": sample.mp4("M4V "),
  "video/mpeg": sample.mpeg,
  "application/pdf": sample.pdf,
  [`${ooxml}wordprocessingml.document`]: sample.office("word"),
  [`${ooxml}presentationml.presentation`]: sample.office("ppt"),
  [`${ooxml}spreadsheetml.sheet`]: sample.office("xl"),
  "application/msword": sample.compoundFile("1Table", "WordDocument"),
  "application/vnd.ms-powerpoint": sample.compoundFile("PowerPoint Document"),
  "application/vnd.ms-excel": sample.compoundFile("Workbook"),
  [`${odf}text`]: sample.openDocument(`${odf}text`),
  [`${odf}presentation`]: sample.openDocument(`${odf}presentation`),
  "text/plain": Buffer.from("Hello,\nthis is text: ünïcödé 😀\n"),
  "text/csv": Buffer.from("BMW,Audi\n1,2\n"),
  "text/markdown": Buffer.from('<p align="center">A title</p>\n\n# Hello\n'),
});

export const executables: Record<string, Buffer> = {
  ELF: Buffer.concat([Buffer.from("\x7fELF\x02\x01\x01", "latin1"), Buffer.alloc(60)]),
  PE: Buffer.concat([
    Buffer.from("MZ"),
    Buffer.alloc(58),
    Buffer.from([0x80, 0, 0, 0]),
    Buffer.alloc(64),
    Buffer.from("PE\0\0"),
  ]),
  "Mach-O": Buffer.concat([Buffer.from("cffaedfe07000001", "hex"), Buffer.alloc(60)]),
  "Mach-O, fat": Buffer.concat([Buffer.from("cafebabe00000002", "hex"), Buffer.alloc(60)]),
  script: Buffer.from("#!/bin/sh\nrm -rf /\n"),
};
export const rejectedContainers: Record<string, Buffer> = {
  zip: sample.zip({ "a.txt": "hello" }),
  "zip with one entry of an office file": sample.zip({ "word/document.xml": "<x/>" }),
  "office file with macros": sample.office("word", { "word/vbaProject.bin": "x" }),
  "a template": sample.openDocument(`${odf}text-template`),
  jar: sample.zip({ "META-INF/MANIFEST.MF": "x" }),
  gzip: Buffer.from("1f8b0800000000000003cb48cdc9c9070086a6103605000000", "hex"),
  rar: Buffer.concat([Buffer.from("526172211a0700", "hex"), Buffer.alloc(40)]),
  "7z": Buffer.concat([Buffer.from("377abcaf271c0004", "hex"), Buffer.alloc(40)]),
  "an Outlook message": sample.compoundFile("__nameid_version1.0"),
};
