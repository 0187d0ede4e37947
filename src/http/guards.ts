import type { IncomingMessage, ServerResponse } from "node:http";
import { edgeError } from "#lib/errors.ts";
import { isLoopbackAddress, isLoopbackName } from "#lib/ip-address.ts";

/** Which pages of which origins may call a route from a browser. */
export type OriginRule =
  /** Public and without cookies: any page may. */
  | "any"
  /** Cookies count here: only our own pages may. */
  | "own"
  /** No cookies count here, but a link does: our own pages, and the upload page's. */
  | "upload"
  /** The MCP endpoint: our own origin, the configured ones, and on loopback any loopback page. */
  | "mcp";

export interface ServerUrls {
  base: string;
  uploadPage: string;
  loopback: boolean;
  mcpOrigins: readonly string[];
}

export interface Guards {
  /** Throws unless the request names a host of ours. Stops pages that point their own name at our address. */
  checkHost(req: IncomingMessage): void;
  checkOrigin(req: IncomingMessage, rule: OriginRule): void;
}

export function createGuards({ base, uploadPage, loopback, mcpOrigins }: ServerUrls): Guards {
  const ownOrigin = new URL(base).origin;
  const ownHosts = new Set([new URL(base).host, new URL(uploadPage).host]);
  const mcpCallerOrigins = new Set([ownOrigin, ...mcpOrigins]);

  const allowedByRule: Record<OriginRule, (origin: string) => boolean> = {
    any: () => true,
    own: (origin) => origin === ownOrigin,
    upload: (origin) => origin === ownOrigin || origin === new URL(uploadPage).origin,
    mcp: (origin) =>
      mcpCallerOrigins.has(origin) || (loopback && URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)),
  };

  return {
    checkHost(req) {
      // RFC 9112 §3.2: of two, whoever passed this on may have taken the other.
      if (countHostHeaders(req.rawHeaders) > 1) throw edgeError("invalid_input", "A request names its host once.");
      const { host = "" } = req.headers;
      if (ownHosts.has(host)) return;
      const url = `http://${host}`;
      if (loopback && URL.canParse(url) && new URL(url).host === host && isLoopbackName(new URL(url).hostname)) return;
      throw edgeError("forbidden", "This service does not answer to that host name.");
    },
    checkOrigin(req, rule) {
      const origin = req.headers.origin;
      if (origin === undefined || allowedByRule[rule](origin)) return;
      throw edgeError("forbidden", "Pages of that origin may not call this address.");
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
 * A change that rides on a cookie must show that it comes from one of our own pages. Every browser says so
 * with `Origin` or `Sec-Fetch-Site`; a request that says nothing is no browser of ours.
 */
export function assertSameOrigin(headers: Headers, base: string): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwnPage =
    origin === null
      ? site === "same-origin"
      : origin === new URL(base).origin && (site === null || site === "same-origin");
  if (!isOwnPage) throw edgeError("forbidden", "Changes are accepted from our own pages only.");
}

/**
 * The peer sits on this machine and speaks for itself, not for someone behind a proxy: a proxy on this machine that says
 * nothing of whom it speaks for still passes on the name by which they called us.
 */
export function isLocalPeer(req: IncomingMessage): boolean {
  const forwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"];
  return (
    isLoopbackAddress(req.socket.remoteAddress) &&
    isLoopbackName(URL.parse(`http://${req.headers.host}`)?.hostname ?? "") &&
    forwarded.every((name) => req.headers[name] === undefined)
  );
}

/** Nothing runs, loads or frames by default; a page that needs more says so itself. */
export const strictCsp = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The web app: its own scripts, styles and pictures, nothing inline, nobody else's; files also go to a store that is elsewhere. */
export function buildWebAppCsp(fileStoreOrigin?: string): string {
  const fileSources = fileStoreOrigin === undefined ? "" : ` ${fileStoreOrigin}`;
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:${fileSources}; media-src 'self' blob:${fileSources}; font-src 'self'; ` +
    `connect-src 'self'${fileSources}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`
  );
}

/** The upload page: the same, and bytes may go to the store; pictures and videos are shown before they are sent. */
export const buildUploadPageCsp = (origins: readonly string[]): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: ${origins.join(" ")}; media-src blob:; ` +
  `connect-src 'self' ${origins.join(" ")}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`;

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
