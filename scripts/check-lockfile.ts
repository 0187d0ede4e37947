import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Proves that every package comes from the registry, as exactly the bytes that were locked. */

const root = join(import.meta.dirname, "..");

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  /** Comes inside the package above it, whose digest covers it. */
  inBundle?: boolean;
}

const { lockfileVersion, packages } = readJson("package-lock.json") as {
  lockfileVersion: number;
  packages: Record<string, LockedPackage>;
};
const manifest = readJson("package.json") as Record<string, Record<string, string> | undefined>;

const problems = lockfileVersion === 3 ? [] : ["package-lock.json: expected lockfileVersion 3"];
for (const [path, { version, resolved, integrity, link, inBundle }] of Object.entries(packages)) {
  if (path === "" || inBundle) continue;
  if (link || version === undefined) problems.push(`${path}: not a package of the registry`);
  // Without an address npm asks the one registry it is set up with (.npmrc: omit-lockfile-registry-resolved).
  if (resolved !== undefined) problems.push(`${path}: names where it comes from: ${resolved}`);
  if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? "")) problems.push(`${path}: has no SHA-512`);
}
for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "overrides"]) {
  for (const [name, version] of Object.entries(manifest[kind] ?? {}))
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) problems.push(`package.json: ${name} ${version} is not exact`);
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}
