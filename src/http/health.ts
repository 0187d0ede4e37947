import { setTimeout as sleep } from "node:timers/promises";
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
