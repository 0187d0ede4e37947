import { createHash } from "node:crypto";
import { mkdir, open, rename, rm, statfs, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { diskFault, diskFull, errnoOf, io } from "./disk-faults.ts";
import { findVersions, nextTurn, placeVersion, temporaryFolder, type Version } from "./disk-layout.ts";
import { tooLarge } from "./keys.ts";
import { untilAborted } from "./until-aborted.ts";

export interface Writer {
  /** Pours all of `body` into a temporary file that is durable when this resolves. Leaves nothing where it fails. */
  pour(body: AsyncIterable<Uint8Array>, options: PourOptions): Promise<Poured>;
  /** Gives poured bytes their name. From then on they are what lies at `key`, also after a power cut. */
  publish(key: string, poured: Poured): Promise<Version>;
  /** Remembers of `key` that it was sent `bytes`, which were too many to keep. */
  publishOverLimit(key: string, bytes: number): Promise<Version>;
  /** Throws where so many bytes would leave less free than must stay. */
  checkSpace(wanted: number): Promise<void>;
  /** Renames, and makes both ends durable. False where `from` is gone. */
  move(from: Version, to: Version): Promise<boolean>;
}

export interface PourOptions {
  maxBytes: number;
  /** What the sender says it will send: refused at once where it does not fit on the disk. */
  declaredBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface Poured {
  path: string;
  bytes: number;
  sha256: string;
}

/** Large enough that the calls cost nothing beside the bytes, small enough to have hundreds of uploads at once. */
const batchBytes = 1024 * 1024;
/** How much may be written between two looks at the free space. */
const spaceCheckBytes = 64 * 1024 * 1024;

export interface WriterParts {
  root: string;
  clock: Clock;
  /** New bytes are refused while less than this is free: the database needs room too. */
  minFreeBytes: number;
  newName: () => string;
}

export function createWriter({ root, clock, minFreeBytes, newName }: WriterParts): Writer {
  /** Folders that this process made durable, up to the root. */
  const known = new Set<string>();

  const temporaryPath = () => join(temporaryFolder(root), newName());

  async function pour(body: AsyncIterable<Uint8Array>, options: PourOptions): Promise<Poured> {
    await checkSpace(options.declaredBytes ?? 0);
    const path = temporaryPath();
    const file = await io(open(path, "wx", 0o600));
    try {
      const written = await copy(body, file, options);
      await io(file.sync());
      await io(file.close());
      return { path, ...written };
    } catch (error) {
      await file.close().catch(() => {});
      await rm(path, { force: true }).catch(() => {}); // the sweeper gets what even this cannot remove
      throw error;
    }
  }

  /** Hashes one batch while the one before is written: two batches in memory, whatever the size. */
  async function copy(
    body: AsyncIterable<Uint8Array>,
    file: FileHandle,
    options: PourOptions,
  ): Promise<Omit<Poured, "path">> {
    const hash = createHash("sha256");
    const source = options.signal ? untilAborted(body, options.signal) : body;
    let bytes = 0;
    let checkedAt = 0;
    let batch: Uint8Array[] = [];
    let batched = 0;
    let writing = Promise.resolve();
    try {
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > options.maxBytes) throw tooLarge();
        hash.update(chunk);
        batch.push(chunk);
        batched += chunk.length;
        if (batched < batchBytes) continue;
        await writing;
        writing = writeAll(file, batch);
        writing.catch(() => {}); // seen by the next await
        batch = [];
        batched = 0;
        if (bytes - checkedAt < spaceCheckBytes) continue;
        checkedAt = bytes;
        await checkSpace(0);
      }
    } finally {
      await writing.catch(() => {}); // never close a file under a write
    }
    await writing;
    await writeAll(file, batch);
    return { bytes, sha256: hash.digest("hex") };
  }

  async function checkSpace(wanted: number): Promise<void> {
    const { bavail, bsize } = await io(statfs(root));
    if (bavail * bsize - wanted < minFreeBytes) throw diskFull();
  }

  async function publish(key: string, { path, bytes, sha256 }: Poured): Promise<Version> {
    return give(path, key, bytes, sha256);
  }

  async function publishOverLimit(key: string, bytes: number): Promise<Version> {
    const path = temporaryPath();
    await io(open(path, "wx", 0o600).then((file) => file.close()));
    return give(path, key, bytes, undefined);
  }

  async function give(path: string, key: string, bytes: number, sha256: string | undefined): Promise<Version> {
    try {
      const before = await findVersions(root, key);
      const made = placeVersion(root, { key, turn: nextTurn(clock(), before.at(-1)), bytes, sha256 });
      await renameInto(path, made);
      await syncFolder(made.folder);
      // Not synced: should they come back after a power cut, the new one still has the higher turn.
      for (const old of before) await unlink(old.path).catch(() => {});
      return made;
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  async function move(from: Version, to: Version): Promise<boolean> {
    try {
      await renameInto(from.path, to);
    } catch (error) {
      if (error instanceof AppError && errnoOf(error.cause) === "ENOENT") return false;
      throw error;
    }
    await syncFolder(to.folder);
    await syncFolder(from.folder);
    return true;
  }

  async function renameInto(path: string, to: Version): Promise<void> {
    await ensureFolder(to.folder);
    try {
      await rename(path, to.path);
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw diskFault(error);
      // Somebody tidied the folder away, or `path` is gone; only the second fails again.
      known.delete(to.folder);
      await ensureFolder(to.folder);
      await io(rename(path, to.path));
    }
  }

  /** A file is durable only if every folder above it is. */
  async function ensureFolder(folder: string): Promise<void> {
    if (known.has(folder)) return;
    await io(mkdir(folder, { recursive: true, mode: 0o700 }));
    for (let parent = dirname(folder); parent.length >= root.length; parent = dirname(parent)) await syncFolder(parent);
    known.add(folder);
  }

  return { pour, publish, publishOverLimit, checkSpace, move };
}

/** All of the chunks, behind what was written before, or from `start` on. */
export async function writeAll(file: FileHandle, chunks: Uint8Array[], start?: number): Promise<void> {
  let rest = chunks;
  let at = start;
  while (rest.length > 0) {
    const { bytesWritten } = await io(file.writev(rest, at));
    rest = dropFirst(rest, bytesWritten);
    if (at !== undefined) at += bytesWritten;
  }
}

/** What is left of the chunks after a write that took only some of them, as a nearly full disk does. */
function dropFirst(chunks: Uint8Array[], count: number): Uint8Array[] {
  let skip = count;
  let first = 0;
  while (first < chunks.length && skip >= (chunks[first]?.length ?? 0)) skip -= chunks[first++]?.length ?? 0;
  const rest = chunks.slice(first);
  const [head] = rest;
  return head && skip > 0 ? [head.subarray(skip), ...rest.slice(1)] : rest;
}

/** Windows has no such call, and needs none: its file systems log renames before they answer. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await io(open(path, "r"));
  try {
    // Some network file systems do not know the call for folders either, and say so.
    await io(
      folder.sync().catch((error: unknown) => {
        if (!["EINVAL", "ENOTSUP"].includes(errnoOf(error) ?? "")) throw error;
      }),
    );
  } finally {
    await folder.close();
  }
}
