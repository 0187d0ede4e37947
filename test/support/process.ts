import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A program of `children/` that runs beside the test and tells what it does, line by line. */
export interface Helper {
  readonly lines: readonly string[];
  /** Resolves with the first line that begins with `start`, or the nth; rejects where the process ends without it. */
  line(start: string, nth?: number): Promise<string>;
  /** It waits for this before it does anything. */
  go(): void;
  /** SIGKILL, as a power cut would end it; resolves when it is gone and every line of it is read. */
  kill(): Promise<void>;
  ended: Promise<void>;
}

export function startHelper(program: string, options: unknown): Helper {
  const path = join(import.meta.dirname, "children", program);
  const child = spawn(process.execPath, [path, JSON.stringify(options)], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {}); // it may be gone already
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => waiting.forEach((check) => check());
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (text) => {
    lines.push(text);
    wake();
  });
  let over = false;
  const ended = Promise.all([once(child, "exit"), once(reader, "close")]).then(() => {
    over = true;
    wake();
  });

  return {
    lines,
    ended,
    line: (start, nth = 1) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = lines.filter((text) => text.startsWith(start)).at(nth - 1);
          if (found === undefined && !over) return;
          waiting.delete(check);
          if (found === undefined)
            reject(new Error(`the helper ended without saying ${start}: ${lines.slice(-3).join(" | ")}`));
          else resolve(found);
        };
        waiting.add(check);
        check();
      }),
    go: () => void child.stdin.write("go\n"),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
