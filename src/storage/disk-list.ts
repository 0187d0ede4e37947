import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "./disk-faults.ts";
import { areaOf, leafOf, orderOf, readVersions, type Version } from "./disk-layout.ts";

export interface Listed {
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
): Promise<Listed[]> {
  const found: Listed[] = [];
  for await (const version of walk(root, prefix, options.after)) {
    if (found.length >= options.limit) break;
    const entry = await ifThere(stat(version.path));
    if (entry) found.push({ key: version.key, bytes: version.bytes, modifiedAt: Math.floor(entry.mtimeMs) });
  }
  return found;
}

async function* walk(root: string, prefix: string, after: string | undefined): AsyncGenerator<Version> {
  const start = after === undefined ? [] : [areaOf(after), ...leafOf(after)];
  for (const area of await areas(root, prefix)) {
    if (start[0] !== undefined && area < start[0]) continue;
    const first = area === start[0];
    for (const outer of await folders(join(root, area))) {
      if (first && outer < (start[1] ?? "")) continue;
      const second = first && outer === start[1];
      for (const inner of await folders(join(root, area, outer))) {
        if (second && inner < (start[2] ?? "")) continue;
        const passed = second && inner === start[2] && after !== undefined ? orderOf(after) : "";
        const versions = await readVersions(join(root, area, outer, inner));
        yield* versions.filter(
          ({ key }, i) => key !== versions[i + 1]?.key && key.startsWith(prefix) && orderOf(key) > passed,
        );
      }
    }
  }
}

async function areas(root: string, prefix: string): Promise<string[]> {
  if (prefix.includes("/"))
    return [prefix.slice(0, prefix.indexOf("/"))].filter((name) => /^[a-z0-9_-][a-z0-9_.-]*$/.test(name));
  return folders(root);
}

async function folders(path: string): Promise<string[]> {
  const entries = (await ifThere(readdir(path, { withFileTypes: true }))) ?? [];
  return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith(".") ? entry.name : [])).toSorted();
}
