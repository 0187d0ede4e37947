import type { Readable } from "node:stream";
import type { PartStore } from "./part-store.ts";

/** Bytes that lie in the store. */
export interface StoredFile {
  bytes: number;
  /** Names exactly these bytes: a digest of ours, or the store's ETag. */
  version: string;
  /** Where the bytes passed through our hands. */
  sha256: string | null;
}

/** What the domain needs of a place for files. Keys are ours, opaque, never made of what a stranger wrote. */
export interface FileStore {
  readonly name: "disk" | "s3";
  /** The origin that browsers send bytes to and read them from. */
  readonly origin: string;
  /**
   * An address for one plain PUT of raw bytes to `key`. It may be used again until it expires, and then overwrites:
   * what lies at `key` is never served. The disk store stops reading one byte past `maxBytes` and remembers that.
   */
  createUploadUrl(key: string, options: { maxBytes: number; expiresAt: number }): Promise<string>;
  /** An address to read `key`, answered with the given type and name, ranged, and inert in a browser. */
  createDownloadUrl(
    key: string,
    options: { mimeType: string; filename: string; asDownload: boolean; expiresAt: number },
  ): Promise<string>;
  /** Undefined where nothing lies. Of a PUT that went past its limit it tells a size past the limit. */
  stat(key: string): Promise<StoredFile | undefined>;
  /** From `start` to `end`, both included. */
  read(key: string, range?: { start: number; end: number }, signal?: AbortSignal): Promise<Readable>;
  /** Stores all of `body` or nothing; durable when it resolves. Throws `too_large` past `maxBytes`. */
  write(
    key: string,
    body: AsyncIterable<Uint8Array>,
    options: { mimeType: string; maxBytes: number; signal?: AbortSignal },
  ): Promise<StoredFile>;
  /**
   * Moves the bytes that `version` names to a key that was never handed out; durable when it resolves.
   * Undefined, and nothing changed, where other bytes lie at `from` by now. Safe to repeat.
   */
  promote(from: string, version: string, to: string, mimeType: string): Promise<StoredFile | undefined>;
  /** Safe to repeat. */
  remove(key: string): Promise<void>;
  /** Keys under a prefix, for the sweeper, in an order of the store's own that holds from page to page. */
  list(
    prefix: string,
    options: { after?: string; limit: number },
  ): Promise<{ key: string; bytes: number; modifiedAt: number }[]>;
  /** Removes what the store itself had begun and nobody wrote to since then, where it has such a thing. */
  sweepTempFiles?(olderThan: number): Promise<number>;
  /** Files that come in parts. */
  readonly parts: PartStore;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
}
