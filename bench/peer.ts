import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { run, type Load } from "./load.ts";

/** A server in the comparison, in its own process so that its CPU time can be measured. */
export interface Peer {
  name: string;
  pid: number;
  url: string;
  /** The server's own token, if it does not accept ours. */
  token: string | undefined;
  /** Fraction of the calls that this server receives, so that slow servers do not dominate the run time. */
  share: number;
  /** Microseconds of CPU since it started. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

export async function startPeer(name: string, file: string, env: Record<string, string>, share = 1): Promise<Peer> {
  const child = fork(join(import.meta.dirname, file), {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const { url, token } = await receive<{ url: string; token?: string }>(child);
  return {
    name,
    pid: child.pid ?? 0,
    url,
    token,
    share,
    async cpu() {
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

/** JIT compilation takes thousands of calls, and CPU time that should not count. */
const warmUpRounds = 8;

export interface Figures {
  cpuMicros: number;
  callsPerSecond: number;
}

/** Measures in alternating rounds, so that other load on the machine affects all peers; returns the best round of each. */
export async function measure(
  peers: readonly Peer[],
  load: (peer: Peer) => Omit<Load, "connections">,
  rounds: number,
  calls: number,
  check: (text: string) => void,
): Promise<Map<string, Figures>> {
  const figures = new Map<string, Figures[]>(peers.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const peer of peers) {
      const count = Math.round(calls * peer.share);
      const before = await peer.cpu();
      const seconds = await run({ ...load(peer), connections: 8 }, count, check);
      const cpuMicros = (await peer.cpu()) - before;
      if (round >= 0) figures.get(peer.name)?.push({ cpuMicros: cpuMicros / count, callsPerSecond: count / seconds });
    }
  }
  return new Map(
    [...figures].map(([name, measured]) => [
      name,
      {
        cpuMicros: Math.min(...measured.map(({ cpuMicros }) => cpuMicros)),
        callsPerSecond: Math.max(...measured.map(({ callsPerSecond }) => callsPerSecond)),
      },
    ]),
  );
}
