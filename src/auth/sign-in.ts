import { admitPerson } from "#domain/access/admit-person.ts";
import { recognizeUser } from "#domain/access/recognize-user.ts";
import type { Deps } from "#domain/deps.ts";
import { edgeError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { createPendingCookie } from "#lib/pending-cookie.ts";
import type { Signer } from "#lib/signed-token.ts";
import { broken, failureForLog } from "./provider-failure.ts";
import { createRelyingParty, type IdentityProvider, type PendingSignIn } from "./relying-party.ts";
import type { Sessions } from "./sessions.ts";

/** Signing people in at identity providers. `returnTo` is always a path of ours; whoever takes it in has checked it. */
export interface SignIn {
  readonly providers: readonly Pick<IdentityProvider, "id" | "name" | "issuer">[];
  start(input: {
    provider: string;
    returnTo: string;
    otherAccount: boolean;
    cookies: string | undefined;
  }): Promise<{ location: string; setCookie: string }>;
  /** The pending sign-in a callback belongs to. Its `Set-Cookie` line has to be sent whatever comes of it. */
  take(callback: URL, cookies: string | undefined): { pending: PendingSignIn | undefined; setCookie: string };
  /** Signs the person in: the `Set-Cookie` lines. Throws, with nothing stored, unless everything holds. */
  finish(input: {
    provider: string;
    callback: URL;
    pending: PendingSignIn | undefined;
    cookies: string | undefined;
  }): Promise<string[]>;
}

export interface SignInParts {
  deps: Pick<Deps, "users" | "invitations" | "clock" | "newId" | "signInAllow">;
  base: string;
  providers: readonly IdentityProvider[];
  sessions: Sessions;
  signer: Signer;
  log: Log;
}

export function createSignIn({ deps, base, providers, sessions, signer, log }: SignInParts): SignIn {
  const pendingSignIns = createPendingCookie<PendingSignIn>({
    signer,
    clock: deps.clock,
    base,
    name: "atelier-sign-in",
    purpose: "sign-in",
    mostAtOnce: 3,
  });
  const parties = new Map(
    providers.map((one) => [one.id, createRelyingParty(one, `${base}/api/auth/callback/${one.id}`)]),
  );
  const partyFor = (id: string) => {
    const party = parties.get(id);
    if (!party) throw edgeError("not_found", "There is no such identity provider here.");
    return party;
  };
  const logged = async <T>(provider: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      log.warn({ provider, ...failureForLog(error) }, "sign-in failed");
      throw error;
    }
  };

  return {
    providers,
    async start({ provider, returnTo, otherAccount, cookies }) {
      const { location, ...secrets } = await logged(provider, partyFor(provider).begin(otherAccount));
      return { location, setCookie: pendingSignIns.add({ provider, returnTo, ...secrets }, cookies) };
    },
    take: (callback, cookies) => pendingSignIns.take(callback.searchParams.get("state"), cookies),
    async finish({ provider, callback, pending, cookies }) {
      const party = partyFor(provider);
      // Bound to the browser that began it, and to the provider it went to (RFC 9700 §4.4: mix-up).
      if (pending?.provider !== provider) throw broken();
      const identity = await logged(provider, party.finish(callback, pending));
      await admitPerson(deps, identity, { invitation: invitationIn(pending.returnTo) });
      const user = await recognizeUser(deps, identity);
      return [await sessions.start(user.id, cookies)];
    },
  };
}

/** Someone on the way to an invitation's page may sign in by its token. */
function invitationIn(returnTo: string): string | undefined {
  return /^\/join\/([\w-]+)$/.exec(returnTo)?.[1];
}
