import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { atExit } from "./at-exit.ts";

/** A program of someone else's, and what it says. */
export interface Program {
  /** Sends this to its standard input. */
  write(text: string): void;
  /** Everything it said so far, errors too. */
  output(): string;
  /** What it wrote to standard output alone. */
  result(): string;
  /** The first text that fits, without terminal control characters; rejects where the program ends without it. */
  find(pattern: RegExp): Promise<string>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
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

export function startProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  { command = process.execPath, cwd, isInteractive = false, stopSignal = "SIGKILL" }: ProgramOptions = {},
): Program {
  const child = spawn(command, args, {
    cwd,
    // No screen and nothing that opens one: a person's browser is in the test.
    env: { PATH: dirname(process.execPath), BROWSER: "true", NO_COLOR: "1", ...env },
  });
  child.stdin.on("error", () => {}); // the program may end without reading it
  if (!isInteractive) child.stdin.end();
  const callOff = atExit(() => child.kill(stopSignal));
  let all = "";
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => {
    all += chunk.toString();
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => void (all += chunk.toString()));
  let over = false;
  const ended = once(child, "close").then(([code]) => {
    over = true;
    callOff();
    return code as number | null;
  });
  return {
    ended,
    write: (text) => void child.stdin.write(text),
    output: () => all,
    result: () => out,
    async find(pattern) {
      for (;;) {
        const [found] = pattern.exec(stripVTControlCharacters(all)) ?? [];
        if (found !== undefined) return found;
        if (over) throw new Error(`the program ended without ${String(pattern)}:\n${all}`);
        const waiting = new AbortController();
        const { signal } = waiting;
        const more = [once(child.stdout, "data", { signal }), once(child.stderr, "data", { signal }), ended];
        await Promise.race(more).finally(() => waiting.abort());
      }
    },
    async stop() {
      if (!over) child.kill(stopSignal);
      await ended;
    },
  };
}
