/** A cookie of ours on the whole of `{base}` and nowhere else. */
export interface HostCookie {
  readonly name: string;
  /** Its value in a `Cookie` header. */
  read(header: string | undefined): string | undefined;
  /** The `Set-Cookie` line that gives it to the browser for so many seconds. */
  toSetCookie(value: string, maxAgeSeconds: number): string;
  /** The `Set-Cookie` line that takes it away. */
  toClearCookie(): string;
}

/**
 * On https the name begins with `__Host-`, with which a browser accepts it from this very host only, over TLS, for
 * every path (RFC 6265bis §4.1.3.2). Plain http, which is loopback, cannot have that.
 * `Lax`: it comes along when a person follows a link here, and never with another site's form.
 */
export function createHostCookie(base: string, plainName: string): HostCookie {
  const isHttps = base.startsWith("https:");
  const name = isHttps ? `__Host-${plainName}` : plainName;
  const toSetCookie = (value: string, maxAgeSeconds: number) =>
    `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isHttps ? "; Secure" : ""}`;
  return {
    name,
    toSetCookie,
    read: (header) => readCookie(header, name),
    toClearCookie: () => toSetCookie("", 0),
  };
}

/** The first cookie of that name: the one a browser takes for the closest match. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const equalsIndex = pair.indexOf("=");
    if (equalsIndex > 0 && pair.slice(0, equalsIndex).trim() === name) return pair.slice(equalsIndex + 1).trim();
  }
  return undefined;
}
