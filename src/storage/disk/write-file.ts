import { createHash } from "node:crypto";
import { mkdir, open, rename, rm, statfs, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { toDiskError, diskFullError, getErrno, withDiskErrors } from "./disk-errors.ts";
import { findVersions, getTempFolder, nextTurn, toFileVersion, type FileVersion } from "./layout.ts";
import { tooLargeError } from "../check-key.ts";
import { untilAborted } from "../until-aborted.ts";

export interface DiskWriter {
  /** Pours all of `body` into a temporary file that is durable when this resolves. Leaves nothing where it fails. */
  writeTempFile(body: AsyncIterable<Uint8Array>, options: TempFileOptions): Promise<TempFile>;
  /** Gives poured bytes their name. From then on they are what lies at `key`, also after a power cut. */
  publish(key: string, tempFile: TempFile): Promise<FileVersion>;
  /** Remembers of `key` that it was sent `bytes`, which were too many to keep. */
  publishOverLimit(key: string, bytes: number): Promise<FileVersion>;
  /** Throws where so many bytes would leave less free than must stay. */
  checkSpace(requiredBytes: number): Promise<void>;
  /** Renames, and makes both ends durable. False where `from` is gone. */
  move(from: FileVersion, to: FileVersion): Promise<boolean>;
}

export interface TempFileOptions {
  maxBytes: number;
  /** What the sender says it will send: refused at once where it does not fit on the disk. */
  declaredBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface TempFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** Large enough that the calls cost nothing beside the bytes, small enough to have hundreds of uploads at once. */
const batchBytes = 1024 * 1024;
/** How much may be written between two looks at the free space. */
const spaceCheckBytes = 64 * 1024 * 1024;

export interface WriterOptions {
  root: string;
  clock: Clock;
  /** New bytes are refused while less than this is free: the database needs room too. */
  minFreeBytes: number;
  newName: () => string;
}

export function createWriter({ root, clock, minFreeBytes, newName }: WriterOptions): DiskWriter {
  /** Folders that this process made durable, up to the root. */
  const durableFolders = new Set<string>();

  const createTempPath = () => join(getTempFolder(root), newName());

  async function writeTempFile(body: AsyncIterable<Uint8Array>, options: TempFileOptions): Promise<TempFile> {
    await checkSpace(options.declaredBytes ?? 0);
    const path = createTempPath();
    const file = await withDiskErrors(open(path, "wx", 0o600));
    try {
      const content = await copyBody(body, file, options);
      await withDiskErrors(file.sync());
      await withDiskErrors(file.close());
      return { path, ...content };
    } catch (error) {
      await file.close().catch(() => {});
      await rm(path, { force: true }).catch(() => {}); // the sweeper gets what even this cannot remove
      throw error;
    }
  }

  /** Hashes one batch while the one before is written: two batches in memory, whatever the size. */
  async function copyBody(
    body: AsyncIterable<Uint8Array>,
    file: FileHandle,
    options: TempFileOptions,
  ): Promise<Omit<TempFile, "path">> {
    const hash = createHash("sha256");
    const source = options.signal ? untilAborted(body, options.signal) : body;
    let bytes = 0;
    let lastSpaceCheck = 0;
    let batch: Uint8Array[] = [];
    let batchLength = 0;
    let writing = Promise.resolve();
    try {
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > options.maxBytes) throw tooLargeError();
        hash.update(chunk);
        batch.push(chunk);
        batchLength += chunk.length;
        if (batchLength < batchBytes) continue;
        await writing;
        writing = writeAll(file, batch);
        writing.catch(() => {}); // seen by the next await
        batch = [];
        batchLength = 0;
        if (bytes - lastSpaceCheck < spaceCheckBytes) continue;
        lastSpaceCheck = bytes;
        await checkSpace(0);
      }
    } finally {
      await writing.catch(() => {}); // never close a file under a write
    }
    await writing;
    await writeAll(file, batch);
    return { bytes, sha256: hash.digest("hex") };
  }

  async function checkSpace(requiredBytes: number): Promise<void> {
    const { bavail, bsize } = await withDiskErrors(statfs(root));
    if (bavail * bsize - requiredBytes < minFreeBytes) throw diskFullError();
  }

  async function publish(key: string, { path, bytes, sha256 }: TempFile): Promise<FileVersion> {
    return publishFile(path, key, bytes, sha256);
  }

  async function publishOverLimit(key: string, bytes: number): Promise<FileVersion> {
    const path = createTempPath();
    await withDiskErrors(open(path, "wx", 0o600).then((file) => file.close()));
    return publishFile(path, key, bytes, undefined);
  }

  async function publishFile(
    path: string,
    key: string,
    bytes: number,
    sha256: string | undefined,
  ): Promise<FileVersion> {
    try {
      const previousVersions = await findVersions(root, key);
      const version = toFileVersion(root, { key, turn: nextTurn(clock(), previousVersions.at(-1)), bytes, sha256 });
      await renameInto(path, version);
      await syncFolder(version.folder);
      // Not synced: should they come back after a power cut, the new one still has the higher turn.
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
    await syncFolder(to.folder);
    await syncFolder(from.folder);
    return true;
  }

  async function renameInto(path: string, to: FileVersion): Promise<void> {
    await ensureFolder(to.folder);
    try {
      await rename(path, to.path);
    } catch (error) {
      if (getErrno(error) !== "ENOENT") throw toDiskError(error);
      // Somebody tidied the folder away, or `path` is gone; only the second fails again.
      durableFolders.delete(to.folder);
      await ensureFolder(to.folder);
      await withDiskErrors(rename(path, to.path));
    }
  }

  /** A file is durable only if every folder above it is. */
  async function ensureFolder(folder: string): Promise<void> {
    if (durableFolders.has(folder)) return;
    await withDiskErrors(mkdir(folder, { recursive: true, mode: 0o700 }));
    for (let parent = dirname(folder); parent.length >= root.length; parent = dirname(parent)) await syncFolder(parent);
    durableFolders.add(folder);
  }

  return { writeTempFile, publish, publishOverLimit, checkSpace, move };
}

/** All of the chunks, behind what was written before, or from `start` on. */
export async function writeAll(file: FileHandle, chunks: Uint8Array[], start?: number): Promise<void> {
  let remaining = chunks;
  let position = start;
  while (remaining.length > 0) {
    const { bytesWritten } = await withDiskErrors(file.writev(remaining, position));
    remaining = dropFirst(remaining, bytesWritten);
    if (position !== undefined) position += bytesWritten;
  }
}

/** What is left of the chunks after a write that took only some of them, as a nearly full disk does. */
function dropFirst(chunks: Uint8Array[], count: number): Uint8Array[] {
  let skip = count;
  let first = 0;
  while (first < chunks.length && skip >= (chunks[first]?.length ?? 0)) skip -= chunks[first++]?.length ?? 0;
  const remaining = chunks.slice(first);
  const [head] = remaining;
  return head && skip > 0 ? [head.subarray(skip), ...remaining.slice(1)] : remaining;
}

/** Windows has no such call, and needs none: its file systems log renames before they answer. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await withDiskErrors(open(path, "r"));
  try {
    // Some network file systems do not know the call for folders either, and say so.
    await withDiskErrors(
      folder.sync().catch((error: unknown) => {
        if (!["EINVAL", "ENOTSUP"].includes(getErrno(error) ?? "")) throw error;
      }),
    );
  } finally {
    await folder.close();
  }
}
