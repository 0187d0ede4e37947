import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { sendLoad, type Load } from "./load.ts";

/** A server in its own process, so that its CPU time can be measured: ours, or one that it is compared with. */
export interface MeasuredServer {
  name: string;
  pid: number;
  url: string;
  /** The token that this server accepts, if it is not our token. */
  token: string | undefined;
  /** The fraction of a round's calls that this server receives (1: all), so that slow servers do not dominate the run time. */
  callFraction: number;
  /** Returns the microseconds of CPU since the server started. */
  readCpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

export async function startMeasuredServer(
  name: string,
  file: string,
  env: Record<string, string>,
  callFraction = 1,
): Promise<MeasuredServer> {
  const child = fork(join(import.meta.dirname, file), {
    env: { ...process.env, ...env },
    execArgv: ["--max-semi-space-size=16"], // as in the start script of package.json
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const { url, token } = await receive<{ url: string; token?: string }>(child);
  return {
    name,
    pid: child.pid ?? 0,
    url,
    token,
    callFraction,
    async readCpuMicros() {
      const reply = receive<{ cpu: number }>(child);
      child.send("cpu");
      return (await reply).cpu;
    },
    async stop() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}

/** Returns the child's next message; rejects if it exits first. */
async function receive<T>(child: ChildProcess): Promise<T> {
  const abortController = new AbortController();
  try {
    const exited = once(child, "exit", { signal: abortController.signal }).then(([code]) => {
      throw new Error(`the server exited with code ${String(code)}`);
    });
    const [message] = (await Promise.race([once(child, "message", { signal: abortController.signal }), exited])) as [T];
    exited.catch(() => {});
    return message;
  } finally {
    abortController.abort();
  }
}

export interface Rounds {
  warmUpRounds: number;
  rounds: number;
  callsPerRound: number;
}

export interface Measurement {
  cpuMicrosPerCall: number;
  callsPerSecond: number;
}

/**
 * Measures in alternating rounds, so that other load affects all servers. Returns the best value of each measure per
 * server, over all rounds. The rounds of `warmUpRounds` do not count: JIT compilation takes thousands of calls.
 */
export async function measure(
  servers: readonly MeasuredServer[],
  createLoad: (server: MeasuredServer) => Omit<Load, "connections">,
  { warmUpRounds, rounds, callsPerRound }: Rounds,
  check: (text: string) => void,
): Promise<Map<string, Measurement>> {
  const measurementsByName = new Map<string, Measurement[]>(servers.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const server of servers) {
      const count = Math.round(callsPerRound * server.callFraction);
      const before = await server.readCpuMicros();
      const seconds = await sendLoad({ ...createLoad(server), connections: 8 }, count, check);
      const cpuMicros = (await server.readCpuMicros()) - before;
      if (round >= 0)
        measurementsByName
          .get(server.name)
          ?.push({ cpuMicrosPerCall: cpuMicros / count, callsPerSecond: count / seconds });
    }
  }
  return new Map(
    [...measurementsByName].map(([name, measurements]) => [
      name,
      {
        cpuMicrosPerCall: Math.min(...measurements.map(({ cpuMicrosPerCall }) => cpuMicrosPerCall)),
        callsPerSecond: Math.max(...measurements.map(({ callsPerSecond }) => callsPerSecond)),
      },
    ]),
  );
}
