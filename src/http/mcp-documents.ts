import type { IncomingMessage, ServerResponse } from "node:http";
import type { Implementation } from "@modelcontextprotocol/server";
import { sha256 } from "#lib/digest.ts";
import { legacyVersions, modernVersion } from "#mcp/protocol/messages.ts";
import { setSecurityHeaders } from "./guards.ts";
import { requireMethod } from "./oauth-routes.ts";
import { html, renderPage, sendPage } from "./pages/page.ts";
import type { Route } from "./server.ts";

/**
 * `GET /mcp/server-card` (SEP-2127, draft): what a client can know before it connects. Public, like the OAuth metadata.
 * https://github.com/modelcontextprotocol/experimental-ext-server-card, read 2026-11-16.
 */
export function createServerCardRoute(base: string, serverInfo: Implementation): Route {
  const card = JSON.stringify(buildServerCard(base, serverInfo));
  const etag = `"${sha256(card)}"`;
  const cacheHeaders = { etag, "cache-control": "public, max-age=3600" };
  const sendCard = requireMethod("GET", (req, res) => {
    if (req.headers["if-none-match"] === etag) return void res.writeHead(304, cacheHeaders).end();
    res.writeHead(200, { ...cacheHeaders, "content-type": "application/mcp-server-card+json" }).end(card);
  });
  return {
    path: "/mcp/server-card",
    originRule: "any",
    isDataOnly: true,
    handle(req, res, context) {
      res.setHeader("access-control-allow-origin", "*");
      res.setHeader("access-control-expose-headers", "ETag");
      res.setHeader("cross-origin-resource-policy", "cross-origin");
      if (req.method !== "OPTIONS") return sendCard(req, res, context);
      const headers = {
        "access-control-allow-methods": "GET",
        "access-control-allow-headers": "Content-Type, If-None-Match",
      };
      res.writeHead(204, headers).end();
    },
  };
}

export function buildServerCard(base: string, { version, title }: Implementation): Readonly<Record<string, unknown>> {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: `${toNamespace(new URL(base).hostname)}/atelier`,
    version,
    title,
    description: "Work on the posts, files, comments and publications of a content studio.",
    websiteUrl: base,
    remotes: [
      {
        type: "streamable-http",
        url: `${base}/mcp`,
        supportedProtocolVersions: [modernVersion, ...legacyVersions],
      },
    ],
  };
}

/** Reverse DNS. An IP address keeps its order, and the colons and brackets of IPv6 are not allowed. */
function toNamespace(hostname: string): string {
  const isIpAddress = /^[\d.]+$|:/.test(hostname);
  return isIpAddress ? hostname.replace(/[^\w.]+/g, "-") : hostname.split(".").toReversed().join(".");
}

/** Whether a person opened the URL in a browser. MCP clients ask for JSON or an event stream. */
export function isBrowserNavigation({ method, headers }: IncomingMessage): boolean {
  const { accept = "", authorization } = headers;
  const isRead = method === "GET" || method === "HEAD";
  return isRead && authorization === undefined && accept.includes("text/html") && !accept.includes("text/event-stream");
}

/** Explains `/mcp` to a person who opens it in a browser. */
export function sendMcpPage(res: ServerResponse, base: string): void {
  setSecurityHeaders(res, base.startsWith("https:"));
  sendPage(
    res,
    renderPage({
      title: "For AI clients",
      body: html`<h1>This URL is for AI clients</h1>
        <p>
          Claude, ChatGPT, Cursor and other MCP clients use it to work on the posts and files of your studio, with your
          consent. There is nothing else to see here in a browser.
        </p>
        <p>Add this URL to your AI client:</p>
        <p><code>${base}/mcp</code></p>
        <p><a href="${base}/connect">See the steps for each client</a></p>`,
    }),
  );
}
