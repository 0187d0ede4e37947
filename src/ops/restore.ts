import { mkdir, readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { databaseFile } from "#db/open.ts";
import { temporaryFolder } from "#storage/disk-layout.ts";
import { syncFolder } from "#storage/disk-write.ts";
import { OperatorError } from "#lib/operator-error.ts";
import { copyFile, syncFolders } from "./copy-file.ts";
import { partial, verifyBackup, type Listed, type Manifest } from "./manifest.ts";
import type { Tell } from "./tell.ts";
import { sideBySide } from "./side-by-side.ts";

export interface RestoreOptions {
  from: string;
  dataDir: string;
  tell: Tell;
}

/**
 * Fills an empty data folder from a backup, after all of it was found to be what it was. The database comes last, under
 * its own name only when it is whole: until then no service starts on the folder.
 */
export async function restore({ from, dataDir, tell }: RestoreOptions): Promise<Manifest> {
  if (basename(from).endsWith(partial))
    throw new OperatorError(`${from} is a backup that was never finished. Use another one.`);
  await refuseFilledFolder(dataDir);
  const { manifest, listed } = await verifyBackup(from, tell);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // The disk store takes a folder without this one for a lost one.
  await mkdir(temporaryFolder(join(dataDir, "files")), { recursive: true, mode: 0o700 });
  let done = 0;
  const copy = async ({ path, sha256 }: Listed, to = path): Promise<void> => {
    const copied = await copyFile(join(from, path), join(dataDir, to));
    if (copied.sha256 !== sha256)
      throw new OperatorError(`${path} changed while it was read. Empty ${dataDir}, and restore another backup.`);
    tell(`restored ${++done} of ${listed.length} files`);
  };
  await sideBySide(
    listed.filter(({ path }) => path !== databaseFile),
    8,
    (one) => copy(one),
  );
  const draft = `${databaseFile}${partial}`;
  for (const one of listed) if (one.path === databaseFile) await copy(one, draft);
  await syncFolders(dataDir);
  await rename(join(dataDir, draft), join(dataDir, databaseFile));
  await syncFolder(dataDir);
  return manifest;
}

async function refuseFilledFolder(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.every((name) => name === "lost+found")) return;
  throw new OperatorError(
    `${dataDir} is not empty. Stop the service, move that folder away or set DATA_DIR to another, and try again.`,
  );
}
