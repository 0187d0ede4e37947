import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "./disk-errors.ts";
import { validateKey } from "../validate-key.ts";

/**
 * One stored version of a key, at `<root>/<first segment of the key>/<ab>/<c>/<file>`. `abc` comes from a hash of the
 * key: a million files are spread over 4,096 folders of about 250, and listing a few files reads few folders.
 *
 * The file name contains all metadata: `<key>~<sequence>~<bytes>~<sha256>`. One rename therefore publishes bytes, size
 * and digest together, and moving a file moves exactly the bytes of its digest, even during a concurrent write. If a
 * key has several files, the one with the highest sequence is current; the others remain from a crash.
 */
export interface FileVersion {
  key: string;
  sequence: string;
  bytes: number;
  /** Undefined if a PUT exceeded its size limit. The file is then empty and only records that. */
  sha256: string | undefined;
  folder: string;
  path: string;
}

export const getTempFolder = (root: string): string => join(root, ".tmp");

/** The top-level folder of a key: its first segment, or `_` if the key has only one. */
function getArea(key: string): string {
  const slash = validateKey(key).indexOf("/");
  return slash < 0 ? "_" : key.slice(0, slash);
}

/** The hash folders of a key below its area. */
function getHashFolders(key: string): [string, string] {
  const hash = createHash("sha256").update(validateKey(key)).digest("hex");
  return [hash.slice(0, 2), hash.slice(2, 3)];
}

export function getFolder(root: string, key: string): string {
  return join(root, getArea(key), ...getHashFolders(key));
}

const overLimitMarker = "over";

export function toFileVersion(
  root: string,
  attributes: Pick<FileVersion, "key" | "sequence" | "bytes" | "sha256">,
): FileVersion {
  const { key, sequence, bytes, sha256 } = attributes;
  const folder = getFolder(root, key);
  const name = [flattenKey(key), sequence, bytes, sha256 ?? overLimitMarker].join("~");
  return { key, sequence, bytes, sha256, folder, path: join(folder, name) };
}

/** The start of the file names of a key. It decides how the keys in a folder sort. */
const toNamePrefix = (key: string): string => `${flattenKey(key)}~`;

const flattenKey = (key: string): string => key.replaceAll("/", "+");

const namePattern = /^([a-z0-9_.+-]+)~([0-9a-z]{9})~(\d{1,16})~([0-9a-f]{64}|over)$/;

function parseVersion(folder: string, name: string): FileVersion | undefined {
  const [, key, sequence, bytes, digest] = namePattern.exec(name) ?? [];
  if (key === undefined || sequence === undefined) return undefined;
  const sha256 = digest === overLimitMarker ? undefined : digest;
  return { key: key.replaceAll("+", "/"), sequence, bytes: Number(bytes), sha256, folder, path: join(folder, name) };
}

/** The versions in a folder, sorted: those of one key are adjacent, the current one last. */
async function readVersions(folder: string, namePrefix = ""): Promise<FileVersion[]> {
  const names = (await undefinedIfMissing(readdir(folder))) ?? [];
  const versionNames = names.filter((name) => name.startsWith(namePrefix)).toSorted();
  return versionNames.flatMap((name) => parseVersion(folder, name) ?? []);
}

/** The versions of one key, the current one last. */
export const findVersions = (root: string, key: string): Promise<FileVersion[]> =>
  readVersions(getFolder(root, key), toNamePrefix(key));

/** The sequence of the next version of a key: the current time, but always after the last version. */
export function getNextSequence(now: number, lastVersion: FileVersion | undefined): string {
  const minimum = lastVersion ? Number.parseInt(lastVersion.sequence, 36) + 1 : 0;
  return Math.max(now, minimum).toString(36).padStart(9, "0");
}

/** Identifies exactly these bytes. */
export const getVersionId = ({ sha256, bytes }: Pick<FileVersion, "sha256" | "bytes">): string =>
  sha256 ?? `${overLimitMarker}-${bytes}`;

export interface ListedKey {
  key: string;
  bytes: number;
  modifiedAt: number;
}

/**
 * Lists keys in the order of their paths. The order is stable across pages while files are added and removed, and
 * reading a page does not require collecting and sorting all keys.
 */
export async function listKeys(
  root: string,
  prefix: string,
  options: { after?: string; limit: number },
): Promise<ListedKey[]> {
  const listedKeys: ListedKey[] = [];
  for await (const version of walkVersions(root, prefix, options.after)) {
    if (listedKeys.length >= options.limit) break;
    const stats = await undefinedIfMissing(stat(version.path));
    if (stats) listedKeys.push({ key: version.key, bytes: version.bytes, modifiedAt: Math.floor(stats.mtimeMs) });
  }
  return listedKeys;
}

async function* walkVersions(root: string, prefix: string, after: string | undefined): AsyncGenerator<FileVersion> {
  const [startArea = "", startOuter = "", startInner = ""] =
    after === undefined ? [] : [getArea(after), ...getHashFolders(after)];
  for (const area of await listAreas(root, prefix)) {
    if (area < startArea) continue;
    for (const outer of await listFolders(join(root, area))) {
      if (area === startArea && outer < startOuter) continue;
      for (const inner of await listFolders(join(root, area, outer))) {
        const isStart = area === startArea && outer === startOuter;
        if (isStart && inner < startInner) continue;
        const lastListedPrefix = isStart && inner === startInner ? toNamePrefix(after ?? "") : "";
        const versions = await readVersions(join(root, area, outer, inner));
        yield* versions.filter(
          ({ key }, i) =>
            key !== versions[i + 1]?.key && key.startsWith(prefix) && toNamePrefix(key) > lastListedPrefix,
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
