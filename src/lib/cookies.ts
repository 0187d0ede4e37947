import { minutes, type Clock } from "./clock.ts";
import type { Signer } from "./signed-token.ts";

/** A cookie that is scoped to all paths of `{base}` and to no other host. */
interface HostCookie {
  readonly name: string;
  /** Returns the value of this cookie in a `Cookie` header. */
  read(header: string | undefined): string | undefined;
  /** Returns the `Set-Cookie` value that sets the cookie. */
  toSetCookie(value: string, maxAgeSeconds: number): string;
  /** Returns the `Set-Cookie` value that deletes the cookie. */
  toClearCookie(): string;
}

/**
 * On https the name starts with `__Host-`: browsers accept such a cookie only from this host, over TLS and for every
 * path (RFC 6265bis §4.1.3.2). Plain http, which means loopback, does not support the prefix. With `Lax`, browsers send
 * the cookie when a user follows a link to us, but not with forms of other sites.
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

/** Returns the first cookie with this name; browsers send the one with the most specific path first. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const equalsIndex = pair.indexOf("=");
    if (equalsIndex > 0 && pair.slice(0, equalsIndex).trim() === name) return pair.slice(equalsIndex + 1).trim();
  }
  return undefined;
}

interface PendingCookie<Pending extends { state: string }> {
  /** Returns the `Set-Cookie` value that adds a flow to those pending in other tabs of this browser. */
  add(pending: Pending, cookieHeader: string | undefined): string;
  /** Returns the flow with this state if this browser started it, and the `Set-Cookie` value that removes it. */
  consume(state: string | null, cookieHeader: string | undefined): { pending: Pending | undefined; setCookie: string };
}

const flowLifetime = minutes(10);
/** Browsers drop a cookie of more than 4096 bytes, attributes included, so the oldest flows are removed to fit. */
const maxCookieBytes = 3800;

/** Stores flows that continue on another site in a signed cookie: only this browser can finish them. */
export function createPendingCookie<Pending extends { state: string }>(
  { signer, clock, base }: { signer: Signer; clock: Clock; base: string },
  purpose: "sign-in" | "connect",
  maxPending: number,
): PendingCookie<Pending> {
  type StoredPending = Pending & { until: number };
  const cookie = createHostCookie(base, `atelier-${purpose}`);

  const read = (header: string | undefined): readonly StoredPending[] => {
    const claims = signer.verify(purpose, cookie.read(header) ?? "");
    return ((claims?.["pending"] ?? []) as StoredPending[]).filter(({ until }) => clock() < until);
  };
  const write = (entries: readonly StoredPending[]): string => {
    const [newest] = entries;
    if (!newest) return cookie.toClearCookie();
    const token = signer.sign(purpose, { pending: entries }, newest.until);
    return token.length > maxCookieBytes ? write(entries.slice(0, -1)) : cookie.toSetCookie(token, flowLifetime / 1000);
  };

  return {
    add: (pending, header) =>
      write([{ ...pending, until: clock() + flowLifetime }, ...read(header)].slice(0, maxPending)),
    consume(state, header) {
      const entries = read(header);
      return {
        pending: entries.find((entry) => entry.state === state),
        setCookie: write(entries.filter((entry) => entry.state !== state)),
      };
    },
  };
}
