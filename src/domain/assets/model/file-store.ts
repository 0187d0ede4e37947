import type { Readable } from "node:stream";

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

/** A file that comes in parts: where it goes, its name in the store's own words, and how it is cut. */
export interface MultipartFile {
  key: string;
  id: string;
  bytes: number;
  partBytes: number;
}

/**
 * Files of any size, sent in parts, several at once, in any order, over hours. Nothing lies at the key before the last
 * step; after it no address of a part takes bytes any more, so what lies there never changes.
 */
export interface PartStore {
  /** Begins a file; answers its id. Throws `storage_unavailable` where so many bytes do not fit. */
  start(key: string, options: { bytes: number; partBytes: number; mimeType: string }): Promise<string>;
  /** The numbers of the parts that lie there whole, in order, from 1; undefined where no such file was begun, or no longer. */
  list(file: MultipartFile): Promise<number[] | undefined>;
  /** An address for one PUT of exactly the bytes of this part. May be used again until the file is complete. */
  createPartUrl(file: MultipartFile, part: number, expiresAt: number): Promise<string>;
  /** Makes the file of its parts; durable when it resolves. Undefined where parts are missing. Safe to repeat. */
  complete(file: MultipartFile): Promise<StoredFile | undefined>;
  /** Gives up a file that is not complete, and all its parts. Safe to repeat. */
  abort(file: Pick<MultipartFile, "key" | "id">): Promise<void>;
  /** Gives up what was begun before then and never completed; answers how many. */
  sweep(startedBefore: number): Promise<number>;
}

const mebibyte = 1024 * 1024;
const maxParts = 10_000;

/**
 * Small parts lose little to a line that breaks; large ones cost the browser and the store less for each byte. So a
 * part grows with its file, within what every store takes: no part under 5 MB, and no more of them than this.
 */
export function choosePartBytes(bytes: number): number {
  const targetPartBytes = Math.ceil(bytes / 32);
  return Math.max(8 * mebibyte, Math.min(targetPartBytes, 32 * mebibyte), Math.ceil(bytes / maxParts));
}

export const countParts = ({ bytes, partBytes }: Pick<MultipartFile, "bytes" | "partBytes">): number =>
  Math.ceil(bytes / partBytes);

/** How long the part with this number is: all are alike but the last. */
export function getPartLength({ bytes, partBytes }: Pick<MultipartFile, "bytes" | "partBytes">, part: number): number {
  return Math.min(partBytes, bytes - (part - 1) * partBytes);
}

export function isValidPart(file: Pick<MultipartFile, "bytes" | "partBytes">, part: number): boolean {
  return Number.isInteger(part) && part >= 1 && part <= countParts(file);
}
