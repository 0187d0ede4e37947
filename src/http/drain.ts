import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#lib/log.ts";
import type { Edge } from "./server.ts";

/** Less than the 30 s after which containers are killed. */
const graceMs = 25_000;
/** Whoever sends requests here has learned that we leave once nobody came for this long. */
const quietMs = 1_000;
/** Some never learn, and notice only when a connection is refused. */
const lingerMs = 8_000;

/** A turn of the event loop in which next to nothing was done. */
const emptyTurnMs = 0.1;
const mostTurns = 1_000;

/**
 * Leaves in good order: says "not ready" and goes on serving until nobody comes any more, finishes what was accepted,
 * then closes the rest. Resolves within `graceMs`, whatever clients do.
 */
export async function drain(edge: Edge, log: Log): Promise<void> {
  const started = performance.now();
  edge.startDraining();
  // Every answer now closes its connection, so that soon nobody holds one on which a request could be on its way.
  while (performance.now() - Math.max(started, edge.lastArrival()) < quietMs) {
    if (performance.now() - started > lingerMs) break;
    await sleep(50);
  }
  await afterEmptyTurn();
  const { server } = edge;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle only after its answer; ask again while the last ones finish.
  const sweep = setInterval(() => server.closeIdleConnections(), 200);
  const timer = new AbortController();
  const inTime = await Promise.race([
    closed.then(() => true),
    sleep(graceMs - (performance.now() - started), false, { signal: timer.signal }).catch(() => false),
  ]);
  timer.abort();
  clearInterval(sweep);
  if (inTime) return;
  log.warn("some requests did not finish in time and were cut");
  server.closeAllConnections();
}

/**
 * When the door is shut, the system resets who has connected and was not taken in yet. All are taken in at one point of
 * every turn; so it is shut right after a turn in which nothing else kept us from there to here.
 */
async function afterEmptyTurn(): Promise<void> {
  for (let turn = 0; turn < mostTurns; turn++) {
    const began = performance.now();
    await nextTurn();
    if (performance.now() - began < emptyTurnMs) return;
  }
}
