import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import { isTimingSafeEqual } from "#lib/digest.ts";
import type { Log } from "#lib/log.ts";
import { isLocalPeer } from "./guards.ts";
import type { Handler } from "./server.ts";

/** Something without which no request can be served. Resolves when it answers. */
export interface Dependency {
  name: string;
  check(): Promise<void>;
}

const checkTimeoutMs = 4000;
/** How long an answer serves all who ask: anyone may, as often as they like. */
const cacheMs = 1000;

/** The process runs. Says nothing about what it needs, so that a lost database does not get it restarted. */
export const handleHealthz: Handler = (_req, res) => {
  res.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" }).end('{"status":"alive"}');
};

/** Requests can be served: everything needed answers, and the process is not about to leave. */
export function createReadyzHandler(dependencies: readonly Dependency[], isDraining: () => boolean): Handler {
  let lastCheck: { at: number; failing: Promise<string[]> } | undefined;
  const getFailing = (): Promise<string[]> => {
    if (!lastCheck || performance.now() - lastCheck.at > cacheMs)
      lastCheck = { at: performance.now(), failing: findFailingDependencies(dependencies) };
    return lastCheck.failing;
  };
  return async (_req, res) => {
    const failing = isDraining() ? ["draining"] : await getFailing();
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
        sleep(checkTimeoutMs, undefined, { ref: false }).then(() => Promise.reject(new Error("no answer"))),
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

export function createMetrics(log: Pick<Log, "droppedLines">): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "atelier_http_request_duration_seconds",
    help: "Requests by route, method and status",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  const droppedLines = new Counter({
    name: "log_lines_dropped_total",
    help: "Log lines that were lost because standard output was full, blocked or closed",
    registers: [registry],
    collect() {
      droppedLines.reset();
      droppedLines.inc(log.droppedLines());
    },
  });
  // One for each combination, of which there are few: finding it by its labels anew would cost more than the counting.
  const series = new Map<string, { observe(seconds: number): void }>();
  return {
    registry,
    observeRequest(route, method, status, seconds) {
      const key = `${route} ${knownMethods.has(method) ? method : "other"} ${status}`;
      let labeledHistogram = series.get(key);
      if (!labeledHistogram) {
        labeledHistogram = requests.labels(route, knownMethods.has(method) ? method : "other", String(status));
        series.set(key, labeledHistogram);
      }
      labeledHistogram.observe(seconds);
    },
  };
}

/** Figures for Prometheus: for whoever has the token, or, where none is set, for this machine only. */
export function createMetricsHandler(metrics: Metrics, token: string | undefined): Handler {
  return async (req, res) => {
    if (
      !(token === undefined ? isLocalPeer(req) : isTimingSafeEqual(req.headers.authorization ?? "", `Bearer ${token}`))
    ) {
      res.writeHead(token === undefined ? 403 : 401, { "content-type": "text/plain" }).end("Not for you\n");
      return;
    }
    res
      .writeHead(200, { "content-type": metrics.registry.contentType, "cache-control": "no-store" })
      .end(await metrics.registry.metrics());
  };
}
