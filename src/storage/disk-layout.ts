import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "./disk-faults.ts";
import { checkKey } from "./keys.ts";

/**
 * Where a key lies: `<root>/<first part of the key>/<ab>/<c>/<file>`, with `abc` from a hash of the key, so that a
 * million files make 4,096 folders of 250 and a walk over few files stays short.
 *
 * A file's own name says everything about it: `<key>~<turn>~<bytes>~<sha256>`. One rename therefore publishes bytes,
 * size and digest together, and a rename away takes exactly the bytes that a digest names, whoever writes meanwhile.
 * Of several files of one key the one with the highest turn counts; the others are what a crash left behind.
 */
export interface Version {
  key: string;
  turn: string;
  bytes: number;
  /** Absent for a PUT that went past its limit: then no bytes lie there, only the memory of it. */
  sha256: string | undefined;
  folder: string;
  path: string;
}

export const temporaryFolder = (root: string): string => join(root, ".tmp");

/** The area of a key: its first part. */
export function areaOf(key: string): string {
  const slash = checkKey(key).indexOf("/");
  return slash < 0 ? "_" : key.slice(0, slash);
}

/** The folders of a key below its area. */
export function leafOf(key: string): [string, string] {
  const hash = createHash("sha256").update(checkKey(key)).digest("hex");
  return [hash.slice(0, 2), hash.slice(2, 3)];
}

function folderOf(root: string, key: string): string {
  return join(root, areaOf(key), ...leafOf(key));
}

const overLimit = "over";

export function placeVersion(root: string, wanted: Pick<Version, "key" | "turn" | "bytes" | "sha256">): Version {
  const folder = folderOf(root, wanted.key);
  const { key, turn, bytes, sha256 } = wanted;
  return {
    key,
    turn,
    bytes,
    sha256,
    folder,
    path: join(folder, [flat(key), turn, bytes, sha256 ?? overLimit].join("~")),
  };
}

/** The place of a key among those of its folder. */
export const orderOf = (key: string): string => `${flat(key)}~`;

const flat = (key: string): string => key.replaceAll("/", "+");

const nameShape = /^([a-z0-9_.+-]+)~([0-9a-z]{9})~(\d{1,16})~([0-9a-f]{64}|over)$/;

function parseName(folder: string, name: string): Version | undefined {
  const [, key, turn, bytes, digest] = nameShape.exec(name) ?? [];
  if (key === undefined || turn === undefined) return undefined;
  const sha256 = digest === overLimit ? undefined : digest;
  return { key: key.replaceAll("+", "/"), turn, bytes: Number(bytes), sha256, folder, path: join(folder, name) };
}

/** All that lies in a folder, in order: versions of one key side by side, the one that counts last. */
export async function readVersions(folder: string): Promise<Version[]> {
  return parseNames(folder, (await ifThere(readdir(folder))) ?? []);
}

/** The versions of one key, the one that counts last. */
export async function findVersions(root: string, key: string): Promise<Version[]> {
  const folder = folderOf(root, key);
  const start = orderOf(key);
  return parseNames(
    folder,
    ((await ifThere(readdir(folder))) ?? []).filter((name) => name.startsWith(start)),
  );
}

function parseNames(folder: string, names: string[]): Version[] {
  return names.toSorted().flatMap((name) => parseName(folder, name) ?? []);
}

/** A turn for the next version of a key: the time, and after every version that is there. */
export function nextTurn(now: number, last: Version | undefined): string {
  const after = last ? Number.parseInt(last.turn, 36) + 1 : 0;
  return Math.max(now, after).toString(36).padStart(9, "0");
}

/** Names exactly these bytes. */
export const versionName = ({ sha256, bytes }: Pick<Version, "sha256" | "bytes">): string =>
  sha256 ?? `${overLimit}-${bytes}`;
