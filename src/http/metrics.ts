import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import type { Log } from "#lib/log.ts";

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
