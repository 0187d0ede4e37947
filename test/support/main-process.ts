import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onExit } from "./at-exit.ts";
import { waitUntil } from "./wait-until.ts";

const main = join(import.meta.dirname, "../../src/main.ts");

/** The service as operators run it: a process of its own, that can be killed. */
export interface MainProcess {
  pid: number;
  /** Asks it to leave, as an operator does. */
  terminate(): void;
  /** SIGKILL, as a power cut would end it. */
  kill(): Promise<void>;
  /** Its exit code; null where a signal ended it. */
  exited: Promise<number | null>;
  /** The last lines it wrote. */
  getOutput(): string;
  /** Bytes of memory that it has now. */
  getMemoryBytes(): number;
  /** How many files and connections it has open now. */
  countDescriptors(): number;
}

const maxOutputLines = 200;

/**
 * Resolves once it says that it is ready. `through` is a command that starts it in another way, such as `strace …`;
 * `stdout` a descriptor that its log goes to instead of `output`.
 */
export async function startMain(
  env: Record<string, string>,
  wrapper: readonly string[] = [],
  stdout: number | "pipe" = "pipe",
): Promise<MainProcess> {
  const [command = process.execPath, ...wrapperArgs] = wrapper;
  const args = wrapper.length === 0 ? [main] : [...wrapperArgs, process.execPath, main];
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
    stdio: ["ignore", stdout, "pipe"],
    detached: true, // a group of its own, so that what it was started through goes with it
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
  const ended = once(child, "exit").then(([code]) => {
    unregister();
    return code as number | null;
  });
  const earlyExit = ended.then((code) => {
    throw new Error(`the service left with ${code}: ${outputLines.join("\n")}`);
  });
  earlyExit.catch(() => {});
  await Promise.race([stdout === "pipe" ? ready : serves(env["BASE_URL"] ?? ""), earlyExit]).catch((error: unknown) => {
    killAll();
    throw error;
  });
  return {
    pid,
    exited: ended,
    getOutput: () => outputLines.join("\n"),
    terminate: () => void child.kill("SIGTERM"),
    getMemoryBytes: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024,
    countDescriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    async kill() {
      killAll();
      await ended;
    },
  };
}

async function serves(base: string): Promise<void> {
  const markReady = () =>
    fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil(markReady, { timeoutMs: 90_000, intervalMs: 50, description: "a service that is ready" });
}
