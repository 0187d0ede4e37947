import { existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { openSqliteFile, type RecordedFile, type SqliteFile } from "#db/sqlite-file.ts";
import { databaseFile } from "#db/open.ts";
import { openSqlite } from "#db/sqlite.ts";
import { createStores } from "#db/stores.ts";
import { removeRecord } from "#domain/assets/removal.ts";
import { isoTime, type Clock } from "#lib/clock.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { secretFile } from "#lib/secret-file.ts";
import { findVersions } from "#storage/disk-layout.ts";
import { syncFolder } from "#storage/disk-write.ts";
import { OperatorError } from "#lib/operator-error.ts";
import { copyFile, digestOf, syncFolders, writeText } from "./copy-file.ts";
import { manifestFile, partial, sumLine, sumsFile, verifyBackup, type Listed, type Manifest } from "./manifest.ts";
import type { Tell } from "./tell.ts";
import { sideBySide } from "./side-by-side.ts";

export interface BackupOptions {
  dataDir: string;
  /** The folder in which backups are kept; this one gets a folder of its own there. */
  into: string;
  version: string;
  clock: Clock;
  tell: Tell;
}

export interface Backup {
  path: string;
  manifest: Manifest;
  hasSecret: boolean;
}

/**
 * Copies a data folder while a service works on it. The database comes first, as it is at one moment; then the file of
 * every asset that is ready in that copy. Files never change, so what is read later is what it was then. One that was
 * deleted in between takes its record in the copy with it: no backup has a record without its file.
 */
export async function backUp(options: BackupOptions): Promise<Backup> {
  const { dataDir, into, clock } = options;
  if (!relative(resolve(dataDir), resolve(into)).startsWith(".."))
    throw new OperatorError(`${into} lies in the data folder. Name a folder outside, best on another disk.`);
  const madeAt = isoTime(clock());
  const name = `atelier-${madeAt.replace(/[:.]/g, "-")}`;
  const [path, draft] = [join(into, name), join(into, `${name}${partial}`)];
  const live = openSqliteFile(dataDir, { alone: false });
  try {
    await mkdir(into, { recursive: true, mode: 0o700 });
    await mkdir(draft, { mode: 0o700 });
    const { manifest, hasSecret } = await fill(options, live, draft, madeAt).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true });
      throw error;
    });
    await rename(draft, path);
    await syncFolder(into);
    return { path, manifest, hasSecret };
  } finally {
    live.close();
  }
}

async function fill(
  options: BackupOptions,
  live: SqliteFile,
  draft: string,
  madeAt: string,
): Promise<Omit<Backup, "path">> {
  const { listed, lost, bytes } = await copyAll(options, live, draft);
  await writeText(join(draft, sumsFile), listed.map(sumLine).join(""));
  const sums = await digestOf(join(draft, sumsFile));
  const manifest = { format: 1, version: options.version, madeAt, files: listed.length, bytes, sums, lost };
  await writeText(join(draft, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
  const verified = await verifyBackup(draft, options.tell);
  await syncFolders(draft);
  return { manifest: verified.manifest, hasSecret: listed.some((one) => one.path === secretFile) };
}

async function copyAll(
  { dataDir, clock, tell }: BackupOptions,
  live: SqliteFile,
  draft: string,
): Promise<{ listed: Listed[]; lost: string[]; bytes: number }> {
  tell("copying the database");
  live.copyTo(join(draft, databaseFile));
  const listed: Listed[] = [];
  const secret = join(dataDir, secretFile);
  if (existsSync(secret)) listed.push({ path: secretFile, ...(await copyFile(secret, join(draft, secretFile))) });

  const lost: string[] = [];
  const deleted: RecordedFile[] = [];
  const copy = openSqliteFile(draft, { alone: false });
  const total = copy.countReadyFiles();
  let bytes = 0;
  try {
    await sideBySide(copy.readyFiles(), 8, async (file) => {
      const copied = await copyStored(dataDir, draft, file);
      if (copied) {
        listed.push(copied);
        bytes += file.bytes;
      } else if (live.hasFile(file.key)) lost.push(file.key);
      else deleted.push(file);
      tell(`copied ${listed.length} of ${total} files, ${formatBytes(bytes)}`);
    });
  } finally {
    copy.close();
  }
  await forget(join(draft, databaseFile), deleted, clock);
  await syncFile(join(draft, databaseFile));
  listed.push({ path: databaseFile, sha256: await digestOf(join(draft, databaseFile)) });
  return { listed, lost: lost.toSorted(), bytes };
}

/** Undefined where the bytes that the record names are not there. */
async function copyStored(dataDir: string, draft: string, file: RecordedFile): Promise<Listed | undefined> {
  const versions = await findVersions(join(dataDir, "files"), file.key);
  const found = versions.find(({ sha256 }) => sha256 === file.sha256);
  if (!found) return undefined;
  const path = relative(dataDir, found.path).replaceAll("\\", "/");
  const to = join(draft, path);
  const copied = await copyFile(found.path, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (copied?.sha256 === file.sha256) return { path, sha256: copied.sha256 };
  await rm(to, { force: true });
  return undefined;
}

/** Takes the records of what was deleted meanwhile out of the copy, as deleting them took them out of the original. */
async function forget(path: string, files: readonly RecordedFile[], clock: Clock): Promise<void> {
  if (files.length === 0) return;
  const database = openSqlite(path);
  try {
    const stores = createStores(database);
    for (const { studioId, assetId } of files) {
      const asset = await stores.assets.find(studioId, assetId);
      if (asset) await stores.transact((tx) => removeRecord({ clock }, tx, asset));
    }
  } finally {
    await database.close();
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
