import { lstat, mkdir, open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getErrno, UnusableFolderError } from "./disk-errors.ts";
import { getTempFolder } from "./layout.ts";
import { syncFolder } from "./write-file.ts";

/**
 * Creates the folder on the first start and checks that it is writable; throws an error with the reason otherwise.
 * Returns the real path, so that changing a symbolic link at runtime does not split the files across two folders.
 * `mustExist`: files were stored before, so a missing or empty folder means data loss, not a first start.
 */
export async function prepareRoot(root: string, mustExist: boolean, newName: () => string): Promise<string> {
  try {
    await assertIsFolder(root);
    if (mustExist) await assertFolderNotLost(root);
    await mkdir(getTempFolder(root), { recursive: true, mode: 0o700 });
    const realRoot = await realpath(root);
    await assertWritable(realRoot, newName());
    await syncFolder(realRoot);
    await syncFolder(dirname(realRoot));
    return realRoot;
  } catch (error) {
    if (error instanceof UnusableFolderError) throw error;
    const code = getErrno(error) ?? getErrno((error as Error).cause);
    throw new UnusableFolderError(
      `Atelier cannot start: the file folder ${root} ${reasonByCode[code ?? ""] ?? `is not usable (${code ?? String(error)})`}.`,
      { cause: error },
    );
  }
}

const reasonByCode: Record<string, string> = {
  EACCES: "is not writable by this user",
  EPERM: "is not writable by this user",
  EROFS: "is on a read-only file system",
  ENOSPC: "is on a full disk",
  EDQUOT: "is on a full disk",
  ENOTDIR: "has a parent that is not a folder",
};

async function assertIsFolder(root: string): Promise<void> {
  const stats = await lstat(root).catch(ignoreMissing);
  if (!stats) return;
  const targetStats = stats.isSymbolicLink() ? await stat(root).catch(ignoreMissing) : stats;
  if (!targetStats) throw new UnusableFolderError(`Atelier cannot start: ${root} is a broken symbolic link.`);
  if (!targetStats.isDirectory()) throw new UnusableFolderError(`Atelier cannot start: ${root} is not a folder.`);
}

async function assertFolderNotLost(root: string): Promise<void> {
  if (await stat(getTempFolder(root)).catch(ignoreMissing)) return;
  throw new UnusableFolderError(
    `Atelier cannot start: the database lists stored files, but the file folder ${root} is missing or empty. ` +
      "Mount it or restore it from a backup. Nothing was changed.",
  );
}

function ignoreMissing(error: unknown): undefined {
  if (getErrno(error) !== "ENOENT") throw error;
}

/** Does what storing a file does: create, sync and rename. Some network file systems reject one of them. */
async function assertWritable(root: string, name: string): Promise<void> {
  const path = join(getTempFolder(root), name);
  let file: FileHandle | undefined;
  try {
    file = await open(path, "wx", 0o600);
    await file.write("x");
    await file.sync();
    await rename(path, `${path}.proof`);
  } finally {
    await file?.close();
    await rm(path, { force: true });
    await rm(`${path}.proof`, { force: true });
  }
}
