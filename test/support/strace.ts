import { findProgram } from "./find-program.ts";

/**
 * The command that runs a program while a fault is injected into one of its system calls:
 * `buildStraceCommand("rename", "error=EIO:when=3")`. Includes the `at` variant of the call, because arm64 Linux has
 * `renameat` but no `rename`.
 */
export function buildStraceCommand(call: string, fault: string): string[] {
  const pattern = `/^${call}(at)?$`;
  return [
    findProgram("strace") ?? "",
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    `trace=${pattern}`,
    "-e",
    `inject=${pattern}:${fault}`,
  ];
}
