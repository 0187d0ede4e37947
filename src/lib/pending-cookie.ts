import { minutes, type Clock } from "./clock.ts";
import { hostCookie } from "./cookies.ts";
import type { Signer, TokenPurpose } from "./signed-token.ts";

/** What a browser has under way elsewhere lies in a signed cookie of that browser, and nowhere else: no other can end it. */
export interface PendingCookie<Pending extends { state: string }> {
  /** The `Set-Cookie` line that adds one to those this browser has under way in other tabs. */
  add(pending: Pending, cookieHeader: string | undefined): string;
  /** The one with this state, if this browser began it, and the `Set-Cookie` line without it: it serves once. */
  take(state: string | null, cookieHeader: string | undefined): { pending: Pending | undefined; setCookie: string };
}

export interface PendingCookieParts {
  signer: Signer;
  clock: Clock;
  base: string;
  name: string;
  purpose: TokenPurpose;
  mostAtOnce: number;
}

const lifetime = minutes(10);
/** Browsers drop a cookie of more than 4096 bytes, attributes included. */
const mostBytes = 3800;

export function createPendingCookie<Pending extends { state: string }>({
  signer,
  clock,
  base,
  name,
  purpose,
  mostAtOnce,
}: PendingCookieParts): PendingCookie<Pending> {
  type Kept = Pending & { until: number };
  const cookie = hostCookie(base, name);

  const read = (header: string | undefined): readonly Kept[] => {
    const claims = signer.verify(purpose, cookie.read(header) ?? "");
    return ((claims?.["pending"] ?? []) as Kept[]).filter(({ until }) => clock() < until);
  };
  const write = (all: readonly Kept[]): string => {
    const [newest] = all;
    if (!newest) return cookie.clear();
    const token = signer.sign(purpose, { pending: all }, newest.until);
    return token.length > mostBytes ? write(all.slice(0, -1)) : cookie.set(token, lifetime / 1000);
  };

  return {
    add: (pending, header) => write([{ ...pending, until: clock() + lifetime }, ...read(header)].slice(0, mostAtOnce)),
    take(state, header) {
      const all = read(header);
      return {
        pending: all.find((one) => one.state === state),
        setCookie: write(all.filter((one) => one.state !== state)),
      };
    },
  };
}
