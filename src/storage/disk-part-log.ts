import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing, withDiskErrors } from "./disk-faults.ts";

/** Which parts are there, and which processes wrote any: lines at the end of one file. */
export interface PartLog {
  completedParts: Set<number>;
  /** Whether this process has a line in it: another one that says no more would only make it longer. */
  hasOwnEntry: boolean;
  /** Whether every line is of this process: then nobody else ever touched the data. */
  isExclusive: boolean;
}

const logFileName = "log";
const linePattern = /^([+=])(\d{5}) ([0-9a-f]{12})\n/gm;

export async function createPartLog(folder: string): Promise<void> {
  const log = await withDiskErrors(open(join(folder, logFileName), "wx", 0o600));
  await log.close();
}

/** Undefined where there is no such folder. A line that a power cut left half written is none. */
export async function readPartLog(folder: string, instance: string): Promise<PartLog | undefined> {
  const text = await undefinedIfMissing(readFile(join(folder, logFileName), "latin1"));
  if (text === undefined) return undefined;
  const lines = [...text.matchAll(linePattern)];
  return {
    completedParts: new Set(lines.flatMap(([, marker, part]) => (marker === "=" ? [Number(part)] : []))),
    hasOwnEntry: lines.some(([, , , writer]) => writer === instance),
    isExclusive: lines.every(([, , , writer]) => writer === instance),
  };
}

/** `+`: this process is about to write its first part. `=`: the part is there; durable when this resolves. */
export async function appendPartLog(folder: string, marker: "+" | "=", part: number, instance: string): Promise<void> {
  const log = await withDiskErrors(open(join(folder, logFileName), "a", 0o600));
  try {
    await withDiskErrors(log.write(`${marker}${String(part).padStart(5, "0")} ${instance}\n`));
    if (marker === "=") await withDiskErrors(log.datasync());
  } finally {
    await log.close();
  }
}
