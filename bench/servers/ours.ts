import { createAuthenticate } from "#auth/authenticate.ts";
import { createMetrics } from "#http/metrics.ts";
import { mcpRoute } from "#http/mcp-route.ts";
import { createEdge } from "#http/server.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createCallTally } from "#domain/access/call-tally.ts";
import { createLog } from "#lib/log.ts";
import { openStandardOutput } from "#lib/log-output.ts";
import { createMcpEndpoint } from "#mcp/endpoint.ts";
import { createCallLimit } from "#domain/access/call-limit.ts";
import { tools } from "#mcp/tools.ts";
import { listen, listenOn, openDeps, silent } from "./setup.ts";

/** The product's endpoint: alone, or with `BENCH_EDGE` behind the door, with its guards, figures and log line. */
const { deps } = await openDeps();
const endpoint = createMcpEndpoint({
  deps,
  authenticate: createAuthenticate(deps, silent),
  tools,
  signer: createSigner(["a secret of at least thirty-two bytes"], deps.clock),
  log: silent,
  countCall: createCallLimit(deps, "calls", { perMinute: Infinity }).count,
  noteCall: createCallTally(deps).note,
  version: "0.0.0",
});
if (process.env["BENCH_EDGE"]) {
  const addresses = { base: deps.base, uploadPage: deps.base, loopback: true, mcpOrigins: [] };
  const log = createLog((process.env["BENCH_LOG"] ?? "info") as "info", openStandardOutput(process.stdout));
  const edge = createEdge({
    routes: () => [mcpRoute(endpoint)],
    addresses,
    metrics: createMetrics(log),
    newId: deps.newId,
    log,
  });
  listenOn(edge.server);
} else {
  listen((req, res) => void endpoint.handle(req, res));
}
