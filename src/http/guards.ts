import type { IncomingMessage, ServerResponse } from "node:http";
import { edgeError } from "#lib/errors.ts";
import { isLoopbackAddress, isLoopbackName } from "#lib/ip-address.ts";

/** Which origins may call a route from a browser. */
export type OriginRule =
  /** Any origin: public routes without cookies. */
  | "any"
  /** Our own origin only: routes that use cookies. */
  | "own"
  /** Our own origin and the upload page's: routes that use upload links instead of cookies. */
  | "upload"
  /** The MCP endpoint: our own origin, the configured ones, and on loopback any loopback origin. */
  | "mcp";

export interface ServerUrls {
  base: string;
  uploadPage: string;
  isLoopback: boolean;
  mcpOrigins: readonly string[];
}

export interface Guards {
  /** Throws unless the Host header names this server. Prevents DNS rebinding. */
  checkHost(req: IncomingMessage): void;
  checkOrigin(req: IncomingMessage, rule: OriginRule): void;
}

export function createGuards({ base, uploadPage, isLoopback, mcpOrigins }: ServerUrls): Guards {
  const ownOrigin = new URL(base).origin;
  const ownHosts = new Set([new URL(base).host, new URL(uploadPage).host]);
  const allowedMcpOrigins = new Set([ownOrigin, ...mcpOrigins]);

  const isOriginAllowed: Record<OriginRule, (origin: string) => boolean> = {
    any: () => true,
    own: (origin) => origin === ownOrigin,
    upload: (origin) => origin === ownOrigin || origin === new URL(uploadPage).origin,
    mcp: (origin) =>
      allowedMcpOrigins.has(origin) || (isLoopback && URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)),
  };

  return {
    checkHost(req) {
      // RFC 9112 §3.2: with two Host headers, a proxy may have used the other one.
      if (countHostHeaders(req.rawHeaders) > 1)
        throw edgeError("invalid_input", "A request must have exactly one Host header.");
      const { host = "" } = req.headers;
      if (ownHosts.has(host)) return;
      const url = `http://${host}`;
      if (isLoopback && URL.canParse(url) && new URL(url).host === host && isLoopbackName(new URL(url).hostname))
        return;
      throw edgeError("forbidden", "This server does not serve that host name.");
    },
    checkOrigin(req, rule) {
      const origin = req.headers.origin;
      if (origin === undefined || isOriginAllowed[rule](origin)) return;
      throw edgeError("forbidden", "This origin is not allowed.");
    },
  };
}

function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === "host") count++;
  return count;
}

/**
 * CSRF protection for changes authenticated by a cookie. Every supported browser sends `Origin` or `Sec-Fetch-Site`,
 * so a request with neither is rejected.
 */
export function assertSameOrigin({ headers }: IncomingMessage, base: string): void {
  const { origin, "sec-fetch-site": site } = headers;
  const isOwnPage =
    origin === undefined
      ? site === "same-origin"
      : origin === new URL(base).origin && (site === undefined || site === "same-origin");
  if (!isOwnPage) throw edgeError("forbidden", "Changes are accepted from this site’s own pages only.");
}

/**
 * Whether the request comes directly from this machine, not through a proxy that runs on it. A proxy that sets no
 * forwarding headers still passes the public Host header, so the host name must be a loopback name as well.
 */
export function isLocalPeer(req: IncomingMessage): boolean {
  return (
    isLoopbackAddress(req.socket.remoteAddress) &&
    isLoopbackName(URL.parse(`http://${req.headers.host}`)?.hostname ?? "") &&
    !isForwarded(req)
  );
}

/** Whether a proxy has forwarded the request and says so. */
export function isForwarded({ headers }: IncomingMessage): boolean {
  const proxyHeaders = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"];
  return proxyHeaders.some((name) => headers[name] !== undefined);
}

/** The default policy allows nothing; pages that need more set their own. */
export const strictCsp = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Allows the web app's own scripts, styles and images, nothing inline, and a file store on another origin. */
export function buildWebAppCsp(fileStoreOrigin?: string): string {
  const fileSources = fileStoreOrigin === undefined ? "" : ` ${fileStoreOrigin}`;
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:${fileSources}; media-src 'self' blob:${fileSources}; font-src 'self'; ` +
    `connect-src 'self'${fileSources}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`
  );
}

/**
 * Allows the upload page's own scripts and styles, nothing inline, and requests to `origins`: the store and `{base}`.
 * With `blob:`, the page shows images and videos before they are uploaded.
 */
export const buildUploadPageCsp = (origins: readonly string[]): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: ${origins.join(" ")}; media-src blob:; font-src 'self'; ` +
  `connect-src 'self' ${origins.join(" ")}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`;

/** Allows the review page's own scripts and styles, nothing inline, and files of the store. */
export const buildReviewPageCsp = (fileOrigin: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' ${fileOrigin}; media-src 'self' ${fileOrigin}; font-src 'self'; ` +
  `connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`;

export function setSecurityHeaders(res: ServerResponse, isHttps: boolean, isDataOnly = false): void {
  res.setHeader("x-content-type-options", "nosniff");
  if (isHttps) res.setHeader("strict-transport-security", "max-age=31536000");
  if (isDataOnly) return;
  res.setHeader("content-security-policy", strictCsp);
  res.setHeader("x-frame-options", "DENY");
  res.setHeader("referrer-policy", "same-origin");
  res.setHeader("cross-origin-opener-policy", "same-origin");
  res.setHeader("cross-origin-resource-policy", "same-origin");
}
