import type { ServerResponse } from "node:http";

/** Nothing runs, loads or frames by default; a page that needs more says so itself. */
export const strictCsp = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The web app: its own scripts, styles and pictures, nothing inline, nobody else's; files also go to a store that is elsewhere. */
export function webAppCsp(store?: string): string {
  const files = store === undefined ? "" : ` ${store}`;
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:${files}; media-src 'self' blob:${files}; font-src 'self'; ` +
    `connect-src 'self'${files}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`
  );
}

/** The upload page: the same, and bytes may go to the store; pictures and videos are shown before they are sent. */
export const uploadPageCsp = (origins: readonly string[]): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: ${origins.join(" ")}; media-src blob:; ` +
  `connect-src 'self' ${origins.join(" ")}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`;

export function setSecurityHeaders(res: ServerResponse, https: boolean, dataOnly = false): void {
  res.setHeader("x-content-type-options", "nosniff");
  if (https) res.setHeader("strict-transport-security", "max-age=31536000");
  if (dataOnly) return;
  res.setHeader("content-security-policy", strictCsp);
  res.setHeader("x-frame-options", "DENY");
  res.setHeader("referrer-policy", "same-origin");
  res.setHeader("cross-origin-opener-policy", "same-origin");
  res.setHeader("cross-origin-resource-policy", "same-origin");
}
