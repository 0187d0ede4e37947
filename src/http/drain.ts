import { setImmediate as nextIteration, setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#lib/log.ts";
import type { HttpServer } from "./server.ts";

/** Below the 30 s after which container runtimes usually kill a process. */
const shutdownTimeoutMs = 25_000;
/** No new requests for this long means load balancers have noticed the drain. */
const quietPeriodMs = 1_000;
/** Bounds the wait: some clients send requests until their connections are refused. */
const maxQuietWaitMs = 8_000;

/** Once the server has stopped listening, clients that neither send nor read for this long are disconnected. */
const defaultStallTimeoutMs = 5_000;

/** An event loop iteration this short did almost no work. */
const idleIterationMs = 0.1;
const maxIterations = 1_000;

export interface DrainOptions {
  /** Other work to finish. The work may call this server, which stays open for it for up to half of the timeout. */
  work: Promise<unknown>;
  endStreams: () => void;
  stallTimeoutMs?: number;
}

/**
 * Shuts the server down gracefully: reports "not ready" and keeps serving until requests stop arriving, finishes
 * accepted requests and `work`, then closes the remaining connections. Resolves within `shutdownTimeoutMs`, even if
 * `work` has not ended.
 */
export async function drain(
  httpServer: HttpServer,
  log: Log,
  { work, endStreams, stallTimeoutMs = defaultStallTimeoutMs }: DrainOptions,
): Promise<void> {
  const startedAt = performance.now();
  httpServer.startDraining();
  // Every response now closes its connection, so soon no client has an open connection to send a request on.
  while (performance.now() - Math.max(startedAt, httpServer.getLastRequestAt()) < quietPeriodMs) {
    if (performance.now() - startedAt > maxQuietWaitMs) break;
    await sleep(50);
  }
  await Promise.race([work, sleep(shutdownTimeoutMs / 2)]);
  await waitForIdleEventLoop();
  const { nodeServer: server } = httpServer;
  const serverClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Streams end only now: a client that reconnects while this server listens could reach it again.
  endStreams();
  // Connections become idle only after their response, so close idle ones repeatedly.
  const idleSweepTimer = setInterval(() => {
    server.closeIdleConnections();
    httpServer.limitStalls(stallTimeoutMs);
  }, 200);
  const timeoutController = new AbortController();
  const hasFinished = await Promise.race([
    Promise.all([serverClosed, work]).then(() => true),
    sleep(shutdownTimeoutMs - (performance.now() - startedAt), false, { signal: timeoutController.signal }).catch(
      () => false,
    ),
  ]);
  timeoutController.abort();
  clearInterval(idleSweepTimer);
  if (hasFinished) return;
  log.warn("shutdown timeout reached, closing connections and stopping unfinished work");
  server.closeAllConnections();
}

/**
 * Closing a listening socket resets connections that the kernel has accepted but Node has not. Node accepts them once
 * per event loop iteration, so closing right after a short iteration leaves almost none to reset.
 */
async function waitForIdleEventLoop(): Promise<void> {
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const iterationStart = performance.now();
    await nextIteration();
    if (performance.now() - iterationStart < idleIterationMs) return;
  }
}
