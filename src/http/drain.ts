import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#lib/log.ts";
import type { HttpServer } from "./server.ts";

/** Less than the 30 s after which containers are killed. */
const shutdownTimeoutMs = 25_000;
/** Whoever sends requests here has learned that we leave once nobody came for this long. */
const quietPeriodMs = 1_000;
/** Some never learn, and notice only when a connection is refused. */
const maxQuietWaitMs = 8_000;

/** A turn of the event loop in which next to nothing was done. */
const idleIterationMs = 0.1;
const maxIterations = 1_000;

/**
 * Leaves in good order: says "not ready" and goes on serving until nobody comes any more, finishes what was accepted,
 * then closes the rest. Resolves within `graceMs`, whatever clients do.
 */
export async function drain(httpServer: HttpServer, log: Log): Promise<void> {
  const startedAt = performance.now();
  httpServer.startDraining();
  // Every answer now closes its connection, so that soon nobody holds one on which a request could be on its way.
  while (performance.now() - Math.max(startedAt, httpServer.getLastRequestAt()) < quietPeriodMs) {
    if (performance.now() - startedAt > maxQuietWaitMs) break;
    await sleep(50);
  }
  await waitForIdleEventLoop();
  const { nodeServer: server } = httpServer;
  const serverClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle only after its answer; ask again while the last ones finish.
  const idleSweepTimer = setInterval(() => server.closeIdleConnections(), 200);
  const timeoutController = new AbortController();
  const didFinish = await Promise.race([
    serverClosed.then(() => true),
    sleep(shutdownTimeoutMs - (performance.now() - startedAt), false, { signal: timeoutController.signal }).catch(
      () => false,
    ),
  ]);
  timeoutController.abort();
  clearInterval(idleSweepTimer);
  if (didFinish) return;
  log.warn("some requests did not finish in time and were cut");
  server.closeAllConnections();
}

/**
 * When the door is shut, the system resets who has connected and was not taken in yet. All are taken in at one point of
 * every turn; so it is shut right after a turn in which nothing else kept us from there to here.
 */
async function waitForIdleEventLoop(): Promise<void> {
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const iterationStart = performance.now();
    await nextTurn();
    if (performance.now() - iterationStart < idleIterationMs) return;
  }
}
