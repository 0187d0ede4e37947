import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#lib/log.ts";
import type { Edge } from "./server.ts";

const graceMs = 25_000;

/**
 * Leaves in good order: says no to new work, finishes what was accepted, then closes the rest.
 * Resolves within `graceMs`, whatever clients do.
 */
export async function drain(edge: Edge, log: Log): Promise<void> {
  edge.startDraining();
  const { server } = edge;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection becomes idle only after its answer; ask again while the last ones finish.
  const sweep = setInterval(() => server.closeIdleConnections(), 200);
  const timer = new AbortController();
  const inTime = await Promise.race([
    closed.then(() => true),
    sleep(graceMs, false, { signal: timer.signal }).catch(() => false),
  ]);
  timer.abort();
  clearInterval(sweep);
  if (inTime) return;
  log.warn("some requests did not finish in time and were cut");
  server.closeAllConnections();
}
