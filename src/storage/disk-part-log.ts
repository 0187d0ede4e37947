import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ifThere, io } from "./disk-faults.ts";

/** Which parts are there, and which processes wrote any: lines at the end of one file. */
export interface PartLog {
  done: Set<number>;
  /** Whether this process has a line in it: another one that says no more would only make it longer. */
  knowsUs: boolean;
  /** Whether every line is of this process: then nobody else ever touched the data. */
  isOurs: boolean;
}

const name = "log";
const lineShape = /^([+=])(\d{5}) ([0-9a-f]{12})\n/gm;

export async function createLog(folder: string): Promise<void> {
  const log = await io(open(join(folder, name), "wx", 0o600));
  await log.close();
}

/** Undefined where there is no such folder. A line that a power cut left half written is none. */
export async function readLog(folder: string, instance: string): Promise<PartLog | undefined> {
  const text = await ifThere(readFile(join(folder, name), "latin1"));
  if (text === undefined) return undefined;
  const lines = [...text.matchAll(lineShape)];
  return {
    done: new Set(lines.flatMap(([, sign, part]) => (sign === "=" ? [Number(part)] : []))),
    knowsUs: lines.some(([, , , by]) => by === instance),
    isOurs: lines.every(([, , , by]) => by === instance),
  };
}

/** `+`: this process is about to write its first part. `=`: the part is there; durable when this resolves. */
export async function appendLog(folder: string, sign: "+" | "=", part: number, instance: string): Promise<void> {
  const log = await io(open(join(folder, name), "a", 0o600));
  try {
    await io(log.write(`${sign}${String(part).padStart(5, "0")} ${instance}\n`));
    if (sign === "=") await io(log.datasync());
  } finally {
    await log.close();
  }
}
