import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { isLocalPeer } from "./guards.ts";
import type { Handler } from "./server.ts";

export interface Metrics {
  registry: Registry;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "atelier_http_request_duration_seconds",
    help: "Requests by route, method and status",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  // One for each combination, of which there are few: finding it by its labels anew would cost more than the counting.
  const series = new Map<string, { observe(seconds: number): void }>();
  return {
    registry,
    observeRequest(route, method, status, seconds) {
      const key = `${route} ${methods.has(method) ? method : "other"} ${status}`;
      let found = series.get(key);
      if (!found) {
        found = requests.labels(route, methods.has(method) ? method : "other", String(status));
        series.set(key, found);
      }
      found.observe(seconds);
    },
  };
}

/** Figures for Prometheus: for whoever has the token, or, where none is set, for this machine only. */
export function metricsRoute(metrics: Metrics, token: string | undefined): Handler {
  return async (req, res) => {
    if (!(token === undefined ? isLocalPeer(req) : hasToken(req, token))) {
      res.writeHead(token === undefined ? 403 : 401, { "content-type": "text/plain" }).end("Not for you\n");
      return;
    }
    res
      .writeHead(200, { "content-type": metrics.registry.contentType, "cache-control": "no-store" })
      .end(await metrics.registry.metrics());
  };
}

function hasToken(req: IncomingMessage, token: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(req.headers.authorization ?? ""), digest(`Bearer ${token}`));
}
