import type { IncomingMessage, ServerResponse } from "node:http";
import type { Implementation } from "@modelcontextprotocol/server";
import { sha256 } from "#lib/digest.ts";
import { legacyVersions, modernVersion } from "#mcp/protocol/messages.ts";
import { setSecurityHeaders } from "./guards.ts";
import { requireMethod } from "./oauth-routes.ts";
import { html, renderPage, sendPage } from "./pages/page.ts";
import type { Route } from "./server.ts";

const cardType = "application/mcp-server-card+json";

/**
 * What a client can know before it connects: `GET /mcp/server-card` (SEP-2127, draft) and the AI catalog, which lists it.
 * Public, like the OAuth metadata.
 * https://github.com/modelcontextprotocol/experimental-ext-server-card, read 2026-11-16.
 * https://github.com/Agent-Card/ai-catalog, read 2026-11-18.
 */
export function createDiscoveryRoutes(base: string, serverInfo: Implementation): Route[] {
  const { host } = new URL(base);
  const catalog = {
    specVersion: "1.0",
    entries: [{ identifier: `urn:air:${host}:mcp:atelier`, type: cardType, url: `${base}/mcp/server-card` }],
  };
  return [
    createDocumentRoute("/mcp/server-card", cardType, buildServerCard(base, serverInfo)),
    createDocumentRoute("/.well-known/ai-catalog.json", "application/ai-catalog+json", catalog),
  ];
}

function createDocumentRoute(path: string, type: string, document: object): Route {
  const text = JSON.stringify(document);
  const etag = `"${sha256(text)}"`;
  const cacheHeaders = { etag, "cache-control": "public, max-age=3600" };
  const sendDocument = requireMethod("GET", (req, res) => {
    if (req.headers["if-none-match"] === etag) return void res.writeHead(304, cacheHeaders).end();
    res.writeHead(200, { ...cacheHeaders, "content-type": type }).end(text);
  });
  return {
    path,
    originRule: "any",
    isDataOnly: true,
    handle(req, res, context) {
      res.setHeader("access-control-allow-origin", "*");
      res.setHeader("access-control-expose-headers", "ETag");
      res.setHeader("cross-origin-resource-policy", "cross-origin");
      if (req.method !== "OPTIONS") return sendDocument(req, res, context);
      const headers = {
        "access-control-allow-methods": "GET",
        "access-control-allow-headers": "Content-Type, If-None-Match",
      };
      res.writeHead(204, headers).end();
    },
  };
}

/** Proves to OpenAI that the operator controls the host name, for a plugin that they submit. */
export function createAppsChallengeRoute(challenge: string): Route {
  const handle = requireMethod("GET", (_req, res) => {
    res.writeHead(200, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" }).end(challenge);
  });
  return { path: "/.well-known/openai-apps-challenge", originRule: "any", isDataOnly: true, handle };
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
