import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onExit } from "./at-exit.ts";
import { isServing } from "./server-program.ts";
import { waitUntil } from "./wait-until.ts";

/** As in the start script of package.json. */
const nodeArgs = ["--max-semi-space-size=16", join(import.meta.dirname, "../../src/main.ts")];

/** The service in a separate process, as operators run it. */
export interface MainProcess {
  pid: number;
  /** Sends SIGTERM. */
  terminate(): void;
  /** Sends SIGKILL to the process and its wrapper; resolves after the process has exited. */
  kill(): Promise<void>;
  /** The exit code; null if a signal ended the process. */
  exited: Promise<number | null>;
  /** The last lines of the output of the process. */
  getOutput(): string;
  /** The current resident memory. */
  getMemoryBytes(): number;
  /** The number of open file descriptors. */
  countDescriptors(): number;
}

const maxOutputLines = 200;

/**
 * Resolves when the service is ready. `wrapper` is a command that runs the service, such as `strace …`. If `stdout` is a
 * file descriptor, the log is written to it and `getOutput` returns only standard error.
 */
export async function startMain(
  env: Record<string, string>,
  wrapper: readonly string[] = [],
  stdout: number | "pipe" = "pipe",
): Promise<MainProcess> {
  const [command = process.execPath, ...wrapperArgs] = wrapper;
  const args = wrapper.length === 0 ? nodeArgs : [...wrapperArgs, process.execPath, ...nodeArgs];
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
    stdio: ["ignore", stdout, "pipe"],
    detached: true, // its own process group, so that a kill also ends the wrapper
  });
  const pid = child.pid ?? 0;
  const killAll = () => void (child.exitCode === null && child.signalCode === null && process.kill(-pid, "SIGKILL"));
  const unregister = onExit(killAll);
  const outputLines: string[] = [];
  let markReady = (): void => {};
  const ready = new Promise<void>((resolve) => (markReady = resolve));
  for (const input of [child.stdout, child.stderr].filter((stream) => stream !== null)) {
    createInterface({ input }).on("line", (line) => {
      if (outputLines.push(line) > maxOutputLines) outputLines.shift();
      if (line.includes("ready: open")) markReady();
    });
  }
  const exited = once(child, "exit").then(([code]) => {
    unregister();
    return code as number | null;
  });
  const earlyExit = exited.then((code) => {
    throw new Error(`the service exited with ${code}: ${outputLines.join("\n")}`);
  });
  earlyExit.catch(() => {});
  await Promise.race([stdout === "pipe" ? ready : waitUntilReady(env["BASE_URL"] ?? ""), earlyExit]).catch(
    (error: unknown) => {
      killAll();
      throw error;
    },
  );
  return {
    pid,
    exited,
    getOutput: () => outputLines.join("\n"),
    terminate: () => void child.kill("SIGTERM"),
    getMemoryBytes: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024,
    countDescriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    async kill() {
      killAll();
      await exited;
    },
  };
}

async function waitUntilReady(base: string): Promise<void> {
  await waitUntil(() => isServing(`${base}/readyz`), {
    timeoutMs: 90_000,
    intervalMs: 50,
    description: "service is ready",
  });
}
