import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Checks that every package comes from the npm registry, with an exact version and a digest, or from this repository. */

const root = join(import.meta.dirname, "..");

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  /** Bundled in its parent package, whose digest covers it. */
  inBundle?: boolean;
}

const problems = [
  ...checkFolder(""),
  ...checkFolder("test/servers/pds/", "better-sqlite3"),
  ...checkFolder("bench/peers/better-auth/"),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}

/** Returns the problems of a lockfile. `ownPackage` is a package of this repository, in a folder with its name. */
function checkFolder(folder: string, ownPackage?: string): string[] {
  const { lockfileVersion, packages } = readJson(`${folder}package-lock.json`) as {
    lockfileVersion: number;
    packages: Record<string, LockedPackage>;
  };
  const manifest = readJson(`${folder}package.json`) as Record<string, Record<string, string> | undefined>;
  const folderProblems = lockfileVersion === 3 ? [] : ["expected lockfileVersion 3"];
  for (const [path, { version, resolved, integrity, link, inBundle }] of Object.entries(packages)) {
    if (path === "" || inBundle || path === ownPackage) continue;
    if (link && ownPackage !== undefined && resolved === ownPackage) continue;
    if (link || version === undefined) folderProblems.push(`${path}: not a registry package`);
    // Without a URL, npm uses the configured registry (.npmrc: omit-lockfile-registry-resolved).
    if (resolved !== undefined) folderProblems.push(`${path}: has a source URL: ${resolved}`);
    if (!/^sha512-[\w+/]{86}==$/.test(integrity ?? "")) folderProblems.push(`${path}: has no SHA-512 digest`);
  }
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "overrides"]) {
    for (const [name, version] of Object.entries(manifest[kind] ?? {}))
      if (name !== ownPackage && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        folderProblems.push(`${name} ${version} is not an exact version`);
  }
  return folderProblems.map((problem) => `${folder}package-lock.json or package.json: ${problem}`);
}
