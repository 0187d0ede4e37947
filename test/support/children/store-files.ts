import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { AppError } from "#lib/errors.ts";
import { openDiskStore, type DiskStore } from "#storage/disk/disk-store.ts";

/** A process that stores files as the service does, one after the other, and says of each step what came of it. */

const { root, count, bytes } = JSON.parse(process.argv[2] ?? "") as { root: string; count: number; bytes: number };
const printLine = (...fields: string[]) => writeSync(1, `${fields.join(" ")}\n`); // at once: the process may be killed after it

const rejectUrl = async (): Promise<string> => Promise.reject(new Error("no addresses here"));
const store = await openDiskStore({
  root,
  urls: { origin: "http://localhost", forUpload: rejectUrl, forPart: rejectUrl, forDownload: rejectUrl },
  clock: () => Date.now(),
  minFreeBytes: 0,
});
printLine("open");
for (let i = 0; i < count; i++) await storeFile(store, i);
printLine("end");

async function storeFile(files: DiskStore, i: number): Promise<void> {
  const [from, to] = [`incoming/f${i}`, `files/f${i}`];
  const body = Buffer.alloc(bytes, `${process.pid} ${i} `);
  const digest = createHash("sha256").update(body).digest("hex");
  try {
    const stored = await files.receive(from, chunks(body), { maxBytes: bytes });
    printLine("stored", from, digest);
    printLine("promoting", from, to, stored.version);
    await files.promote(from, stored.version, to, "image/png");
    printLine("promoted", to, digest);
  } catch (error) {
    printLine("failed", error instanceof AppError ? error.code : String(error));
  }
}

async function* chunks(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}
