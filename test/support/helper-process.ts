import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A program of `children/` that runs beside the test and tells what it does, line by line. */
export interface HelperProcess {
  readonly lines: readonly string[];
  /** Resolves with the first line that begins with `start`, or the nth; rejects where the process ends without it. */
  waitForLine(start: string, nth?: number): Promise<string>;
  /** It waits for this before it does anything. */
  signalStart(): void;
  /** SIGKILL, as a power cut would end it; resolves when it is gone and every line of it is read. */
  kill(): Promise<void>;
  exited: Promise<void>;
}

export function startHelper(program: string, options: unknown): HelperProcess {
  const path = join(import.meta.dirname, "children", program);
  const child = spawn(process.execPath, [path, JSON.stringify(options)], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {}); // it may be gone already
  const lines: string[] = [];
  const pendingChecks = new Set<() => void>();
  const checkAll = () => pendingChecks.forEach((check) => check());
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (text) => {
    lines.push(text);
    checkAll();
  });
  let hasExited = false;
  const ended = Promise.all([once(child, "exit"), once(reader, "close")]).then(() => {
    hasExited = true;
    checkAll();
  });

  return {
    lines,
    exited: ended,
    waitForLine: (start, nth = 1) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const matchingLine = lines.filter((text) => text.startsWith(start)).at(nth - 1);
          if (matchingLine === undefined && !hasExited) return;
          pendingChecks.delete(check);
          if (matchingLine === undefined)
            reject(new Error(`the helper ended without saying ${start}: ${lines.slice(-3).join(" | ")}`));
          else resolve(matchingLine);
        };
        pendingChecks.add(check);
        check();
      }),
    signalStart: () => void child.stdin.write("go\n"),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
