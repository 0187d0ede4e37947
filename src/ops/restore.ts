import { mkdir, readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { databaseFileName } from "#db/open-database.ts";
import { getTempFolder } from "#storage/disk/layout.ts";
import { syncFolder } from "#storage/disk/write-file.ts";
import { OperatorError } from "#lib/errors.ts";
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

/**
 * Verifies a backup and copies it to an empty data folder. The database is copied last and gets its name once it
 * is complete, so that no server can start on a partly restored folder.
 */
export async function restoreBackup({ from, dataDir, reportProgress }: RestoreOptions): Promise<Manifest> {
  if (basename(from).endsWith(partialSuffix))
    throw new OperatorError(`${from} is an incomplete backup. Use another backup.`);
  await assertFolderEmpty(dataDir);
  const { manifest, entries } = await verifyBackup(from, reportProgress);
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
  const tempName = `${databaseFileName}${partialSuffix}`;
  for (const entry of entries) if (entry.path === databaseFileName) await restoreFile(entry, tempName);
  await syncFolders(dataDir);
  await rename(join(dataDir, tempName), join(dataDir, databaseFileName));
  await syncFolder(dataDir);
  return manifest;
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
