import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { atExit } from "./at-exit.ts";

const main = join(import.meta.dirname, "../../src/main.ts");

/** The service as operators run it: a process of its own, that can be killed. */
export interface MainProcess {
  /** SIGKILL, as a power cut would end it. */
  kill(): Promise<void>;
}

/** Resolves once it says that it is ready. */
export async function startMain(env: Record<string, string>): Promise<MainProcess> {
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const callOff = atExit(() => child.kill("SIGKILL"));
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => void (said += chunk.toString()));
  const lines = createInterface({ input: child.stdout! });
  const ready = new Promise<void>((resolve) => {
    lines.on("line", (line) => {
      said += `${line}\n`;
      if (line.includes("ready: open")) resolve();
    });
  });
  const left = once(child, "exit").then(() => {
    throw new Error(`the service left: ${said}`);
  });
  left.catch(() => {});
  await Promise.race([ready, left]);
  return {
    async kill() {
      callOff();
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
