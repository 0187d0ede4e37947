import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { AppError } from "#lib/errors.ts";
import type { DiskStore } from "#storage/disk/disk-store.ts";
import { openLocalDiskStore } from "../local-disk-store.ts";

/** Child process: stores files one at a time, as the service does, and prints each step. */

const { root, count, bytes } = JSON.parse(process.argv[2] ?? "") as { root: string; count: number; bytes: number };
const printLine = (...fields: string[]) => writeSync(1, `${fields.join(" ")}\n`); // synchronous, because the process may be killed

const store = await openLocalDiskStore(root);
printLine("open");
for (let i = 0; i < count; i++) await storeFile(store, i);
printLine("end");

async function storeFile(files: DiskStore, i: number): Promise<void> {
  const [incomingKey, fileKey] = [`incoming/f${i}`, `files/f${i}`];
  const body = Buffer.alloc(bytes, `${process.pid} ${i} `);
  const digest = createHash("sha256").update(body).digest("hex");
  try {
    const storedFile = await files.receive(incomingKey, toChunks(body), { maxBytes: bytes });
    printLine("stored", incomingKey, digest);
    printLine("promoting", incomingKey, fileKey, storedFile.version);
    await files.promote(incomingKey, storedFile.version, fileKey, "image/png");
    printLine("promoted", fileKey, digest);
  } catch (error) {
    printLine("failed", error instanceof AppError ? error.code : String(error));
  }
}

async function* toChunks(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < body.length; offset += 65_536) yield body.subarray(offset, offset + 65_536);
}
