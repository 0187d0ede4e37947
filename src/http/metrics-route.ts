import { isTimingSafeEqual } from "#lib/digest.ts";
import { isLocalPeer } from "./guards.ts";
import type { Metrics } from "./metrics.ts";
import type { Handler } from "./server.ts";

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
