import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { run, type Load } from "./load.ts";

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
  const { url, token } = await answer<{ url: string; token?: string }>(child);
  return {
    name,
    pid: child.pid ?? 0,
    url,
    token,
    share,
    async cpu() {
      const answered = answer<{ cpu: number }>(child);
      child.send("cpu");
      return (await answered).cpu;
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const waiting = new AbortController();
  try {
    const left = once(child, "exit", { signal: waiting.signal }).then(([code]) => {
      throw new Error(`the server left with ${String(code)}`);
    });
    const [message] = (await Promise.race([once(child, "message", { signal: waiting.signal }), left])) as [T];
    left.catch(() => {});
    return message;
  } finally {
    waiting.abort();
  }
}

/** Compiling what is hot takes thousands of calls, and CPU time that is no call's own. */
const warmUpRounds = 8;

export interface Figures {
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
): Promise<Map<string, Figures>> {
  const found = new Map<string, Figures[]>(peers.map(({ name }) => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const peer of peers) {
      const asked = Math.round(calls * peer.share);
      const before = await peer.cpu();
      const seconds = await run({ ...load(peer), connections: 8 }, asked, check);
      const used = (await peer.cpu()) - before;
      if (round >= 0) found.get(peer.name)?.push({ cpuMicros: used / asked, callsPerSecond: asked / seconds });
    }
  }
  return new Map(
    [...found].map(([name, all]) => [
      name,
      {
        cpuMicros: Math.min(...all.map((one) => one.cpuMicros)),
        callsPerSecond: Math.max(...all.map((one) => one.callsPerSecond)),
      },
    ]),
  );
}
