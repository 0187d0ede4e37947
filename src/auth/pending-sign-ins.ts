import { minutes, type Clock } from "#lib/clock.ts";
import { hostCookie } from "#lib/cookies.ts";
import type { Signer } from "#lib/signed-token.ts";

/** A sign-in that went to an identity provider and has not come back yet. */
export interface PendingSignIn {
  provider: string;
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
}

type Kept = PendingSignIn & { until: number };

/** Pending sign-ins lie in a signed cookie of the browser that began them, and nowhere else. */
export interface PendingSignIns {
  /** The `Set-Cookie` line that adds one to those this browser has under way in other tabs. */
  add(pending: PendingSignIn, cookieHeader: string | undefined): string;
  /** The one with this state, if this browser began it, and the `Set-Cookie` line without it: it serves once. */
  take(
    state: string | null,
    cookieHeader: string | undefined,
  ): { pending: PendingSignIn | undefined; setCookie: string };
}

const lifetime = minutes(10);
const mostAtOnce = 3;
/** Browsers drop a cookie of more than 4096 bytes, attributes included. */
const mostBytes = 3800;

export function createPendingSignIns({
  signer,
  clock,
  base,
}: {
  signer: Signer;
  clock: Clock;
  base: string;
}): PendingSignIns {
  const cookie = hostCookie(base, "atelier-sign-in");

  const read = (header: string | undefined): readonly Kept[] => {
    const claims = signer.verify("sign-in", cookie.read(header) ?? "");
    return ((claims?.["pending"] ?? []) as Kept[]).filter(({ until }) => clock() < until);
  };
  const write = (all: readonly Kept[]): string => {
    const [newest] = all;
    if (!newest) return cookie.clear();
    const token = signer.sign("sign-in", { pending: all }, newest.until);
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
