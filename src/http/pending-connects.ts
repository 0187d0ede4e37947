import type { PendingConnect } from "#domain/platforms/ports.ts";
import { minutes, type Clock } from "#lib/clock.ts";
import { hostCookie } from "#lib/cookies.ts";
import type { Signer } from "#lib/signed-token.ts";

type Kept = PendingConnect & { until: number };

/** Connects that went to a platform lie in a signed cookie of the browser that began them: no other can end them. */
export interface PendingConnects {
  /** The `Set-Cookie` line that adds one to those this browser has under way in other tabs. */
  add(pending: PendingConnect, cookieHeader: string | undefined): string;
  /** The one with this state, if this browser began it, and the `Set-Cookie` line without it: it serves once. */
  take(
    state: string | null,
    cookieHeader: string | undefined,
  ): { pending: PendingConnect | undefined; setCookie: string };
}

const lifetime = minutes(10);
const mostAtOnce = 5;

export function createPendingConnects(parts: { signer: Signer; clock: Clock; base: string }): PendingConnects {
  const { signer, clock, base } = parts;
  const cookie = hostCookie(base, "atelier-connect");
  const read = (header: string | undefined): readonly Kept[] => {
    const claims = signer.verify("connect", cookie.read(header) ?? "");
    return ((claims?.["pending"] ?? []) as Kept[]).filter(({ until }) => clock() < until);
  };
  const write = (all: readonly Kept[]): string => {
    const [newest] = all;
    return newest
      ? cookie.set(signer.sign("connect", { pending: all }, newest.until), lifetime / 1000)
      : cookie.clear();
  };
  return {
    add: ({ state, verifier }, header) =>
      write([{ state, verifier, until: clock() + lifetime }, ...read(header)].slice(0, mostAtOnce)),
    take(state, header) {
      const all = read(header);
      return {
        pending: all.find((one) => one.state === state),
        setCookie: write(all.filter((one) => one.state !== state)),
      };
    },
  };
}
