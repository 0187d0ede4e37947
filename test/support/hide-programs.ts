import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./find-program.ts";
import { createTempFolder } from "./temp-folder.ts";

/** Leaves only Node, npm and a shell in PATH, and removes servers and programs that environment variables name. */
export function hidePrograms(): void {
  const folder = createTempFolder("atelier-path-").path;
  const paths = { node: process.execPath, npm: findProgram("npm") ?? "", sh: findProgram("sh") ?? "" };
  for (const [name, path] of Object.entries(paths)) symlinkSync(path, join(folder, name));
  process.env["PATH"] = folder;
  for (const name of Object.keys(process.env))
    if (name === "CHROMIUM_PATH" || name.startsWith("TEST_")) delete process.env[name];
}
