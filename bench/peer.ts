import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { runLoad, type Load } from "./load.ts";

/** A server of the comparison, in a process of its own, so that its CPU time is its own. */
export interface Peer {
  name: string;
  pid: number;
  url: string;
  /** One of its own making, where it does not take ours. */
  token: string | undefined;
  /** One that takes ten times as long is asked a tenth as often. */
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
  const { url, token } = await readMessage<{ url: string; token?: string }>(child);
  return {
    name,
    pid: child.pid ?? 0,
    url,
    token,
    share,
    async cpu() {
      const reply = readMessage<{ cpu: number }>(child);
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

async function readMessage<T>(child: ChildProcess): Promise<T> {
  const controller = new AbortController();
  try {
    const earlyExit = once(child, "exit", { signal: controller.signal }).then(([code]) => {
      throw new Error(`the server left with ${String(code)}`);
    });
    const [message] = (await Promise.race([once(child, "message", { signal: controller.signal }), earlyExit])) as [T];
    earlyExit.catch(() => {});
    return message;
  } finally {
    controller.abort();
  }
}

/** Compiling what is hot takes thousands of calls, and CPU time that is no call's own. */
const warmUpRounds = 8;

export interface Measurement {
  cpuMicros: number;
  callsPerSecond: number;
}

/** Measures the peers in turns, so that whatever else the machine does falls on all of them; answers the quietest round of each. */
export async function measure(
  peers: readonly Peer[],
  load: (peer: Peer) => Omit<Load, "connections">,
  rounds: number,
  calls: number,
  check: (text: string) => void,
): Promise<Map<string, Measurement>> {
  const measurements = new Map<string, Measurement[]>(peers.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const peer of peers) {
      const callCount = Math.round(calls * peer.share);
      const before = await peer.cpu();
      const seconds = await runLoad({ ...load(peer), connections: 8 }, callCount, check);
      const cpuMicros = (await peer.cpu()) - before;
      if (round >= 0)
        measurements.get(peer.name)?.push({ cpuMicros: cpuMicros / callCount, callsPerSecond: callCount / seconds });
    }
  }
  return new Map(
    [...measurements].map(([name, all]) => [
      name,
      {
        cpuMicros: Math.min(...all.map((measurement) => measurement.cpuMicros)),
        callsPerSecond: Math.max(...all.map((measurement) => measurement.callsPerSecond)),
      },
    ]),
  );
}
