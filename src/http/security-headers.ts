import type { ServerResponse } from "node:http";

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
