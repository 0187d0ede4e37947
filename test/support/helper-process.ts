import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onExit } from "./at-exit.ts";
import { createTempFolder } from "./temp-folder.ts";

/** A program of `children/` that runs in its own process and prints each step as a line. */
export interface HelperProcess {
  readonly lines: readonly string[];
  /** Resolves with the nth line that starts with `prefix`, by default the first; rejects if the process exits first. */
  waitForLine(prefix: string, nth?: number): Promise<string>;
  /** Lets the program continue. It waits for this before it starts its work; some programs also wait between steps. */
  letRun(): void;
  /** Lets the program start its work; resolves when it has printed the line. */
  begin(line?: string): Promise<void>;
  /** Sends SIGKILL; resolves after the process has exited and all its lines are read. */
  kill(): Promise<void>;
  exited: Promise<void>;
}

export function startHelper(program: string, options: unknown): HelperProcess {
  const path = join(import.meta.dirname, "children", program);
  const folder = createTempFolder(); // a killed process leaves its temporary files behind
  const child = spawn(process.execPath, [path, JSON.stringify(options)], {
    env: { ...process.env, TMPDIR: folder.path },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const unregister = onExit(() => child.kill("SIGKILL"));
  child.stdin.on("error", () => {}); // the process may have exited
  const lines: string[] = [];
  const pendingChecks = new Set<() => void>();
  const checkAll = () => pendingChecks.forEach((check) => check());
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (text) => {
    lines.push(text);
    checkAll();
  });
  let hasExited = false;
  const exited = Promise.all([once(child, "exit"), once(reader, "close")]).then(() => {
    hasExited = true;
    unregister();
    folder.remove();
    checkAll();
  });

  const waitForLine: HelperProcess["waitForLine"] = (prefix, nth = 1) =>
    new Promise((resolve, reject) => {
      const check = () => {
        const matchingLine = lines.filter((text) => text.startsWith(prefix)).at(nth - 1);
        if (matchingLine === undefined && !hasExited) return;
        pendingChecks.delete(check);
        if (matchingLine === undefined)
          reject(new Error(`the helper exited without printing ${prefix}: ${lines.slice(-3).join(" | ")}`));
        else resolve(matchingLine);
      };
      pendingChecks.add(check);
      check();
    });
  const letRun = (): void => void child.stdin.write("go\n");
  return {
    lines,
    exited,
    waitForLine,
    letRun,
    async begin(line = "ready") {
      await waitForLine("loaded");
      letRun();
      await waitForLine(line);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
