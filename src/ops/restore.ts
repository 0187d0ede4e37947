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
  type ManifestEntry,
} from "./manifest.ts";
import { forEachConcurrent, type ProgressReporter } from "./progress.ts";

export interface RestoreOptions {
  from: string;
  dataDir: string;
  reportProgress: ProgressReporter;
}

/**
 * Fills an empty data folder from a backup, after all of it was found to be what it was. The database comes last, under
 * its own name only when it is whole: until then no service starts on the folder.
 */
export async function restoreBackup({ from, dataDir, reportProgress }: RestoreOptions): Promise<Manifest> {
  if (basename(from).endsWith(partialSuffix))
    throw new OperatorError(`${from} is a backup that was never finished. Use another one.`);
  await assertFolderEmpty(dataDir);
  const { manifest, listed: entries } = await verifyBackup(from, reportProgress);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // The disk store takes a folder without this one for a lost one.
  await mkdir(getTempFolder(join(dataDir, "files")), { recursive: true, mode: 0o700 });
  let restoredCount = 0;
  const restoreFile = async ({ path, sha256 }: ManifestEntry, to = path): Promise<void> => {
    const copiedFile = await copyFileDurably(join(from, path), join(dataDir, to));
    if (copiedFile.sha256 !== sha256)
      throw new OperatorError(`${path} changed while it was read. Empty ${dataDir}, and restore another backup.`);
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
    `${dataDir} is not empty. Stop the service, move that folder away or set DATA_DIR to another, and try again.`,
  );
}
