import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The folders in PATH. Programs elsewhere are found only relative to these, so a run with another PATH has other
 * programs (`npm test -- --without-programs`).
 */
export const listPathFolders = (): string[] =>
  (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");

/** Returns the path of a program; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return listPathFolders()
    .flatMap((folder) => [folder, join(folder, "../sbin")]) // Debian installs servers in sbin, which only root has in PATH
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** The `skip` option of a test that runs these programs: false if all of them are installed. */
export function skipWithout(...names: readonly string[]): string | false {
  const missingNames = names.filter((name) => findProgram(name) === undefined);
  return missingNames.length > 0 && `not installed: ${missingNames.join(", ")}`;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
