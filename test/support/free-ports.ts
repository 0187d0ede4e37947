import { once } from "node:events";
import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

/** Below the ports that the system gives to connections and to servers that ask for any port. */
const [minPort, maxPort] = [20_000, 32_000];

/** Returns distinct free ports. */
export async function findFreePorts(count: number): Promise<number[]> {
  const probes = new Map<number, Server>();
  while (probes.size < count) {
    const port = randomInt(minPort, maxPort);
    const probe = createServer();
    const isFree = await once(probe.listen(port, "127.0.0.1"), "listening").then(
      () => true,
      () => false,
    );
    if (isFree) probes.set(port, probe);
  }
  await Promise.all([...probes.values()].map((probe) => once(probe.close(), "close")));
  return [...probes.keys()];
}

export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}
