import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { FileStore, StoredFile } from "#domain/assets/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { createMemoryParts, type MemoryParts } from "./memory-parts.ts";

export interface Held {
  content: Buffer;
  modifiedAt: number;
}

export type FileStoreCall = "stat" | "read" | "write" | "promote" | "remove" | "list";

/** A store that forgets, for tests that are not about storing; and one that fails where a test wants it to. */
export interface MemoryFiles extends FileStore {
  held: Map<string, Held>;
  parts: MemoryParts;
  /** Called ahead of and behind each call; what it throws, the call throws. */
  hook: ((call: FileStoreCall, when: "before" | "after", key: string) => Promise<void> | void) | undefined;
  /** What a PUT to the address of a key does. */
  put(key: string, content: Uint8Array): void;
}

const versionOf = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
const stored = ({ content }: Held): StoredFile => ({
  bytes: content.length,
  version: versionOf(content),
  sha256: versionOf(content),
});

export function createMemoryFiles(clock: Clock): MemoryFiles {
  const held = new Map<string, Held>();
  const hooked = async <T>(call: FileStoreCall, key: string, work: () => T | Promise<T>): Promise<T> => {
    await files.hook?.(call, "before", key);
    const result = await work();
    await files.hook?.(call, "after", key);
    return result;
  };
  const files: MemoryFiles = {
    name: "disk",
    origin: "http://localhost:3000",
    held,
    hook: undefined,
    put: (key, content) => void held.set(key, { content: Buffer.from(content), modifiedAt: clock() }),
    uploadAddress: async (key) => `memory:${key}`,
    downloadAddress: async (key) => `memory:${key}`,
    stat: (key) =>
      hooked("stat", key, () => {
        const found = held.get(key);
        return found && stored(found);
      }),
    read: (key, range) =>
      hooked("read", key, () => {
        const found = held.get(key);
        if (!found) throw new AppError("not_found", "There is no such file.");
        const { start = 0, end = found.content.length - 1 } = range ?? {};
        return Readable.from([found.content.subarray(start, end + 1)]);
      }),
    write: (key, body, { maxBytes }) =>
      hooked("write", key, async () => {
        const chunks: Uint8Array[] = [];
        let bytes = 0;
        for await (const chunk of body) {
          bytes += chunk.length;
          if (bytes > maxBytes) throw new AppError("too_large", "The file is larger than its kind may be.");
          chunks.push(chunk);
        }
        const made = { content: Buffer.concat(chunks), modifiedAt: clock() };
        held.set(key, made);
        return stored(made);
      }),
    promote: (from, version, to) =>
      hooked("promote", from, () => {
        const found = held.get(from);
        if (found && versionOf(found.content) === version) {
          held.set(to, { content: found.content, modifiedAt: clock() });
          held.delete(from);
        }
        const moved = held.get(to);
        return moved && versionOf(moved.content) === version ? stored(moved) : undefined;
      }),
    remove: (key) => hooked("remove", key, () => void held.delete(key)),
    list: (prefix, { after = "", limit }) =>
      hooked("list", prefix, () =>
        [...held]
          .filter(([key]) => key.startsWith(prefix) && key > after)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, limit)
          .map(([key, { content, modifiedAt }]) => ({ key, bytes: content.length, modifiedAt })),
      ),
    parts: createMemoryParts(held, clock),
    ping: async () => {},
  };
  return files;
}
