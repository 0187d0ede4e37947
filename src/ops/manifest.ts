import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { databaseFileName } from "#db/open-database.ts";
import { OperatorError } from "#lib/errors.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { syncFolder } from "#storage/disk/write-file.ts";
import { forEachConcurrent } from "./for-each-concurrent.ts";
import type { ProgressReporter } from "./progress.ts";

const chunkBytes = 1024 * 1024;

export async function computeFileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Copies a file with mode 0600 and syncs it to disk. Returns the digest of the bytes that were read. */
export async function copyFileDurably(from: string, to: string): Promise<{ sha256: string; bytes: number }> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  let bytes = 0;
  await using file = await open(to, "wx", 0o600);
  for await (const chunk of createReadStream(from, { highWaterMark: chunkBytes })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    await file.writeFile(chunk as Buffer);
  }
  await file.sync();
  return { sha256: hash.digest("hex"), bytes };
}

export const writeText = (path: string, text: string): Promise<void> =>
  writeFile(path, text, { flag: "wx", mode: 0o600, flush: true });

/** Syncs all folders: a file is durable only if the folders above it are. */
export async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const folder of [...folders, root]) await syncFolder(folder);
  await syncFolder(dirname(root));
}

/**
 * A backup is a folder with the layout of a data folder and two more files: SHA256SUMS, which `sha256sum -c` can also
 * read, and manifest.json, which has the digest of SHA256SUMS. The name of an unfinished backup ends in `.partial`.
 */
export const manifestFileName = "manifest.json";
export const checksumsFileName = "SHA256SUMS";
export const partialSuffix = ".partial";

const manifestSchema = z.object({
  format: z.literal(1),
  /** The version of Atelier that created the backup. */
  version: z.string(),
  madeAt: z.string(),
  files: z.number().int(),
  bytes: z.number(),
  /** Digest of SHA256SUMS. */
  sums: z.string(),
  /** Files that were missing or damaged on the server when the backup was created. */
  lost: z.array(z.string()),
});

export type Manifest = z.infer<typeof manifestSchema>;

export interface ChecksumEntry {
  path: string;
  sha256: string;
}

export const formatChecksumLine = ({ sha256, path }: ChecksumEntry): string => `${sha256}  ${path}\n`;

/** Accepts only paths that a backup can contain, so that a forged list cannot write elsewhere. */
const linePattern = /^([0-9a-f]{64}) {2}(atelier\.db|secret|files\/files\/[0-9a-f]{2}\/[0-9a-f]\/[a-z0-9_.+~-]+)$/;

async function* readChecksums(folder: string): AsyncGenerator<ChecksumEntry> {
  const file = await open(join(folder, checksumsFileName));
  for await (const line of file.readLines()) {
    const [, sha256, path] = linePattern.exec(line) ?? [];
    if (sha256 === undefined || path === undefined)
      throw damagedBackupError(folder, `${checksumsFileName} contains an invalid line`);
    yield { sha256, path };
  }
}

/** Reads every file of a backup and throws unless all digests match. */
export async function verifyBackup(
  folder: string,
  reportProgress: ProgressReporter,
): Promise<{ manifest: Manifest; entries: ChecksumEntry[] }> {
  // Opening a named pipe would wait forever.
  for (const name of [manifestFileName, checksumsFileName]) await assertNotSpecial(folder, name);
  const manifest = await readManifest(folder);
  if ((await computeFileDigest(join(folder, checksumsFileName)).catch(() => "")) !== manifest.sums)
    throw damagedBackupError(folder, `${checksumsFileName} does not match ${manifestFileName}`);
  const entries: ChecksumEntry[] = [];
  for await (const entry of readChecksums(folder)) entries.push(entry);
  if (entries.length !== manifest.files)
    throw damagedBackupError(folder, `${checksumsFileName} lists ${entries.length} of ${manifest.files} files`);
  if (!entries.some(({ path }) => path === databaseFileName))
    throw damagedBackupError(folder, `${checksumsFileName} does not list ${databaseFileName}`);
  let bytes = 0;
  let verifiedCount = 0;
  await forEachConcurrent(entries, 4, async ({ path, sha256 }) => {
    await assertNotSpecial(folder, path);
    const digest = await computeFileDigest(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") throw damagedBackupError(folder, `${path} is missing`);
      throw error;
    });
    if (digest !== sha256) throw damagedBackupError(folder, `${path} does not match its checksum`);
    bytes += (await stat(join(folder, path))).size;
    reportProgress(`verified ${++verifiedCount} of ${entries.length} files, ${formatBytes(bytes)}`);
  });
  return { manifest, entries };
}

async function assertNotSpecial(folder: string, path: string): Promise<void> {
  const file = await stat(join(folder, path)).catch(() => undefined);
  if (file?.isFile() === false) throw damagedBackupError(folder, `${path} is not a file`);
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFileName), "utf8").catch(() => undefined);
  if (text === undefined)
    throw new OperatorError(`${folder} is not a backup or is incomplete: it has no ${manifestFileName}.`);
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    throw damagedBackupError(folder, `${manifestFileName} is invalid`);
  }
}

const damagedBackupError = (folder: string, reason: string): OperatorError =>
  new OperatorError(`The backup ${folder} is damaged: ${reason}. No data was changed. Use another backup.`);
