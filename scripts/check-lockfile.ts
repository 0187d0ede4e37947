import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Proves that every package comes from the registry, as exactly the bytes that were locked. */

const root = join(import.meta.dirname, "..");

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  /** Comes inside the package above it, whose digest covers it. */
  inBundle?: boolean;
}

const { lockfileVersion, packages } = readJson("package-lock.json") as {
  lockfileVersion: number;
  packages: Record<string, Locked>;
};
const manifest = readJson("package.json") as Record<string, Record<string, string> | undefined>;

const faults = lockfileVersion === 3 ? [] : ["package-lock.json: expected lockfileVersion 3"];
for (const [path, { version, resolved, integrity, link, inBundle }] of Object.entries(packages)) {
  if (path === "" || inBundle) continue;
  if (link || version === undefined) faults.push(`${path}: not a package of the registry`);
  // Without an address npm asks the one registry it is set up with (.npmrc: omit-lockfile-registry-resolved).
  if (resolved !== undefined) faults.push(`${path}: names where it comes from: ${resolved}`);
  if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? "")) faults.push(`${path}: has no SHA-512`);
}
for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "overrides"]) {
  for (const [name, version] of Object.entries(manifest[kind] ?? {}))
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) faults.push(`package.json: ${name} ${version} is not exact`);
}

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}
