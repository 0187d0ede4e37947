import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { onExit } from "./at-exit.ts";

/** A program in a child process, with its output. */
export interface ChildProgram {
  /** Writes to the standard input of the program. */
  write(text: string): void;
  /** Standard output and standard error so far. */
  getOutput(): string;
  /** Standard output so far. */
  getStdout(): string;
  /** Resolves with the first match in the output, without control characters; rejects if the program exits first. */
  waitForMatch(pattern: RegExp): Promise<string>;
  /** The exit code of the program. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** The program to run instead of Node. */
  command?: string;
  cwd?: string;
  /** Leaves standard input open for `write`. */
  isInteractive?: boolean;
  /** The signal that `stop` sends; a program with child processes may need SIGTERM to stop them, too. */
  stopSignal?: NodeJS.Signals;
}

export function startChildProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  { command = process.execPath, cwd, isInteractive = false, stopSignal = "SIGKILL" }: ProgramOptions = {},
): ChildProgram {
  const child = spawn(command, args, {
    cwd,
    // Keeps programs from opening a browser, because the test drives its own.
    env: { PATH: dirname(process.execPath), BROWSER: "true", NO_COLOR: "1", ...env },
  });
  child.stdin.on("error", () => {}); // the program may exit without reading it
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
  const exited = once(child, "close").then(([code]) => {
    hasExited = true;
    unregister();
    return code as number | null;
  });
  return {
    exited,
    write: (text) => void child.stdin.write(text),
    getOutput: () => combinedOutput,
    getStdout: () => standardOutput,
    async waitForMatch(pattern) {
      for (;;) {
        const [match] = pattern.exec(stripVTControlCharacters(combinedOutput)) ?? [];
        if (match !== undefined) return match;
        if (hasExited) throw new Error(`the program exited without printing ${String(pattern)}:\n${combinedOutput}`);
        const abortController = new AbortController();
        const { signal } = abortController;
        const events = [once(child.stdout, "data", { signal }), once(child.stderr, "data", { signal }), exited];
        await Promise.race(events).finally(() => abortController.abort());
      }
    },
    async stop() {
      if (!hasExited) child.kill(stopSignal);
      await exited;
    },
  };
}
