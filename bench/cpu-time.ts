import { readFileSync } from "node:fs";

/** Returns the milliseconds of CPU since the process started; the kernel counts in hundredths of a second. */
export function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
