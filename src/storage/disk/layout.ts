import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "./disk-errors.ts";
import { validateKey } from "../check-key.ts";

/**
 * Where a key lies: `<root>/<first part of the key>/<ab>/<c>/<file>`, with `abc` from a hash of the key, so that a
 * million files make 4,096 folders of 250 and a walk over few files stays short.
 *
 * A file's own name says everything about it: `<key>~<turn>~<bytes>~<sha256>`. One rename therefore publishes bytes,
 * size and digest together, and a rename away takes exactly the bytes that a digest names, whoever writes meanwhile.
 * Of several files of one key the one with the highest turn counts; the others are what a crash left behind.
 */
export interface FileVersion {
  key: string;
  turn: string;
  bytes: number;
  /** Absent for a PUT that went past its limit: then no bytes lie there, only the memory of it. */
  sha256: string | undefined;
  folder: string;
  path: string;
}

export const getTempFolder = (root: string): string => join(root, ".tmp");

/** The area of a key: its first part. */
function getArea(key: string): string {
  const slash = validateKey(key).indexOf("/");
  return slash < 0 ? "_" : key.slice(0, slash);
}

/** The folders of a key below its area. */
function getLeafFolders(key: string): [string, string] {
  const hash = createHash("sha256").update(validateKey(key)).digest("hex");
  return [hash.slice(0, 2), hash.slice(2, 3)];
}

function getFolder(root: string, key: string): string {
  return join(root, getArea(key), ...getLeafFolders(key));
}

const overLimitMarker = "over";

export function toFileVersion(
  root: string,
  attributes: Pick<FileVersion, "key" | "turn" | "bytes" | "sha256">,
): FileVersion {
  const folder = getFolder(root, attributes.key);
  const { key, turn, bytes, sha256 } = attributes;
  return {
    key,
    turn,
    bytes,
    sha256,
    folder,
    path: join(folder, [flattenKey(key), turn, bytes, sha256 ?? overLimitMarker].join("~")),
  };
}

/** The place of a key among those of its folder. */
const toSortPrefix = (key: string): string => `${flattenKey(key)}~`;

const flattenKey = (key: string): string => key.replaceAll("/", "+");

const namePattern = /^([a-z0-9_.+-]+)~([0-9a-z]{9})~(\d{1,16})~([0-9a-f]{64}|over)$/;

function parseVersion(folder: string, name: string): FileVersion | undefined {
  const [, key, turn, bytes, digest] = namePattern.exec(name) ?? [];
  if (key === undefined || turn === undefined) return undefined;
  const sha256 = digest === overLimitMarker ? undefined : digest;
  return { key: key.replaceAll("+", "/"), turn, bytes: Number(bytes), sha256, folder, path: join(folder, name) };
}

/** All that lies in a folder, in order: versions of one key side by side, the one that counts last. */
async function readVersions(folder: string): Promise<FileVersion[]> {
  return parseVersions(folder, (await undefinedIfMissing(readdir(folder))) ?? []);
}

/** The versions of one key, the one that counts last. */
export async function findVersions(root: string, key: string): Promise<FileVersion[]> {
  const folder = getFolder(root, key);
  const start = toSortPrefix(key);
  return parseVersions(
    folder,
    ((await undefinedIfMissing(readdir(folder))) ?? []).filter((name) => name.startsWith(start)),
  );
}

function parseVersions(folder: string, names: string[]): FileVersion[] {
  return names.toSorted().flatMap((name) => parseVersion(folder, name) ?? []);
}

/** A turn for the next version of a key: the time, and after every version that is there. */
export function nextTurn(now: number, last: FileVersion | undefined): string {
  const after = last ? Number.parseInt(last.turn, 36) + 1 : 0;
  return Math.max(now, after).toString(36).padStart(9, "0");
}

/** Names exactly these bytes. */
export const getVersionId = ({ sha256, bytes }: Pick<FileVersion, "sha256" | "bytes">): string =>
  sha256 ?? `${overLimitMarker}-${bytes}`;

export interface ListedKey {
  key: string;
  bytes: number;
  modifiedAt: number;
}

/**
 * Keys in the order of their places on the disk. It holds from page to page, whatever comes and goes between two
 * of them, and a page costs what lies on it: nothing is collected to be sorted.
 */
export async function listKeys(
  root: string,
  prefix: string,
  options: { after?: string; limit: number },
): Promise<ListedKey[]> {
  const listedKeys: ListedKey[] = [];
  for await (const version of walkVersions(root, prefix, options.after)) {
    if (listedKeys.length >= options.limit) break;
    const entry = await undefinedIfMissing(stat(version.path));
    if (entry) listedKeys.push({ key: version.key, bytes: version.bytes, modifiedAt: Math.floor(entry.mtimeMs) });
  }
  return listedKeys;
}

async function* walkVersions(root: string, prefix: string, after: string | undefined): AsyncGenerator<FileVersion> {
  const startPath = after === undefined ? [] : [getArea(after), ...getLeafFolders(after)];
  for (const area of await listAreas(root, prefix)) {
    if (startPath[0] !== undefined && area < startPath[0]) continue;
    const isStartArea = area === startPath[0];
    for (const outer of await listFolders(join(root, area))) {
      if (isStartArea && outer < (startPath[1] ?? "")) continue;
      const isStartFolder = isStartArea && outer === startPath[1];
      for (const inner of await listFolders(join(root, area, outer))) {
        if (isStartFolder && inner < (startPath[2] ?? "")) continue;
        const passedPrefix = isStartFolder && inner === startPath[2] && after !== undefined ? toSortPrefix(after) : "";
        const versions = await readVersions(join(root, area, outer, inner));
        yield* versions.filter(
          ({ key }, i) => key !== versions[i + 1]?.key && key.startsWith(prefix) && toSortPrefix(key) > passedPrefix,
        );
      }
    }
  }
}

async function listAreas(root: string, prefix: string): Promise<string[]> {
  if (prefix.includes("/"))
    return [prefix.slice(0, prefix.indexOf("/"))].filter((name) => /^[a-z0-9_-][a-z0-9_.-]*$/.test(name));
  return listFolders(root);
}

async function listFolders(path: string): Promise<string[]> {
  const entries = (await undefinedIfMissing(readdir(path, { withFileTypes: true }))) ?? [];
  return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith(".") ? entry.name : [])).toSorted();
}
