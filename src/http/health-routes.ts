import { setTimeout as sleep } from "node:timers/promises";
import type { Registry } from "prom-client";
import { equalsInConstantTime } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";
import { isLocalPeer } from "./guards.ts";
import { createRequestHistogram } from "./request-histogram.ts";
import type { Handler } from "./server.ts";

/** A service that requests need, such as the database or the file store. */
export interface Dependency {
  name: string;
  /** Rejects if the dependency is unavailable. */
  check(): Promise<void>;
}

const checkTimeoutMs = 4000;
/** The endpoint is public, so it caches results to bound the load on dependencies. */
const cacheMs = 1000;

/** Liveness. Does not check dependencies: restarting the process would not bring a lost database back. */
export const handleHealthz: Handler = (_req, res) => {
  res.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" }).end('{"status":"alive"}');
};

/** Readiness: all dependencies are available and the server is not draining. */
export function createReadyzHandler(
  dependencies: readonly Dependency[],
  isDraining: () => boolean,
  clock: () => number = () => performance.now(),
): Handler {
  let lastCheck: { at: number; failing: Promise<string[]> } | undefined;
  const getFailingDependencies = (): Promise<string[]> => {
    if (!lastCheck || clock() - lastCheck.at > cacheMs)
      lastCheck = { at: clock(), failing: findFailingDependencies(dependencies) };
    return lastCheck.failing;
  };
  return async (_req, res) => {
    const failing = isDraining() ? ["draining"] : await getFailingDependencies();
    const isReady = failing.length === 0;
    res
      .writeHead(isReady ? 200 : 503, { "content-type": "application/json", "cache-control": "no-store" })
      .end(JSON.stringify(isReady ? { status: "ready" } : { status: "not ready", failing }));
  };
}

async function findFailingDependencies(dependencies: readonly Dependency[]): Promise<string[]> {
  const results = await Promise.allSettled(
    dependencies.map(({ check }) =>
      Promise.race([
        check(),
        sleep(checkTimeoutMs, undefined, { ref: false }).then(() => Promise.reject(new Error("timeout"))),
      ]),
    ),
  );
  return dependencies.filter((_, i) => results[i]?.status === "rejected").map(({ name }) => name);
}

export interface Metrics {
  /** All metrics, in the text format of Prometheus. */
  format(): Promise<{ contentType: string; text: string }>;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
}

export function createMetrics(log: Pick<Log, "countDroppedLines">): Metrics {
  const requestDuration = createRequestHistogram();
  let processMetrics: Promise<Registry> | undefined;
  return {
    async format() {
      processMetrics ??= createProcessMetrics(log);
      processMetrics.catch(() => (processMetrics = undefined)); // the next request tries again
      const registry = await processMetrics;
      return {
        contentType: registry.contentType,
        text: `${await registry.metrics()}\n${requestDuration.format()}\n`,
      };
    },
    observeRequest: requestDuration.observe,
  };
}

/** Metrics of the process and of Node. Loaded with the first request for them: prom-client takes 15 MB of memory. */
async function createProcessMetrics(log: Pick<Log, "countDroppedLines">): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const droppedLines = new Counter({
    name: "log_lines_dropped_total",
    help: "Log lines dropped because standard output was full, blocked or closed",
    registers: [registry],
    collect() {
      droppedLines.reset();
      droppedLines.inc(log.countDroppedLines());
    },
  });
  return registry;
}

/** Prometheus metrics. Requires the token; if none is configured, allows only requests from this machine. */
export function createMetricsHandler(metrics: Metrics, token: string | undefined): Handler {
  return async (req, res) => {
    const isAllowed =
      token === undefined ? isLocalPeer(req) : equalsInConstantTime(req.headers.authorization ?? "", `Bearer ${token}`);
    if (!isAllowed) {
      res.writeHead(token === undefined ? 403 : 401, { "content-type": "text/plain" }).end("Access denied\n");
      return;
    }
    const { contentType, text } = await metrics.format();
    res.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(text);
  };
}
