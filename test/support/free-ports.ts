import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that the system gives to connections and to servers that ask for any port. */
const [minPort, maxPort] = [20_000, 32_000];

const toResult = (event: Promise<unknown>): Promise<boolean> =>
  event.then(
    () => true,
    () => false,
  );

/** Binds the UDP port of this number until this process ends, so that no other test process returns the port. */
function reserve(port: number): Promise<boolean> {
  const socket = createSocket("udp4").unref();
  return toResult(once(socket.bind({ port, address: "127.0.0.1", exclusive: true }), "listening"));
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, "127.0.0.1");
  return (await toResult(once(probe, "listening"))) && toResult(once(probe.close(), "close"));
}

/** Returns distinct free ports, which no other test takes before they are used. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(minPort, maxPort);
    if ((await reserve(port)) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}
