import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import { equalsInConstantTime } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";
import { isLocalPeer } from "./guards.ts";
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
export function createReadyzHandler(dependencies: readonly Dependency[], isDraining: () => boolean): Handler {
  let lastCheck: { at: number; failing: Promise<string[]> } | undefined;
  const getFailingDependencies = (): Promise<string[]> => {
    if (!lastCheck || performance.now() - lastCheck.at > cacheMs)
      lastCheck = { at: performance.now(), failing: findFailingDependencies(dependencies) };
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
  registry: Registry;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
}

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function createMetrics(log: Pick<Log, "countDroppedLines">): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestDuration = new Histogram({
    name: "atelier_http_request_duration_seconds",
    help: "HTTP request duration by route, method and status",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  const droppedLines = new Counter({
    name: "log_lines_dropped_total",
    help: "Log lines dropped because standard output was full, blocked or closed",
    registers: [registry],
    collect() {
      droppedLines.reset();
      droppedLines.inc(log.countDroppedLines());
    },
  });
  // Caches one series per label combination: looking it up by labels costs more than the observation.
  const seriesByKey = new Map<string, { observe(seconds: number): void }>();
  return {
    registry,
    observeRequest(route, method, status, seconds) {
      const key = `${route} ${knownMethods.has(method) ? method : "other"} ${status}`;
      let series = seriesByKey.get(key);
      if (!series) {
        series = requestDuration.labels(route, knownMethods.has(method) ? method : "other", String(status));
        seriesByKey.set(key, series);
      }
      series.observe(seconds);
    },
  };
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
    res
      .writeHead(200, { "content-type": metrics.registry.contentType, "cache-control": "no-store" })
      .end(await metrics.registry.metrics());
  };
}
