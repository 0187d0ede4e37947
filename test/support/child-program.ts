import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { onExit } from "./at-exit.ts";

/** A program of someone else's, and what it says. */
export interface ChildProgram {
  /** Sends this to its standard input. */
  write(text: string): void;
  /** Everything it said so far, errors too. */
  getOutput(): string;
  /** What it wrote to standard output alone. */
  getStdout(): string;
  /** The first text that fits, without terminal control characters; rejects where the program ends without it. */
  waitForMatch(pattern: RegExp): Promise<string>;
  /** Its exit code. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** What to run in place of Node. */
  command?: string;
  cwd?: string;
  /** Leaves standard input open for `write`. */
  isInteractive?: boolean;
  /** What ends it; a program with children of its own may need SIGTERM to end them too. */
  stopSignal?: NodeJS.Signals;
}

export function startChildProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  { command = process.execPath, cwd, isInteractive = false, stopSignal = "SIGKILL" }: ProgramOptions = {},
): ChildProgram {
  const child = spawn(command, args, {
    cwd,
    // No screen and nothing that opens one: a person's browser is in the test.
    env: { PATH: dirname(process.execPath), BROWSER: "true", NO_COLOR: "1", ...env },
  });
  child.stdin.on("error", () => {}); // the program may end without reading it
  if (!isInteractive) child.stdin.end();
  const unregister = onExit(() => child.kill(stopSignal));
  let combinedOutput = "";
  let standardOutput = "";
  child.stdout.on("data", (chunk: Buffer) => {
    combinedOutput += chunk.toString();
    standardOutput += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => void (combinedOutput += chunk.toString()));
  let hasExited = false;
  const ended = once(child, "close").then(([code]) => {
    hasExited = true;
    unregister();
    return code as number | null;
  });
  return {
    exited: ended,
    write: (text) => void child.stdin.write(text),
    getOutput: () => combinedOutput,
    getStdout: () => standardOutput,
    async waitForMatch(pattern) {
      for (;;) {
        const [match] = pattern.exec(stripVTControlCharacters(combinedOutput)) ?? [];
        if (match !== undefined) return match;
        if (hasExited) throw new Error(`the program ended without ${String(pattern)}:\n${combinedOutput}`);
        const waiting = new AbortController();
        const { signal } = waiting;
        const more = [once(child.stdout, "data", { signal }), once(child.stderr, "data", { signal }), ended];
        await Promise.race(more).finally(() => waiting.abort());
      }
    },
    async stop() {
      if (!hasExited) child.kill(stopSignal);
      await ended;
    },
  };
}
