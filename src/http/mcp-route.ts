import type { ServerResponse } from "node:http";
import type { McpEndpoint } from "#mcp/endpoint.ts";
import { isBrowserNavigation, sendMcpPage } from "./mcp-documents.ts";
import type { Route } from "./server.ts";

/** `/mcp`. The server has checked Host and Origin. CORS headers come before authentication, so pages can read a 401. */
export function createMcpRoute(endpoint: McpEndpoint, base: string, path = "/mcp"): Route {
  return {
    path,
    originRule: "mcp",
    isDataOnly: true,
    sends100Continue: true,
    async handle(req, res, context) {
      if (isBrowserNavigation(req)) return sendMcpPage(res, base);
      if (req.headers.origin !== undefined) setCorsHeaders(res, req.headers.origin);
      if (req.method === "OPTIONS") {
        res
          .writeHead(204, {
            // Includes DELETE, so that a page that ends its session can read the 405.
            "access-control-allow-methods": "POST, GET, DELETE",
            "access-control-allow-headers":
              "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID",
            "access-control-max-age": "3600",
          })
          .end();
        return;
      }
      await endpoint.handle(req, res, (context.logContext = {}));
    },
  };
}

function setCorsHeaders(res: ServerResponse, origin: string): void {
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("access-control-expose-headers", "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After");
  res.setHeader("cross-origin-resource-policy", "cross-origin");
  res.setHeader("vary", "Origin");
}
