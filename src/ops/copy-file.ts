import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "#storage/disk-write.ts";

const chunkBytes = 1024 * 1024;

export async function computeFileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Copies a file, for this account only and durable when it resolves; answers the digest of what was read. */
export async function copyFileDurably(from: string, to: string): Promise<{ sha256: string; bytes: number }> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(to, "wx", 0o600);
  try {
    for await (const chunk of createReadStream(from, { highWaterMark: chunkBytes })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      await file.writeFile(chunk as Buffer);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), bytes };
}

export async function writeText(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file is durable only if every folder above it is. */
export async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const folder of [...folders, root]) await syncFolder(folder);
  await syncFolder(dirname(root));
}
