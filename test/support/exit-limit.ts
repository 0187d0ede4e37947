import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { after } from "node:test";
import { isMainThread } from "node:worker_threads";
import { listProcessTree, signalAll } from "./process-tree.ts";

/*
 * `npm test` imports this file into the process of every test file. Handles that tests leave open, such as a server
 * whose setup failed halfway, would keep the process running forever; instead it fails and names them. The runner also
 * waits for child processes, because they have the same output.
 */
const maxSecondsAfterTests = 10;

const timesPath = process.env["TEST_TIMES"];

/** Seconds of a test file, and of CPU in its process and the children that it waited for. */
export interface FileTimes {
  file: string;
  seconds: number;
  cpuSeconds: number;
}

// Worker threads and the process that starts the test files import this file, too.
if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(() => {
    setTimeout(failWithOpenHandles, maxSecondsAfterTests * 1000).unref();
    // Runs after the exit handlers that tests registered, which stop their own processes.
    process.on("exit", () => signalAll(listProcessTree(process.pid).slice(1), "SIGKILL"));
    if (timesPath !== undefined) process.on("exit", () => recordTimes(timesPath));
  });

function recordTimes(path: string): void {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const times: FileTimes = {
    file: relative(process.cwd(), process.argv[1] ?? ""),
    seconds: process.uptime(),
    cpuSeconds: (userCPUTime + systemCPUTime) / 1_000_000 + readChildrenCpuSeconds(),
  };
  appendFileSync(path, `${JSON.stringify(times)}\n`);
}

/** CPU time of ended children, which Node does not report. 0 where there is no `/proc`. */
function readChildrenCpuSeconds(): number {
  const ticksPerSecond = 100;
  try {
    // The fields after the program's name, which can contain spaces: `cutime` and `cstime` are the 16th and 17th.
    const fields = (readFileSync("/proc/self/stat", "utf8").split(") ").at(-1) ?? "").split(" ");
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
  } catch {
    return 0;
  }
}

function failWithOpenHandles(): void {
  // Standard output and standard error are two of the pipes.
  const handles = process.getActiveResourcesInfo().join(", ");
  console.error(`still running ${maxSecondsAfterTests} s after its last test, because of open handles: ${handles}`);
  process.exit(1);
}
