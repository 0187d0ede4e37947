import { setTimeout as sleep } from "node:timers/promises";
import type { Handler } from "./server.ts";

/** Something without which no request can be served. Resolves when it answers. */
export interface Need {
  name: string;
  check(): Promise<void>;
}

const patienceMs = 4000;
/** How long an answer serves all who ask: anyone may, as often as they like. */
const goodForMs = 1000;

/** The process runs. Says nothing about what it needs, so that a lost database does not get it restarted. */
export const healthz: Handler = (_req, res) => {
  res.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" }).end('{"status":"alive"}');
};

/** Requests can be served: everything needed answers, and the process is not about to leave. */
export function readyz(needs: readonly Need[], isDraining: () => boolean): Handler {
  let last: { at: number; failing: Promise<string[]> } | undefined;
  const look = (): Promise<string[]> => {
    if (!last || performance.now() - last.at > goodForMs)
      last = { at: performance.now(), failing: failingNeeds(needs) };
    return last.failing;
  };
  return async (_req, res) => {
    const failing = isDraining() ? ["draining"] : await look();
    const ready = failing.length === 0;
    res
      .writeHead(ready ? 200 : 503, { "content-type": "application/json", "cache-control": "no-store" })
      .end(JSON.stringify(ready ? { status: "ready" } : { status: "not ready", failing }));
  };
}

async function failingNeeds(needs: readonly Need[]): Promise<string[]> {
  const results = await Promise.allSettled(
    needs.map(({ check }) =>
      Promise.race([
        check(),
        sleep(patienceMs, undefined, { ref: false }).then(() => Promise.reject(new Error("no answer"))),
      ]),
    ),
  );
  return needs.filter((_, i) => results[i]?.status === "rejected").map(({ name }) => name);
}
