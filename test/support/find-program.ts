import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const path = (process.env["PATH"] ?? "").split(delimiter);

/** Where a program of this name lies, on the path unless told otherwise; undefined where it is not installed. */
export function findProgram(name: string, folders: readonly string[] = path): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
