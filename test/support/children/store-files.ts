import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { AppError } from "#lib/errors.ts";
import { openDiskStore, type DiskStore } from "#storage/disk.ts";

/** A process that stores files as the service does, one after the other, and says of each step what came of it. */

const { root, count, bytes } = JSON.parse(process.argv[2] ?? "") as { root: string; count: number; bytes: number };
const say = (...words: string[]) => writeSync(1, `${words.join(" ")}\n`); // at once: the process may be killed after it

const refuse = async (): Promise<string> => Promise.reject(new Error("no addresses here"));
const store = await openDiskStore({
  root,
  addresses: { origin: "http://localhost", forUpload: refuse, forPart: refuse, forDownload: refuse },
  clock: () => Date.now(),
  minFreeBytes: 0,
});
say("open");
for (let i = 0; i < count; i++) await storeOne(store, i);
say("end");

async function storeOne(files: DiskStore, i: number): Promise<void> {
  const [from, to] = [`incoming/f${i}`, `files/f${i}`];
  const body = Buffer.alloc(bytes, `${process.pid} ${i} `);
  const digest = createHash("sha256").update(body).digest("hex");
  try {
    const stored = await files.receive(from, chunks(body), { maxBytes: bytes });
    say("stored", from, digest);
    say("promoting", from, to, stored.version);
    await files.promote(from, stored.version, to, "image/png");
    say("promoted", to, digest);
  } catch (error) {
    say("failed", error instanceof AppError ? error.code : String(error));
  }
}

async function* chunks(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}
