import { readdir, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { FileStore, MultipartFile, PartStore } from "#domain/ports/file-store.ts";
import { storageAreas } from "#domain/model/storage-keys.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { openDiskStore, type DiskStore } from "#storage/disk/disk-store.ts";
import { findVersions } from "#storage/disk/layout.ts";
import { createTempFolder } from "./temp-folder.ts";

export type FileStoreCall = "stat" | "read" | "write" | "promote" | "remove" | "list";

/** A disk store in a temporary folder that uses the test's clock, with hooks for fault injection. */
export interface HookedFiles extends FileStore {
  /** The folder of the store, for other processes that use the same files. */
  readonly root: string;
  parts: HookedParts;
  /** Runs before and after each call. If it throws an error, the call fails with this error. */
  hook: ((call: FileStoreCall, when: "before" | "after", key: string) => Promise<void> | void) | undefined;
  /** Stores content as a PUT to the key's upload URL does. */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Returns all stored keys, sorted. */
  keys(): Promise<string[]>;
  /** Returns the stored bytes; undefined if the key does not exist. */
  readContent(key: string): Promise<Buffer | undefined>;
  /** Deletes the bytes of a key, as a disk failure does. */
  deleteBytes(key: string): Promise<void>;
}

interface HookedParts extends PartStore {
  /** Stores content as a PUT to the part's URL does; returns false if the store rejects it. */
  send(url: string, content: Uint8Array): Promise<boolean>;
  /** The number of multipart files that are neither completed nor aborted. */
  countOpen(): Promise<number>;
}

const partUrlPattern = /^disk:part:(\d+):(.+)$/;

const urls = {
  origin: "http://localhost:3000",
  createUploadUrl: async (key: string) => `disk:${key}`,
  createDownloadUrl: async (key: string) => `disk:${key}`,
  createPartUrl: async (file: MultipartFile, part: number) => `disk:part:${part}:${JSON.stringify(file)}`,
};

export function createHookedFiles(clock: Clock, root = createTempFolder("atelier-files-").path): HookedFiles {
  let diskPromise: Promise<DiskStore> | undefined;
  const getDisk = () => (diskPromise ??= openDiskStore({ root, urls, clock, minFreeBytes: 0 }));

  /** Sets the file's modification time from the test's clock. */
  const applyClockTime = async (key: string): Promise<void> => {
    const version = (await findVersions(root, key)).at(-1);
    // A concurrent call may have moved the file.
    if (version) await utimes(version.path, clock() / 1000, clock() / 1000).catch(() => {});
  };
  const runHooked = async <T>(
    call: FileStoreCall,
    key: string,
    operation: (store: DiskStore) => Promise<T>,
  ): Promise<T> => {
    await files.hook?.(call, "before", key);
    const result = await operation(await getDisk());
    await files.hook?.(call, "after", key);
    return result;
  };

  const files: HookedFiles = {
    name: "disk",
    root,
    origin: urls.origin,
    hook: undefined,
    createUploadUrl: urls.createUploadUrl,
    createDownloadUrl: urls.createDownloadUrl,
    stat: (key) => runHooked("stat", key, (store) => store.stat(key)),
    read: (key, ...rest) => runHooked("read", key, (store) => store.read(key, ...rest)),
    write: (key, ...rest) =>
      runHooked("write", key, async (store) => {
        const stored = await store.write(key, ...rest);
        await applyClockTime(key);
        return stored;
      }),
    promote: (from, version, to, mimeType) =>
      runHooked("promote", from, async (store) => {
        const stored = await store.promote(from, version, to, mimeType);
        await applyClockTime(to);
        return stored;
      }),
    remove: (key) => runHooked("remove", key, (store) => store.remove(key)),
    list: (prefix, options) => runHooked("list", prefix, (store) => store.list(prefix, options)),
    parts: {
      start: async (...args) => (await getDisk()).parts.start(...args),
      list: async (file) => (await getDisk()).parts.list(file),
      createPartUrl: urls.createPartUrl,
      write: async (...args) => (await getDisk()).parts.write(...args),
      async complete(file) {
        const stored = await (await getDisk()).parts.complete(file);
        await applyClockTime(file.key);
        return stored;
      },
      abort: async (file) => (await getDisk()).parts.abort(file),
      sweep: async (startedBefore) => (await getDisk()).parts.sweep(startedBefore),
      async send(url, content) {
        const [, part, file = ""] = partUrlPattern.exec(url) ?? [];
        try {
          await (
            await getDisk()
          ).parts.receive(JSON.parse(file) as MultipartFile, Number(part), toChunks(content), undefined);
          return true;
        } catch (error) {
          if (error instanceof AppError) return false;
          throw error;
        }
      },
      countOpen: async () => (await readdir(join(root, ".parts")).catch(() => [])).length,
    },
    ping: async () => (await getDisk()).ping(),
    async put(key, content) {
      await (await getDisk()).receive(key, toChunks(content), { maxBytes: Infinity });
      await applyClockTime(key);
    },
    async keys() {
      const store = await getDisk();
      const listed = await Promise.all(storageAreas.map((area) => store.list(area, { limit: Infinity })));
      return listed.flatMap((entries) => entries.map(({ key }) => key)).toSorted();
    },
    async readContent(key) {
      const store = await getDisk();
      return (await store.stat(key)) && buffer(await store.read(key));
    },
    async deleteBytes(key) {
      for (const { path } of await findVersions(root, key)) await unlink(path);
    },
  };
  return files;
}

async function* toChunks(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
