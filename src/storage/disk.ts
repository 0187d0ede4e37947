import { open, readdir, rm, stat, unlink } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { FileStore, StoredFile } from "#domain/assets/file-store.ts";
import type { PartStore } from "#domain/assets/part-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError, notFound } from "#lib/errors.ts";
import { ifThere, io } from "./disk-faults.ts";
import { findVersions, nextTurn, placeVersion, temporaryFolder, versionName, type Version } from "./disk-layout.ts";
import { listKeys } from "./disk-list.ts";
import { createDiskParts, type DiskParts } from "./disk-parts.ts";
import { prepareRoot } from "./disk-root.ts";
import { createWriter, syncFolder } from "./disk-write.ts";
import { tooLarge } from "./keys.ts";

/** The addresses that a browser or `curl` uses: signed by the edge, which also answers them. */
export interface DiskAddresses {
  readonly origin: string;
  forUpload: FileStore["uploadAddress"];
  forDownload: FileStore["downloadAddress"];
  forPart: PartStore["address"];
}

/** A file that is open for reading; it stays what it is, whatever happens to its key. */
export interface OpenFile {
  bytes: number;
  version: string;
  modifiedAt: number;
  /** Reads from `start` to `end`, both included, and closes the file when it ends or is destroyed. */
  stream(range?: { start: number; end: number }): Readable;
  close(): Promise<void>;
}

export interface DiskStore extends FileStore {
  /**
   * A PUT to an upload address. Where it goes past its limit, or says that it will, that is remembered, no more is
   * read, and `too_large` is thrown. Nothing is read from `body` before everything else was found good.
   */
  receive(
    key: string,
    body: AsyncIterable<Uint8Array>,
    options: { maxBytes: number; declaredBytes?: number | undefined },
  ): Promise<StoredFile>;
  open(key: string): Promise<OpenFile | undefined>;
  readonly parts: DiskParts;
  /** Removes temporary files that nobody wrote to since then (epoch milliseconds): what a crash left. */
  sweepTemporary(olderThan: number): Promise<number>;
}

export interface DiskOptions {
  root: string;
  addresses: DiskAddresses;
  clock: Clock;
  /** Files were stored before, so an empty folder is a lost one. */
  mustExist?: boolean;
  minFreeBytes?: number;
  random?: (bytes: number) => Uint8Array;
}

const gibibyte = 1024 ** 3;
const readBytes = 256 * 1024;

/** Files in a folder. Any number of processes may use it at once. */
export async function openDiskStore(options: DiskOptions): Promise<DiskStore> {
  const { addresses, clock, random = randomBytes, minFreeBytes = gibibyte } = options;
  const newName = () => Buffer.from(random(12)).toString("hex");
  const root = await prepareRoot({ root: options.root, mustExist: options.mustExist ?? false, newName });
  const writer = createWriter({ root, clock, minFreeBytes, newName });

  const current = async (key: string): Promise<Version | undefined> => (await findVersions(root, key)).at(-1);

  async function statKey(key: string): Promise<StoredFile | undefined> {
    const found = await current(key);
    return found && toStored(found);
  }

  const parts = createDiskParts({ root, clock, newName, writer, address: addresses.forPart, stat: statKey });

  async function openKey(key: string): Promise<OpenFile | undefined> {
    // A file can be replaced between finding and opening it; then the next look finds the new one.
    for (let tries = 0; tries < 5; tries++) {
      const found = await current(key);
      if (!found?.sha256) return undefined;
      const file = await ifThere(open(found.path, "r"));
      if (!file) continue;
      const entry = await io(file.stat());
      if (entry.size !== found.bytes) {
        await file.close();
        throw new AppError("storage_unavailable:damaged");
      }
      return {
        bytes: found.bytes,
        version: versionName(found),
        modifiedAt: Math.floor(entry.mtimeMs),
        stream: (range) => file.createReadStream({ ...range, highWaterMark: readBytes }),
        close: () => file.close(),
      };
    }
    return undefined;
  }

  return {
    name: "disk",
    origin: addresses.origin,
    uploadAddress: addresses.forUpload,
    downloadAddress: addresses.forDownload,
    open: openKey,

    async receive(key, body, { maxBytes, declaredBytes }) {
      try {
        if (declaredBytes !== undefined && declaredBytes > maxBytes) throw tooLarge();
        return toStored(await writer.publish(key, await writer.pour(body, { maxBytes, declaredBytes })));
      } catch (error) {
        if (error instanceof AppError && error.code === "too_large") await writer.publishOverLimit(key, maxBytes + 1);
        throw error;
      }
    },

    stat: statKey,
    parts,

    async read(key, range, signal) {
      signal?.throwIfAborted();
      const file = await openKey(key);
      if (!file) throw notFound("file");
      if (file.bytes === 0 || (range && (range.start >= file.bytes || range.end < range.start))) {
        await file.close();
        return Readable.from([]);
      }
      const stream = file.stream(range);
      signal?.addEventListener("abort", () => stream.destroy(signal.reason as Error), { once: true });
      return stream;
    },

    async write(key, body, { maxBytes, signal }) {
      return toStored(await writer.publish(key, await writer.pour(body, { maxBytes, signal })));
    },

    async promote(from, version, to) {
      const versions = await findVersions(root, from);
      const found = versions.at(-1);
      if (found?.sha256 && versionName(found) === version) {
        const before = await findVersions(root, to);
        const goal = placeVersion(root, { ...found, key: to, turn: nextTurn(clock(), before.at(-1)) });
        // The name that is moved holds the digest: a PUT that ends now makes another file, this one stays as checked.
        if (await writer.move(found, goal)) {
          for (const old of [...versions.slice(0, -1), ...before]) await unlink(old.path).catch(() => {});
          return toStored(goal);
        }
      }
      // A repetition: it was moved before, and whoever did it may have lost power before telling.
      const moved = await current(to);
      if (!moved || versionName(moved) !== version) return undefined;
      await syncFolder(moved.folder);
      return toStored(moved);
    },

    async remove(key) {
      const versions = await findVersions(root, key);
      // Oldest first: a crash in between must not bring an old one back to light.
      for (const { path } of versions) await ifThere(unlink(path));
      const [first] = versions;
      if (first) await syncFolder(first.folder);
    },

    list: (prefix, page) => listKeys(root, prefix, page),

    async ping() {
      await io(stat(temporaryFolder(root)));
    },

    async sweepTemporary(olderThan) {
      const folder = temporaryFolder(root);
      let swept = 0;
      for (const name of await io(readdir(folder))) {
        const path = join(folder, name);
        const entry = await ifThere(stat(path));
        if (!entry || entry.mtimeMs >= olderThan) continue;
        await io(rm(path, { force: true }));
        swept++;
      }
      return swept;
    },
  };
}

function toStored(version: Version): StoredFile {
  return { bytes: version.bytes, version: versionName(version), sha256: version.sha256 ?? null };
}
