import { appendFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { after, before, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { readChildrenCpuSeconds } from "./process-tree.ts";

/*
 * `npm test` runs several test files in one process, because loading the server's modules costs more than most files.
 * The runner needs a file per process: `writeFileGroups` writes it, and it calls `defineFiles`.
 */

/** Seconds of a test file, and of CPU in its process and the children that it waited for. */
export interface FileTimes {
  file: string;
  seconds: number;
  cpuSeconds: number;
}

/** Distributes test files over groups of at most `maxFiles`, and returns the paths of files that run one group each. */
export function writeFileGroups(name: string, files: readonly string[], maxFiles: number, folder: string): string[] {
  const groupCount = Math.ceil(files.length / maxFiles);
  return Array.from({ length: groupCount }, (_, index) => {
    const path = join(folder, `${name}-${String(index).padStart(3, "0")}.test.ts`);
    const groupFiles = files.filter((_file, position) => position % groupCount === index);
    const importLine = `import { defineFiles } from ${JSON.stringify(pathToFileURL(import.meta.filename).href)};`;
    writeFileSync(path, `${importLine}\ndefineFiles(${JSON.stringify(groupFiles.map((file) => resolve(file)))});\n`);
    return path;
  });
}

/** Defines a suite per test file; hooks of a file apply to its own tests only. */
export function defineFiles(files: readonly string[]): void {
  for (const file of files)
    describe(relative(process.cwd(), file), async () => {
      recordTimes(relative(process.cwd(), file));
      await import(pathToFileURL(file).href);
    });
}

/** Appends the times of the current suite to the file that `npm test` names. */
function recordTimes(file: string): void {
  const path = process.env["TEST_TIMES"];
  if (path === undefined) return;
  let start = { seconds: 0, cpuSeconds: 0 };
  before(() => void (start = readTimes()));
  after(() => {
    const end = readTimes();
    const times: FileTimes = {
      file,
      seconds: end.seconds - start.seconds,
      cpuSeconds: end.cpuSeconds - start.cpuSeconds,
    };
    appendFileSync(path, `${JSON.stringify(times)}\n`);
  });
}

function readTimes(): Omit<FileTimes, "file"> {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1_000_000 + readChildrenCpuSeconds();
  return { seconds: process.uptime(), cpuSeconds };
}
