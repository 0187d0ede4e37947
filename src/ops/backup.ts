import { existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { openSqliteFile, type RecordedFile, type SqliteFile } from "#db/sqlite-file.ts";
import { createStores, databaseFileName } from "#db/open-database.ts";
import { openSqlite } from "#db/sqlite.ts";
import { deleteAssets } from "#domain/changes/delete-content.ts";
import { toIsoTime, type Clock } from "#lib/clock.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { secretFileName } from "#lib/secret-file.ts";
import { findVersions } from "#storage/disk/layout.ts";
import { syncFolder } from "#storage/disk/write-file.ts";
import { OperatorError } from "#lib/errors.ts";
import {
  checksumsFileName,
  computeFileDigest,
  copyFileDurably,
  formatChecksumLine,
  manifestFileName,
  partialSuffix,
  syncFolders,
  verifyBackup,
  writeText,
  type Manifest,
  type ChecksumEntry,
} from "./manifest.ts";
import { forEachConcurrent } from "./for-each-concurrent.ts";
import type { ProgressReporter } from "./progress.ts";

export interface BackupOptions {
  dataDir: string;
  /** The folder for all backups; each backup is a new folder in it. */
  targetFolder: string;
  version: string;
  clock: Clock;
  reportProgress: ProgressReporter;
}

export interface Backup {
  path: string;
  manifest: Manifest;
  hasSecret: boolean;
}

/**
 * Copies a data folder while a server may be using it: first a snapshot of the database, then the file of every ready
 * asset in that snapshot. Stored files never change, so they match the snapshot. If a file was deleted in the meantime,
 * its records are deleted from the snapshot too. If a file is missing or damaged although the server still has a record
 * of it, the manifest lists it as lost and its records stay. Every other record in a backup has its file.
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { dataDir, targetFolder, clock } = options;
  const targetPath = relative(resolve(dataDir), resolve(targetFolder));
  // On Windows, the path to another disk is absolute.
  if (!isAbsolute(targetPath) && targetPath !== ".." && !targetPath.startsWith(`..${sep}`))
    throw new OperatorError(
      `${targetFolder} is inside the data folder. Choose a folder outside it, preferably on another disk.`,
    );
  const madeAt = toIsoTime(clock());
  const name = `atelier-${madeAt.replace(/[:.]/g, "-")}`;
  const [path, partialPath] = [join(targetFolder, name), join(targetFolder, `${name}${partialSuffix}`)];
  const liveDatabase = openSqliteFile(dataDir, { isExclusive: false });
  try {
    await mkdir(targetFolder, { recursive: true, mode: 0o700 });
    await mkdir(partialPath, { mode: 0o700 });
    const { manifest, hasSecret } = await fillBackup(options, liveDatabase, partialPath, madeAt).catch(
      async (error: unknown) => {
        await rm(partialPath, { recursive: true, force: true });
        throw error;
      },
    );
    await rename(partialPath, path);
    await syncFolder(targetFolder);
    return { path, manifest, hasSecret };
  } finally {
    liveDatabase.close();
  }
}

async function fillBackup(
  options: BackupOptions,
  liveDatabase: SqliteFile,
  partialPath: string,
  madeAt: string,
): Promise<Omit<Backup, "path">> {
  const { entries, lost, bytes } = await copyContent(options, liveDatabase, partialPath);
  await writeText(join(partialPath, checksumsFileName), entries.map(formatChecksumLine).join(""));
  const checksumsDigest = await computeFileDigest(join(partialPath, checksumsFileName));
  const manifest = {
    format: 1,
    version: options.version,
    madeAt,
    files: entries.length,
    bytes,
    sums: checksumsDigest,
    lost,
  };
  await writeText(join(partialPath, manifestFileName), `${JSON.stringify(manifest, null, 2)}\n`);
  const { manifest: verifiedManifest } = await verifyBackup(partialPath, options.reportProgress);
  await syncFolders(partialPath);
  return { manifest: verifiedManifest, hasSecret: entries.some((entry) => entry.path === secretFileName) };
}

async function copyContent(
  { dataDir, clock, reportProgress }: BackupOptions,
  liveDatabase: SqliteFile,
  partialPath: string,
): Promise<{ entries: ChecksumEntry[]; lost: string[]; bytes: number }> {
  reportProgress("copying the database");
  liveDatabase.copyTo(join(partialPath, databaseFileName));
  const entries: ChecksumEntry[] = [];
  const secretPath = join(dataDir, secretFileName);
  if (existsSync(secretPath))
    entries.push({ path: secretFileName, ...(await copyFileDurably(secretPath, join(partialPath, secretFileName))) });

  const lostKeys: string[] = [];
  const deletedAssets: { assetId: string; studioId: string }[] = [];
  const snapshot = openSqliteFile(partialPath, { isExclusive: false });
  const total = snapshot.countReadyFiles();
  let [copiedCount, bytes] = [0, 0];
  try {
    await forEachConcurrent(snapshot.listReadyFiles(), 8, async (file) => {
      const copiedFile = await copyStoredFile(dataDir, partialPath, file);
      if (copiedFile) {
        entries.push(copiedFile);
        copiedCount++;
        bytes += file.bytes;
      } else if (liveDatabase.listAssetsOfFile(file.key).length > 0) lostKeys.push(file.key);
      else deletedAssets.push(...snapshot.listAssetsOfFile(file.key));
      reportProgress(`copied ${copiedCount} of ${total} files, ${formatBytes(bytes)}`);
    });
  } finally {
    snapshot.close();
  }
  await deleteSnapshotRecords(join(partialPath, databaseFileName), deletedAssets, clock);
  await syncFile(join(partialPath, databaseFileName));
  entries.push({ path: databaseFileName, sha256: await computeFileDigest(join(partialPath, databaseFileName)) });
  return { entries, lost: lostKeys.toSorted(), bytes };
}

/** Returns undefined if the file is missing or its content does not match the recorded digest. */
async function copyStoredFile(
  dataDir: string,
  partialPath: string,
  file: RecordedFile,
): Promise<ChecksumEntry | undefined> {
  const versions = await findVersions(join(dataDir, "files"), file.key);
  const version = versions.find(({ sha256 }) => sha256 === file.sha256);
  if (!version) return undefined;
  const path = relative(dataDir, version.path).replaceAll("\\", "/");
  const to = join(partialPath, path);
  const copiedFile = await copyFileDurably(version.path, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (copiedFile?.sha256 === file.sha256) return { path, sha256: copiedFile.sha256 };
  await rm(to, { force: true });
  return undefined;
}

/** Deletes records from the snapshot whose files the live server deleted during the backup. */
async function deleteSnapshotRecords(
  path: string,
  assets: readonly { assetId: string; studioId: string }[],
  clock: Clock,
): Promise<void> {
  if (assets.length === 0) return;
  const database = openSqlite(path);
  try {
    const stores = createStores(database);
    for (const { studioId, assetId } of assets) {
      const asset = await stores.assets.findWithTrash(studioId, assetId);
      if (asset) await stores.transact({ job: "restore" }, (tx) => deleteAssets({ clock }, tx, [asset]));
    }
  } finally {
    await database.close();
  }
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}
