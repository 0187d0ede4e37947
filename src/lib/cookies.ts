import { minutes, type Clock } from "./clock.ts";
import type { Signer, TokenPurpose } from "./signed-token.ts";

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

/** What a browser has under way elsewhere lies in a signed cookie of that browser, and nowhere else: no other can end it. */
export interface PendingCookie<Pending extends { state: string }> {
  /** The `Set-Cookie` line that adds one to those this browser has under way in other tabs. */
  add(pending: Pending, cookieHeader: string | undefined): string;
  /** The one with this state, if this browser began it, and the `Set-Cookie` line without it: it serves once. */
  consume(state: string | null, cookieHeader: string | undefined): { pending: Pending | undefined; setCookie: string };
}

export interface PendingCookieOptions {
  signer: Signer;
  clock: Clock;
  base: string;
  name: string;
  purpose: TokenPurpose;
  maxPending: number;
}

const lifetime = minutes(10);
/** Browsers drop a cookie of more than 4096 bytes, attributes included. */
const maxCookieBytes = 3800;

export function createPendingCookie<Pending extends { state: string }>({
  signer,
  clock,
  base,
  name,
  purpose,
  maxPending,
}: PendingCookieOptions): PendingCookie<Pending> {
  type StoredPending = Pending & { until: number };
  const cookie = createHostCookie(base, name);

  const read = (header: string | undefined): readonly StoredPending[] => {
    const claims = signer.verify(purpose, cookie.read(header) ?? "");
    return ((claims?.["pending"] ?? []) as StoredPending[]).filter(({ until }) => clock() < until);
  };
  const write = (entries: readonly StoredPending[]): string => {
    const [newest] = entries;
    if (!newest) return cookie.toClearCookie();
    const token = signer.sign(purpose, { pending: entries }, newest.until);
    return token.length > maxCookieBytes ? write(entries.slice(0, -1)) : cookie.toSetCookie(token, lifetime / 1000);
  };

  return {
    add: (pending, header) => write([{ ...pending, until: clock() + lifetime }, ...read(header)].slice(0, maxPending)),
    consume(state, header) {
      const entries = read(header);
      return {
        pending: entries.find((entry) => entry.state === state),
        setCookie: write(entries.filter((entry) => entry.state !== state)),
      };
    },
  };
}
