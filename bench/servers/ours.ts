import { createAuthenticator } from "#auth/authenticate.ts";
import { createMetrics } from "#http/health-routes.ts";
import { createMcpRoute } from "#http/mcp-route.ts";
import { createHttpServer } from "#http/server.ts";
import { createCallRecorder } from "#domain/access/call-counts.ts";
import { createLog } from "#lib/log.ts";
import { openStandardOutput } from "#lib/log-output.ts";
import { createMcpEndpoint } from "#mcp/endpoint.ts";
import { createCallLimiter } from "#domain/access/call-limiter.ts";
import { tools } from "#mcp/tool-list.ts";
import { listen, openDeps, serve, silentLog } from "./setup.ts";

/** Our MCP endpoint alone; with `BENCH_ENTRY_POINT`, behind the HTTP entry point with its guards, metrics and log. */
const { deps } = await openDeps();
const endpoint = createMcpEndpoint({
  deps,
  authenticate: createAuthenticator(deps, silentLog),
  tools,
  log: silentLog,
  checkMessageLimit: createCallLimiter(deps, "messages", { perMinute: Infinity }).check,
  checkCallLimit: createCallLimiter(deps, "calls", { perMinute: Infinity }).check,
  recordCall: createCallRecorder(deps).record,
  version: "0.0.0",
});
if (process.env["BENCH_ENTRY_POINT"]) {
  const urls = { base: deps.baseUrl, uploadPage: deps.baseUrl, isLoopback: true, mcpOrigins: [] };
  const log = createLog((process.env["BENCH_LOG"] ?? "info") as "info", openStandardOutput(process.stdout));
  const httpServer = createHttpServer({
    routes: () => [createMcpRoute(endpoint, deps.baseUrl)],
    urls,
    metrics: createMetrics(log),
    newId: deps.newId,
    log,
  });
  listen(httpServer.nodeServer);
} else {
  serve((req, res) => void endpoint.handle(req, res));
}
