import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { atExit } from "./at-exit.ts";

/** A Node program of someone else's, and what it says. */
export interface Program {
  /** Everything it said so far, errors too. */
  output(): string;
  /** What it wrote to standard output alone. */
  result(): string;
  /** The first text that fits; rejects where the program ends without it. */
  find(pattern: RegExp): Promise<string>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

export function startProgram(args: readonly string[], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, args, {
    // No screen and nothing that opens one: a person's browser is in the test.
    env: { PATH: dirname(process.execPath), BROWSER: "true", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const callOff = atExit(() => child.kill("SIGKILL"));
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
    output: () => all,
    result: () => out,
    async find(pattern) {
      for (;;) {
        const [found] = pattern.exec(all) ?? [];
        if (found !== undefined) return found;
        if (over) throw new Error(`the program ended without ${String(pattern)}:\n${all}`);
        await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), ended]);
      }
    },
    async stop() {
      if (!over) child.kill("SIGKILL");
      await ended;
    },
  };
}
