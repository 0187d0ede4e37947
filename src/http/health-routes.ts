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
  /** Whether requests can be served without it. */
  isOptional?: boolean;
}

const checkTimeoutMs = 4000;
/** The endpoint is public, so it caches results to bound the load on dependencies. */
const cacheMs = 1000;

/** Liveness. Does not check dependencies: restarting the process would not bring a lost database back. */
export const handleHealthz: Handler = (_req, res) => {
  res.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" }).end('{"status":"alive"}');
};

const draining: Dependency = { name: "draining", check: async () => {} };

/** Readiness: all required dependencies are available and the server is not draining. */
export function createReadyzHandler(
  dependencies: readonly Dependency[],
  isDraining: () => boolean,
  clock: () => number = () => performance.now(),
): Handler {
  let lastCheck: { at: number; failing: Promise<Dependency[]> } | undefined;
  const getFailingDependencies = (): Promise<Dependency[]> => {
    if (!lastCheck || clock() - lastCheck.at > cacheMs)
      lastCheck = { at: clock(), failing: findFailingDependencies(dependencies) };
    return lastCheck.failing;
  };
  return async (_req, res) => {
    const unavailable = isDraining() ? [draining] : await getFailingDependencies();
    const listNames = (isOptional: boolean): string[] =>
      unavailable.filter((dependency) => Boolean(dependency.isOptional) === isOptional).map(({ name }) => name);
    const [failing, degraded] = [listNames(false), listNames(true)];
    const isReady = failing.length === 0;
    const readiness = degraded.length === 0 ? { status: "ready" } : { status: "degraded", degraded };
    res
      .writeHead(isReady ? 200 : 503, { "content-type": "application/json", "cache-control": "no-store" })
      .end(JSON.stringify(isReady ? readiness : { status: "not ready", failing }));
  };
}

async function findFailingDependencies(dependencies: readonly Dependency[]): Promise<Dependency[]> {
  const results = await Promise.allSettled(
    dependencies.map(({ check }) =>
      Promise.race([
        check(),
        sleep(checkTimeoutMs, undefined, { ref: false }).then(() => Promise.reject(new Error("timeout"))),
      ]),
    ),
  );
  return dependencies.filter((_, i) => results[i]?.status === "rejected");
}

export interface Metrics {
  /** All metrics, in the text format of Prometheus. */
  format(): Promise<{ contentType: string; text: string }>;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
}

/** What the metrics show of the mail server. */
export interface MailStatus {
  isFailing: boolean;
  waiting: number;
}

/** `readMailStatus` is undefined without a mail server. */
export function createMetrics(
  log: Pick<Log, "countDroppedLines">,
  readMailStatus?: () => Promise<MailStatus>,
): Metrics {
  const requestDuration = createRequestHistogram();
  let processMetrics: Promise<Registry> | undefined;
  return {
    async format() {
      processMetrics ??= createProcessMetrics(log, readMailStatus);
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
async function createProcessMetrics(
  log: Pick<Log, "countDroppedLines">,
  readMailStatus: (() => Promise<MailStatus>) | undefined,
): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import("prom-client");
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
  if (!readMailStatus) return registry;
  const failing = new Gauge({
    name: "mail_server_failing",
    help: "1 while the mail server accepts no emails",
    registers: [registry],
    async collect() {
      const status = await readMailStatus().catch(() => undefined); // the other metrics do not need the database
      failing.set(Number(status?.isFailing ?? Number.NaN));
      waiting.set(status?.waiting ?? Number.NaN);
    },
  });
  const waiting = new Gauge({
    name: "emails_waiting",
    help: "Emails that wait to be sent, including those of daily summaries",
    registers: [registry],
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
