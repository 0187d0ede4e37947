import { readdirSync, readFileSync } from "node:fs";

/** Returns the ids of a process and all its descendants; empty if the process has exited. */
export function listProcessTree(rootPid: number): number[] {
  if (rootPid === 0 || !isRunning(rootPid)) return [];
  const parentPids = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), readStat(Number(name))?.parentPid]),
  );
  const tree = [rootPid];
  for (const pid of tree) for (const [childPid, parentPid] of parentPids) if (parentPid === pid) tree.push(childPid);
  return tree;
}

/** False for a process that has exited, even if its parent has not collected its status yet. */
export function isRunning(pid: number): boolean {
  const state = readStat(pid)?.state;
  return state !== undefined && state !== "Z" && state !== "X";
}

/** Sends a signal to each process that still exists. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid > 1) process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** proc(5): the fields follow the program's name, which is in parentheses and can contain spaces. */
function readStat(
  pid: number | "self",
): { state: string; parentPid: number; ticks: number; childTicks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const sum = (...indexes: [number, number]): number => Number(fields[indexes[0]]) + Number(fields[indexes[1]]);
    return { state: fields[0] ?? "", parentPid: Number(fields[1]), ticks: sum(11, 12), childTicks: sum(13, 14) };
  } catch {
    return undefined;
  }
}

const ticksPerSecond = 100;

/** The CPU time of a process; 0 where there is no `/proc`. */
export const readCpuSeconds = (pid: number): number => (readStat(pid)?.ticks ?? 0) / ticksPerSecond;

/** The CPU time of ended children of this process, which Node does not report. 0 where there is no `/proc`. */
export const readChildrenCpuSeconds = (): number => (readStat("self")?.childTicks ?? 0) / ticksPerSecond;
