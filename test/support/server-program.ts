import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { onExit } from "./at-exit.ts";
import { waitUntil } from "./wait-until.ts";

interface ServerProgram {
  /** Sends SIGKILL; resolves after the program has exited. */
  stop(): Promise<void>;
}

/** Starts a server; resolves when it is ready. The error of a server that does not start contains its output. */
export async function startServerProgram(
  command: string,
  args: readonly string[],
  isReady: () => Promise<boolean>,
  options: Pick<SpawnOptions, "cwd" | "uid" | "gid"> = {},
): Promise<ServerProgram> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const log: string[] = [];
  for (const output of [child.stdout, child.stderr])
    output.on("data", (chunk: Buffer) => void (log.push(chunk.toString()) > 200 && log.shift()));
  const unregister = onExit(() => child.kill("SIGKILL"));
  const checkReady = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${command} did not start:\n${log.join("")}`);
    return isReady();
  };
  await waitUntil(checkReady, { timeoutMs: 30_000, intervalMs: 50, description: `${command} is ready` });
  return {
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      unregister();
    },
  };
}

/** Whether the server responds with a status below 300. */
export const isServing = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
