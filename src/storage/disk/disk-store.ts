import { open, readdir, rm, stat, unlink } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { FileStore, PartStore, StoredFile } from "#domain/ports/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";
import {
  findVersions,
  getTempFolder,
  getVersionId,
  listKeys,
  getNextSequence,
  toFileVersion,
  type FileVersion,
} from "./layout.ts";
import { createDiskParts, type DiskParts } from "./parts.ts";
import { prepareRoot } from "./root-folder.ts";
import { createWriter, syncFolder } from "./write-file.ts";
import { bodyTooLargeError } from "../read-batches.ts";

/** Creates the signed URLs that browsers and `curl` use. The HTTP edge signs and serves them. */
export type DiskUrls = Pick<FileStore, "origin" | "createUploadUrl" | "createDownloadUrl"> &
  Pick<PartStore, "createPartUrl">;

/** A file that is open for reading. Its content does not change, even if the key is replaced or removed. */
export interface OpenFile {
  bytes: number;
  version: string;
  modifiedAt: number;
  /** Reads from `start` to `end` inclusive. Closes the file when the stream ends or is destroyed. */
  stream(range?: { start: number; end: number }): Readable;
  close(): Promise<void>;
}

export interface DiskStore extends FileStore {
  /**
   * Stores the body of a PUT to an upload URL. If the declared or actual size exceeds `maxBytes`, stops reading,
   * records that for the key and throws `too_large`. Reads from `body` only after all other checks have passed.
   */
  receive(
    key: string,
    body: AsyncIterable<Uint8Array>,
    options: { maxBytes: number; declaredBytes?: number | undefined },
  ): Promise<StoredFile>;
  open(key: string): Promise<OpenFile | undefined>;
  readonly parts: DiskParts;
  /** Removes temp files that a crash left: those not written to since `olderThan` (epoch milliseconds). */
  sweepTempFiles(olderThan: number): Promise<number>;
}

export interface DiskOptions {
  root: string;
  urls: DiskUrls;
  clock: Clock;
  /** Files were stored before, so a missing or empty folder means data loss. */
  mustExist?: boolean;
  minFreeBytes?: number;
}

const gibibyte = 1024 ** 3;
const readChunkBytes = 256 * 1024;

/** Stores files in a folder, which any number of processes may share. */
export async function openDiskStore(options: DiskOptions): Promise<DiskStore> {
  const { urls, clock, minFreeBytes = gibibyte } = options;
  const newName = () => randomBytes(12).toString("hex");
  const root = await prepareRoot(options.root, options.mustExist ?? false, newName);
  const writer = createWriter({ root, clock, minFreeBytes, newName });

  const findCurrent = async (key: string): Promise<FileVersion | undefined> => (await findVersions(root, key)).at(-1);

  async function statKey(key: string): Promise<StoredFile | undefined> {
    const fileVersion = await findCurrent(key);
    return fileVersion && toStoredFile(fileVersion);
  }

  const parts = createDiskParts({ root, clock, newName, writer, createPartUrl: urls.createPartUrl, stat: statKey });

  async function openKey(key: string): Promise<OpenFile | undefined> {
    // The file may be replaced between findCurrent and open; the next attempt finds the new version.
    for (let attempt = 0; attempt < 5; attempt++) {
      const fileVersion = await findCurrent(key);
      if (!fileVersion?.sha256) return undefined;
      const file = await undefinedIfMissing(open(fileVersion.path, "r"));
      if (!file) continue;
      const stats = await withDiskErrors(file.stat()).catch(async (error: unknown) => {
        await file.close().catch(() => {});
        throw error;
      });
      if (stats.size !== fileVersion.bytes) {
        await file.close();
        throw new AppError("storage_unavailable:damaged");
      }
      return {
        bytes: fileVersion.bytes,
        version: getVersionId(fileVersion),
        modifiedAt: Math.floor(stats.mtimeMs),
        stream: (range) => file.createReadStream({ ...range, highWaterMark: readChunkBytes }),
        close: () => file.close(),
      };
    }
    return undefined;
  }

  return {
    name: "disk",
    origin: urls.origin,
    createUploadUrl: urls.createUploadUrl,
    createDownloadUrl: urls.createDownloadUrl,
    open: openKey,

    async receive(key, body, { maxBytes, declaredBytes }) {
      try {
        if (declaredBytes !== undefined && declaredBytes > maxBytes) throw bodyTooLargeError();
        return toStoredFile(await writer.publish(key, await writer.writeTempFile(body, { maxBytes, declaredBytes })));
      } catch (error) {
        if (error instanceof AppError && error.code === "too_large") await writer.recordOverLimit(key, maxBytes + 1);
        throw error;
      }
    },

    stat: statKey,
    parts,

    async read(key, range, signal) {
      signal?.throwIfAborted();
      const file = await openKey(key);
      if (!file) throw notFoundError("file");
      if (file.bytes === 0 || (range && (range.start >= file.bytes || range.end < range.start))) {
        await file.close();
        return Readable.from([]);
      }
      const stream = file.stream(range);
      signal?.addEventListener("abort", () => stream.destroy(signal.reason as Error), { once: true });
      return stream;
    },

    async write(key, body, { maxBytes, signal, beforeVisible }) {
      writer.prepareFolder(key).catch(() => {}); // `publish` tries again
      return toStoredFile(
        await writer.publish(key, await writer.writeTempFile(body, { maxBytes, signal, beforeVisible })),
      );
    },

    async promote(from, version, to) {
      const versions = await findVersions(root, from);
      const fileVersion = versions.at(-1);
      if (fileVersion?.sha256 && getVersionId(fileVersion) === version) {
        const previousVersions = await findVersions(root, to);
        const sequence = getNextSequence(clock(), previousVersions.at(-1));
        const target = toFileVersion(root, { ...fileVersion, key: to, sequence });
        // The file name contains the digest: a concurrent PUT creates another file and cannot change these bytes.
        if (await writer.move(fileVersion, target)) {
          for (const previous of [...versions.slice(0, -1), ...previousVersions])
            await unlink(previous.path).catch(() => {});
          return toStoredFile(target);
        }
      }
      // A retry: an earlier call already moved the file, but may have crashed before it returned.
      const movedVersion = await findCurrent(to);
      if (!movedVersion || getVersionId(movedVersion) !== version) return undefined;
      await syncFolder(movedVersion.folder);
      return toStoredFile(movedVersion);
    },

    async remove(key) {
      const versions = await findVersions(root, key);
      // Oldest first, so that a crash in between cannot make an old version current again.
      for (const { path } of versions) await undefinedIfMissing(unlink(path));
      const [firstVersion] = versions;
      if (firstVersion) await syncFolder(firstVersion.folder);
    },

    list: (prefix, page) => listKeys(root, prefix, page),

    async ping() {
      await withDiskErrors(stat(getTempFolder(root)));
    },

    async sweepTempFiles(olderThan) {
      const folder = getTempFolder(root);
      let sweptCount = 0;
      for (const name of await withDiskErrors(readdir(folder))) {
        const path = join(folder, name);
        const stats = await undefinedIfMissing(stat(path));
        if (!stats || stats.mtimeMs >= olderThan) continue;
        await withDiskErrors(rm(path, { force: true }));
        sweptCount++;
      }
      return sweptCount;
    },
  };
}

function toStoredFile(version: FileVersion): StoredFile {
  return { bytes: version.bytes, version: getVersionId(version), sha256: version.sha256 ?? null };
}
