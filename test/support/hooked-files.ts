import { readdir, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { FileStore } from "#domain/assets/file-store.ts";
import { areas } from "#domain/assets/keys.ts";
import type { PartedFile, PartStore } from "#domain/assets/part-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { openDiskStore, type DiskStore } from "#storage/disk.ts";
import { findVersions } from "#storage/disk-layout.ts";
import { temporaryFolder } from "./folder.ts";

export type FileStoreCall = "stat" | "read" | "write" | "promote" | "remove" | "list";

/** The disk store in a folder of its own, which goes by the test's clock, and fails where a test wants it to. */
export interface HookedFiles extends FileStore {
  parts: HookedParts;
  /** Called ahead of and behind each call; what it throws, the call throws. */
  hook: ((call: FileStoreCall, when: "before" | "after", key: string) => Promise<void> | void) | undefined;
  /** What a PUT to the address of a key does. */
  put(key: string, content: Uint8Array): Promise<void>;
  /** Everything that lies there, in order. */
  keys(): Promise<string[]>;
  content(key: string): Promise<Buffer | undefined>;
  /** Loses the bytes of a key, as a broken disk does. */
  lose(key: string): Promise<void>;
}

interface HookedParts extends PartStore {
  /** What a PUT to the address of a part does; false where it is refused. */
  send(address: string, content: Uint8Array): Promise<boolean>;
  /** How many files are begun and not ended. */
  open(): Promise<number>;
}

const partAddress = /^disk:part:(\d+):(.+)$/;

const addresses = {
  origin: "http://localhost:3000",
  forUpload: async (key: string) => `disk:${key}`,
  forDownload: async (key: string) => `disk:${key}`,
  forPart: async (file: PartedFile, part: number) => `disk:part:${part}:${JSON.stringify(file)}`,
};

export function createHookedFiles(clock: Clock): HookedFiles {
  const { path: root } = temporaryFolder("atelier-files-");
  let opening: Promise<DiskStore> | undefined;
  const disk = () => (opening ??= openDiskStore({ root, addresses, clock, minFreeBytes: 0 }));

  /** Files are as old as the test's clock says, not the machine's. */
  const stamp = async (key: string): Promise<void> => {
    const version = (await findVersions(root, key)).at(-1);
    // Another call may have moved it on meanwhile.
    if (version) await utimes(version.path, clock() / 1000, clock() / 1000).catch(() => {});
  };
  const hooked = async <T>(call: FileStoreCall, key: string, work: (store: DiskStore) => Promise<T>): Promise<T> => {
    await files.hook?.(call, "before", key);
    const result = await work(await disk());
    await files.hook?.(call, "after", key);
    return result;
  };

  const files: HookedFiles = {
    name: "disk",
    origin: addresses.origin,
    hook: undefined,
    uploadAddress: addresses.forUpload,
    downloadAddress: addresses.forDownload,
    stat: (key) => hooked("stat", key, (store) => store.stat(key)),
    read: (key, ...rest) => hooked("read", key, (store) => store.read(key, ...rest)),
    write: (key, ...rest) =>
      hooked("write", key, async (store) => {
        const stored = await store.write(key, ...rest);
        await stamp(key);
        return stored;
      }),
    promote: (from, version, to, mimeType) =>
      hooked("promote", from, async (store) => {
        const stored = await store.promote(from, version, to, mimeType);
        await stamp(to);
        return stored;
      }),
    remove: (key) => hooked("remove", key, (store) => store.remove(key)),
    list: (prefix, options) => hooked("list", prefix, (store) => store.list(prefix, options)),
    parts: {
      start: async (...args) => (await disk()).parts.start(...args),
      list: async (file) => (await disk()).parts.list(file),
      address: addresses.forPart,
      async complete(file) {
        const stored = await (await disk()).parts.complete(file);
        await stamp(file.key);
        return stored;
      },
      abort: async (file) => (await disk()).parts.abort(file),
      sweep: async (startedBefore) => (await disk()).parts.sweep(startedBefore),
      async send(address, content) {
        const [, part, file = ""] = partAddress.exec(address) ?? [];
        try {
          await (await disk()).parts.receive(JSON.parse(file) as PartedFile, Number(part), pieces(content), undefined);
          return true;
        } catch (error) {
          if (error instanceof AppError) return false;
          throw error;
        }
      },
      open: async () => (await readdir(join(root, ".parts")).catch(() => [])).length,
    },
    ping: async () => (await disk()).ping(),
    async put(key, content) {
      await (await disk()).receive(key, pieces(content), { maxBytes: Infinity });
      await stamp(key);
    },
    async keys() {
      const store = await disk();
      const listed = await Promise.all(areas.map((area) => store.list(area, { limit: Infinity })));
      return listed.flatMap((all) => all.map(({ key }) => key)).toSorted();
    },
    async content(key) {
      const store = await disk();
      return (await store.stat(key)) && buffer(await store.read(key));
    },
    async lose(key) {
      for (const { path } of await findVersions(root, key)) await unlink(path);
    },
  };
  return files;
}

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
