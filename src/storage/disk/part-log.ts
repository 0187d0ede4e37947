import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";

/** The append-only log of a multipart file: which parts are complete, and which processes wrote parts. */
export interface PartLog {
  completedParts: Set<number>;
  /** Whether this process has appended a line before, so that it need not append a `started` line. */
  hasOwnEntry: boolean;
  /** Whether every line is from this process, so that no other process can have written to the data. */
  isExclusive: boolean;
}

const logFileName = "log";
/** The first character of a line. */
const markers = { started: "+", complete: "=" } as const;
const linePattern = /^([+=])(\d{5}) ([0-9a-f]{12})\n/gm;

export async function createPartLog(folder: string): Promise<void> {
  await withDiskErrors(writeFile(join(folder, logFileName), "", { flag: "wx", mode: 0o600 }));
}

/** Resolves to undefined if the folder does not exist. Ignores a line that a power loss left incomplete. */
export async function readPartLog(folder: string, instanceId: string): Promise<PartLog | undefined> {
  const text = await undefinedIfMissing(readFile(join(folder, logFileName), "latin1"));
  if (text === undefined) return undefined;
  const lines = [...text.matchAll(linePattern)];
  return {
    completedParts: new Set(lines.flatMap(([, marker, part]) => (marker === markers.complete ? [Number(part)] : []))),
    hasOwnEntry: lines.some(([, , , writer]) => writer === instanceId),
    isExclusive: lines.every(([, , , writer]) => writer === instanceId),
  };
}

/**
 * Appends a line. `started`: this process is about to write its first part. `complete`: the part is complete; this line
 * is durable when the call resolves.
 */
export async function appendPartLog(
  folder: string,
  event: keyof typeof markers,
  part: number,
  instanceId: string,
): Promise<void> {
  await using log = await withDiskErrors(open(join(folder, logFileName), "a", 0o600));
  await withDiskErrors(log.write(`${markers[event]}${String(part).padStart(5, "0")} ${instanceId}\n`));
  if (event === "complete") await withDiskErrors(log.datasync());
}
