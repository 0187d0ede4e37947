import { lstat, mkdir, open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getErrno, UnusableFolderError } from "./disk-errors.ts";
import { getTempFolder } from "./layout.ts";
import { syncFolder } from "./write-file.ts";

export interface RootOptions {
  root: string;
  /** Files were stored before: then a folder that is missing or empty is a lost one, not a first start. */
  mustExist: boolean;
  newName: () => string;
}

/**
 * Makes the folder on the first start and proves that it can be written, or says why not.
 * Answers its real path, so that a link that is turned elsewhere later splits nothing in two.
 */
export async function prepareRoot({ root, mustExist, newName }: RootOptions): Promise<string> {
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
      `Atelier cannot start: the folder for files, ${root}, ${reasonByCode[code ?? ""] ?? `cannot be used (${code ?? String(error)})`}.`,
      { cause: error },
    );
  }
}

const reasonByCode: Record<string, string> = {
  EACCES: "may not be written by this user",
  EPERM: "may not be written by this user",
  EROFS: "is on a read-only file system",
  ENOSPC: "is on a full disk",
  EDQUOT: "is on a full disk",
  ENOTDIR: "lies below something that is not a folder",
};

async function assertIsFolder(root: string): Promise<void> {
  const entry = await lstat(root).catch(ignoreMissing);
  if (!entry) return;
  const target = entry.isSymbolicLink() ? await stat(root).catch(ignoreMissing) : entry;
  if (!target) throw new UnusableFolderError(`Atelier cannot start: ${root} is a link to something that is not there.`);
  if (!target.isDirectory()) throw new UnusableFolderError(`Atelier cannot start: ${root} is not a folder.`);
}

async function assertFolderNotLost(root: string): Promise<void> {
  if (await stat(getTempFolder(root)).catch(ignoreMissing)) return;
  throw new UnusableFolderError(
    `Atelier cannot start: the database knows of stored files, but the folder for files, ${root}, is missing or empty. ` +
      "Mount it, or restore it from a backup. Nothing was changed.",
  );
}

function ignoreMissing(error: unknown): undefined {
  if (getErrno(error) !== "ENOENT") throw error;
}

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
