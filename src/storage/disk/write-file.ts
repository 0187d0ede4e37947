import { createHash } from "node:crypto";
import { mkdir, open, rename, rm, statfs, unlink, writeFile, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder as syncFolderOnDisk } from "#lib/sync-folder.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { toDiskError, diskFullError, getErrno, withDiskErrors } from "./disk-errors.ts";
import { findVersions, getFolder, getTempFolder, getNextSequence, toFileVersion, type FileVersion } from "./layout.ts";
import { readBatches } from "../read-batches.ts";

export interface DiskWriter {
  /** Creates the folder of a key durably, so that `publish` takes less time. */
  prepareFolder(key: string): Promise<void>;
  /** Writes `body` to a temp file. The file is durable when the call resolves; no file is left if the call rejects. */
  writeTempFile(body: AsyncIterable<Uint8Array>, options: TempFileOptions): Promise<TempFile>;
  /** Renames a temp file to become the current version of `key`, durably. */
  publish(key: string, tempFile: TempFile): Promise<FileVersion>;
  /** Records that a body of at least `bytes` exceeded the limit of `key` and was not stored. */
  recordOverLimit(key: string, bytes: number): Promise<FileVersion>;
  /** Throws if storing `requiredBytes` would leave less than `minFreeBytes` free. */
  checkSpace(requiredBytes: number): Promise<void>;
  /** Like `checkSpace`, with another error if the store is not full, because a retry does not help a large file. */
  checkFileFits(bytes: number): Promise<void>;
  /** Renames a file, durably. Resolves to false if `from` no longer exists. */
  move(from: FileVersion, to: FileVersion): Promise<boolean>;
}

export interface TempFileOptions {
  maxBytes: number;
  /** The size announced by the client. The write is rejected at once if the disk lacks this space. */
  declaredBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Runs while the file is synced. */
  beforeVisible?: (() => Promise<void>) | undefined;
}

export interface TempFile {
  path: string;
  bytes: number;
  /** Undefined if the body exceeded its limit. */
  sha256: string | undefined;
}

/** The free space is checked again after this many bytes. */
const spaceCheckBytes = 64 * 1024 * 1024;

export interface WriterOptions {
  root: string;
  clock: Clock;
  /** Writes are rejected below this much free space, because the database needs space too. */
  minFreeBytes: number;
  newName: () => string;
}

export function createWriter({ root, clock, minFreeBytes, newName }: WriterOptions): DiskWriter {
  /** Folders that this process has created and synced, including their parents up to the root. */
  const durableFolders = new Set<string>();

  const createTempPath = () => join(getTempFolder(root), newName());

  async function writeTempFile(body: AsyncIterable<Uint8Array>, options: TempFileOptions): Promise<TempFile> {
    await checkSpace(options.declaredBytes ?? 0);
    const path = createTempPath();
    const file = await withDiskErrors(open(path, "wx", 0o600));
    try {
      const content = await copyBody(body, file, options);
      // The sync starts first: on SQLite, `beforeVisible` blocks this thread until its own sync is done.
      await Promise.all([withDiskErrors(file.sync()), options.beforeVisible?.()]);
      await withDiskErrors(file.close());
      return { path, ...content };
    } catch (error) {
      await file.close().catch(() => {});
      await rm(path, { force: true }).catch(() => {}); // if this fails, the sweeper removes the file
      throw error;
    }
  }

  /** Receives and hashes a batch while the previous one is written, so at most two batches are in memory. */
  async function copyBody(
    body: AsyncIterable<Uint8Array>,
    file: FileHandle,
    options: TempFileOptions,
  ): Promise<Omit<TempFile, "path">> {
    const hash = createHash("sha256");
    let bytes = 0;
    let lastSpaceCheck = 0;
    let pendingWrite = Promise.resolve();
    try {
      for await (const batch of readBatches(body, options)) {
        await pendingWrite;
        pendingWrite = writeAll(file, batch.chunks);
        pendingWrite.catch(() => {}); // the next await rethrows the error
        bytes += batch.bytes;
        for (const chunk of batch.chunks) hash.update(chunk);
        if (bytes - lastSpaceCheck < spaceCheckBytes) continue;
        lastSpaceCheck = bytes;
        await checkSpace(0);
      }
    } finally {
      await pendingWrite.catch(() => {}); // never close the file during a write
    }
    await pendingWrite;
    return { bytes, sha256: hash.digest("hex") };
  }

  async function getUsableBytes(): Promise<number> {
    const { bavail, bsize } = await withDiskErrors(statfs(root));
    return bavail * bsize - minFreeBytes;
  }

  async function checkSpace(requiredBytes: number): Promise<void> {
    if ((await getUsableBytes()) < requiredBytes) throw diskFullError();
  }

  async function checkFileFits(bytes: number): Promise<void> {
    const usableBytes = await getUsableBytes();
    if (usableBytes < 0) throw diskFullError();
    if (usableBytes < bytes) throw new AppError("quota_exceeded:free_space");
  }

  async function recordOverLimit(key: string, bytes: number): Promise<FileVersion> {
    const path = createTempPath();
    await withDiskErrors(writeFile(path, "", { flag: "wx", mode: 0o600 }));
    return publish(key, { path, bytes, sha256: undefined });
  }

  async function publish(key: string, { path, bytes, sha256 }: TempFile): Promise<FileVersion> {
    try {
      const previousVersions = await findVersions(root, key);
      const sequence = getNextSequence(clock(), previousVersions.at(-1));
      const version = toFileVersion(root, { key, sequence, bytes, sha256 });
      await renameInto(path, version);
      await syncFolder(version.folder);
      // Not synced: if the old versions reappear after a power loss, the new one still has the higher sequence.
      for (const previous of previousVersions) await unlink(previous.path).catch(() => {});
      return version;
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  async function move(from: FileVersion, to: FileVersion): Promise<boolean> {
    try {
      await renameInto(from.path, to);
    } catch (error) {
      if (error instanceof AppError && getErrno(error.cause) === "ENOENT") return false;
      throw error;
    }
    await Promise.all([syncFolder(to.folder), syncFolder(from.folder)]);
    return true;
  }

  async function renameInto(path: string, to: FileVersion): Promise<void> {
    await ensureFolder(to.folder);
    try {
      await rename(path, to.path);
    } catch (error) {
      if (getErrno(error) !== "ENOENT") throw toDiskError(error);
      // Either the target folder was removed or `path` no longer exists. Only a missing `path` fails again.
      durableFolders.clear();
      await ensureFolder(to.folder);
      await withDiskErrors(rename(path, to.path));
    }
  }

  /** A file is durable only if every folder above it is. */
  async function ensureFolder(folder: string): Promise<void> {
    if (durableFolders.has(folder)) return;
    await withDiskErrors(mkdir(folder, { recursive: true, mode: 0o700 }));
    const newFolders: string[] = [];
    for (let path = folder; path !== root && !durableFolders.has(path); path = dirname(path)) newFolders.push(path);
    await Promise.all(newFolders.map((path) => syncFolder(dirname(path))));
    for (const path of newFolders) durableFolders.add(path);
  }

  const prepareFolder: DiskWriter["prepareFolder"] = (key) => ensureFolder(getFolder(root, key));

  return { prepareFolder, writeTempFile, publish, recordOverLimit, checkSpace, checkFileFits, move };
}

/** Writes all chunks at `start`, or at the current position of the file. */
export async function writeAll(file: FileHandle, chunks: Uint8Array[], start?: number): Promise<void> {
  let remainingChunks = chunks;
  let position = start;
  while (remainingChunks.length > 0) {
    const { bytesWritten } = await withDiskErrors(file.writev(remainingChunks, position));
    remainingChunks = dropBytes(remainingChunks, bytesWritten);
    if (position !== undefined) position += bytesWritten;
  }
}

/** Returns the chunks without their first `count` bytes. A write may be partial, such as on a nearly full disk. */
function dropBytes(chunks: Uint8Array[], count: number): Uint8Array[] {
  let skip = count;
  let index = 0;
  while (index < chunks.length && skip >= (chunks[index]?.length ?? 0)) skip -= chunks[index++]?.length ?? 0;
  const remainingChunks = chunks.slice(index);
  const [head] = remainingChunks;
  return head && skip > 0 ? [head.subarray(skip), ...remainingChunks.slice(1)] : remainingChunks;
}

/** Makes renames in a folder durable. */
export const syncFolder = (path: string): Promise<void> => withDiskErrors(syncFolderOnDisk(path));
