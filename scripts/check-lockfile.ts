import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Checks that every package comes from the npm registry, with an exact version and a digest. */

const root = join(import.meta.dirname, "..");

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  /** Bundled in its parent package, whose digest covers it. */
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
  if (link || version === undefined) problems.push(`${path}: not a registry package`);
  // Without a URL, npm uses the configured registry (.npmrc: omit-lockfile-registry-resolved).
  if (resolved !== undefined) problems.push(`${path}: has a source URL: ${resolved}`);
  if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? "")) problems.push(`${path}: has no SHA-512 digest`);
}
for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "overrides"]) {
  for (const [name, version] of Object.entries(manifest[kind] ?? {}))
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      problems.push(`package.json: ${name} ${version} is not an exact version`);
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}
