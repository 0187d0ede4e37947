import { once } from "node:events";
import { connect } from "node:net";
import { waitUntil } from "./wait-until.ts";

/** An entry of `ceph osd pool ls detail`. */
export interface CephPool {
  pool_id: number;
  pg_num: number;
}

/**
 * Resolves when every placement group of the pools is active and clean. Asks the storage daemons through their admin
 * sockets, because the monitor learns these states only from a manager daemon.
 */
export async function waitForCleanPools(socketPaths: readonly string[], pools: readonly CephPool[]): Promise<void> {
  const groups = pools.flatMap(({ pool_id: pool, pg_num: count }) =>
    Array.from({ length: count }, (_, index) => `${pool}.${index.toString(16)}`),
  );
  let unclean: string[] = groups;
  const areClean = async (): Promise<boolean> => {
    const states = await Promise.all(unclean.map((group) => readState(socketPaths, group)));
    unclean = unclean.filter((_, i) => states[i] !== "active+clean");
    return unclean.length === 0;
  };
  await waitUntil(areClean, { timeoutMs: 120_000, intervalMs: 250, description: "all placement groups are clean" });
}

/** The state of a placement group, which only its primary storage daemon reports. */
async function readState(socketPaths: readonly string[], group: string): Promise<string | undefined> {
  const replies = await Promise.all(
    socketPaths.map((path) => sendCommand(path, { prefix: "pg", pgid: group, cmd: "query" }).catch(() => undefined)),
  );
  return replies.find((reply) => reply?.state !== undefined)?.state;
}

/** An admin socket takes a command that ends with a zero byte, and sends the length and the text of its reply. */
async function sendCommand(path: string, command: Record<string, string>): Promise<{ state?: string }> {
  const socket = connect(path);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${JSON.stringify({ ...command, format: "json" })}\0`);
  await once(socket, "close");
  return JSON.parse(Buffer.concat(chunks).subarray(4).toString()) as { state?: string };
}
