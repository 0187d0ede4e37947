import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing } from "./disk-faults.ts";
import { getArea, getLeafFolders, toSortPrefix, readVersions, type FileVersion } from "./disk-layout.ts";

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
