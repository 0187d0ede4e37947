import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const pathFolders = (process.env["PATH"] ?? "").split(delimiter);

/** Returns the path of a program in these folders, by default those of PATH; undefined if it is not installed. */
export function findProgram(name: string, folders: readonly string[] = pathFolders): string | undefined {
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
