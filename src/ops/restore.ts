import { mkdir, readdir, rename, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkSqliteHistory } from "#db/migrate.ts";
import { createStores, databaseFileName, migrationsFolder, openDatabase } from "#db/open-database.ts";
import { unapprovePublications } from "#domain/operator/unapprove-publications.ts";
import { getTempFolder } from "#storage/disk/layout.ts";
import { syncFolder } from "#storage/disk/write-file.ts";
import { systemClock } from "#lib/clock.ts";
import { OperatorError } from "#lib/errors.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createLog } from "#lib/log.ts";
import {
  copyFileDurably,
  partialSuffix,
  syncFolders,
  verifyBackup,
  type Manifest,
  type ChecksumEntry,
} from "./manifest.ts";
import { forEachConcurrent } from "./for-each-concurrent.ts";
import type { ProgressReporter } from "./progress.ts";

export interface RestoreOptions {
  from: string;
  dataDir: string;
  reportProgress: ProgressReporter;
}

export interface RestoredBackup {
  manifest: Manifest;
  /** How many scheduled publications wait for approval again. */
  unapproved: number;
}

/**
 * Verifies a backup and copies it to an empty data folder. The database is copied last, and moves to its path once it is
 * complete and none of its publications would start: since the backup, they may have been published or canceled. Until
 * then, no server can start on the folder.
 */
export async function restoreBackup({ from, dataDir, reportProgress }: RestoreOptions): Promise<RestoredBackup> {
  if (basename(from).endsWith(partialSuffix))
    throw new OperatorError(`${from} is an incomplete backup. Use another backup.`);
  await assertFolderEmpty(dataDir);
  const { manifest, entries } = await verifyBackup(from, reportProgress);
  await checkSqliteHistory(join(from, databaseFileName), migrationsFolder);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Without a temp folder, the disk store assumes that its folder is missing.
  await mkdir(getTempFolder(join(dataDir, "files")), { recursive: true, mode: 0o700 });
  let restoredCount = 0;
  const restoreFile = async ({ path, sha256 }: ChecksumEntry, to = path): Promise<void> => {
    const copiedFile = await copyFileDurably(join(from, path), join(dataDir, to));
    if (copiedFile.sha256 !== sha256)
      throw new OperatorError(
        `${path} in the backup changed during the restore. Empty ${dataDir} and restore another backup.`,
      );
    reportProgress(`restored ${++restoredCount} of ${entries.length} files`);
  };
  await forEachConcurrent(
    entries.filter(({ path }) => path !== databaseFileName),
    8,
    (entry) => restoreFile(entry),
  );
  const partialDir = join(dataDir, `${databaseFileName}${partialSuffix}`);
  for (const entry of entries)
    if (entry.path === databaseFileName) await restoreFile(entry, join(basename(partialDir), databaseFileName));
  const unapproved = await unapproveAll(partialDir);
  if ((await readdir(partialDir)).length > 1)
    throw new Error(`the log of the database in ${partialDir} was not closed`);
  await syncFolders(dataDir);
  await rename(join(partialDir, databaseFileName), join(dataDir, databaseFileName));
  await rmdir(partialDir);
  await syncFolder(dataDir);
  return { manifest, unapproved };
}

/** Closing the database moves all changes from its log to its file. */
async function unapproveAll(databaseFolder: string): Promise<number> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir: databaseFolder, log: createLog("silent") });
  try {
    const deps = { ...createStores(database), clock: systemClock, newId: createIdGenerator(systemClock) };
    return (await unapprovePublications(deps, { operator: true })).unapproved;
  } finally {
    await database.close();
  }
}

async function assertFolderEmpty(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.every((name) => name === "lost+found")) return;
  throw new OperatorError(
    `${dataDir} is not empty. Stop the server, move the folder away or set DATA_DIR to another one, and try again.`,
  );
}
