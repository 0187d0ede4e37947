import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

interface TcpProxy {
  /** Closes all connections. */
  cut(): void;
  /** From now on, nothing arrives on the open connections, and neither side notices that. New ones work. */
  stall(): void;
  close(): Promise<void>;
}

/** Forwards connections between two local ports. */
export async function startTcpProxy(port: number, targetPort: number): Promise<TcpProxy> {
  const connections = new Set<readonly [Socket, Socket]>();
  const stalled = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const pair = [client, connect(targetPort, "127.0.0.1")] as const;
    connections.add(pair);
    for (const [from, to] of [pair, pair.toReversed() as [Socket, Socket]]) {
      from.pipe(to);
      from.on("error", () => {});
      from.on("close", () => {
        if (connections.delete(pair)) to.destroy();
      });
    }
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const destroy = (pairs: Set<readonly [Socket, Socket]>): void => {
    for (const socket of [...pairs].flat()) socket.destroy();
  };
  return {
    cut: () => destroy(connections),
    stall() {
      for (const pair of connections) {
        for (const socket of pair) socket.unpipe();
        stalled.add(pair);
      }
      connections.clear();
    },
    async close() {
      server.close();
      destroy(connections);
      destroy(stalled);
      await once(server, "close");
    },
  };
}
