import { authorizeSignIn, resolveUser } from "#domain/access/authorize-sign-in.ts";
import type { User } from "#domain/access/ports.ts";
import { endSession, findSessionUser, sessionLifetime, startSession } from "#domain/access/sessions.ts";
import type { Deps } from "#domain/deps.ts";
import { createHostCookie, createPendingCookie } from "#lib/cookies.ts";
import { edgeError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import type { Signer } from "#lib/signed-token.ts";
import { invalidSignInError, toLogFields } from "./sign-in-errors.ts";
import { createRelyingParty, type IdentityProvider, type PendingSignIn } from "./relying-party.ts";

/** Web sessions as a browser carries them. */
export interface Sessions {
  /** The person signed in on the browser that sent this `Cookie` header. */
  find(cookieHeader: string | undefined): Promise<User | undefined>;
  /** Signs the person in: the `Set-Cookie` line. The session the browser had before is over. */
  start(userId: string, previousCookieHeader: string | undefined): Promise<string>;
  /** Signs out, on the server too: the `Set-Cookie` line. */
  end(cookieHeader: string | undefined): Promise<string>;
}

export function createSessions({
  deps,
  base,
}: {
  deps: Pick<Deps, "sessions" | "clock" | "newSecret">;
  base: string;
}): Sessions {
  const cookie = createHostCookie(base, "atelier");
  return {
    find: (header) => findSessionUser(deps, cookie.read(header)),
    async start(userId, previousHeader) {
      const token = await startSession(deps, { id: userId }, { previous: cookie.read(previousHeader) });
      return cookie.toSetCookie(token, sessionLifetime / 1000);
    },
    async end(header) {
      await endSession(deps, cookie.read(header));
      return cookie.toClearCookie();
    },
  };
}

/** Signing people in at identity providers. `returnTo` is always a path of ours; whoever takes it in has checked it. */
export interface SignIn {
  readonly providers: readonly Pick<IdentityProvider, "id" | "name" | "issuer">[];
  start(input: {
    provider: string;
    returnTo: string;
    isSwitchingAccount: boolean;
    cookies: string | undefined;
  }): Promise<{ location: string; setCookie: string }>;
  /** The pending sign-in a callback belongs to. Its `Set-Cookie` line has to be sent whatever comes of it. */
  consumePending(callback: URL, cookies: string | undefined): { pending: PendingSignIn | undefined; setCookie: string };
  /** Signs the person in: the `Set-Cookie` lines. Throws, with nothing stored, unless everything holds. */
  finish(input: {
    provider: string;
    callback: URL;
    pending: PendingSignIn | undefined;
    cookies: string | undefined;
  }): Promise<string[]>;
}

export interface SignInOptions {
  deps: Pick<Deps, "users" | "invitations" | "clock" | "newId" | "signInAllow">;
  base: string;
  providers: readonly IdentityProvider[];
  sessions: Sessions;
  signer: Signer;
  log: Log;
}

export function createSignIn({ deps, base, providers, sessions, signer, log }: SignInOptions): SignIn {
  const pendingSignIns = createPendingCookie<PendingSignIn>({
    signer,
    clock: deps.clock,
    base,
    name: "atelier-sign-in",
    purpose: "sign-in",
    maxPending: 3,
  });
  const relyingParties = new Map(
    providers.map((identityProvider) => [
      identityProvider.id,
      createRelyingParty(identityProvider, `${base}/api/auth/callback/${identityProvider.id}`),
    ]),
  );
  const getRelyingParty = (id: string) => {
    const relyingParty = relyingParties.get(id);
    if (!relyingParty) throw edgeError("not_found", "There is no such identity provider here.");
    return relyingParty;
  };
  const withFailureLog = async <T>(provider: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      log.warn({ provider, ...toLogFields(error) }, "sign-in failed");
      throw error;
    }
  };

  return {
    providers,
    async start({ provider, returnTo, isSwitchingAccount, cookies }) {
      const { location, ...secrets } = await withFailureLog(
        provider,
        getRelyingParty(provider).startAuthorization(isSwitchingAccount),
      );
      return { location, setCookie: pendingSignIns.add({ provider, returnTo, ...secrets }, cookies) };
    },
    consumePending: (callback, cookies) => pendingSignIns.consume(callback.searchParams.get("state"), cookies),
    async finish({ provider, callback, pending, cookies }) {
      const relyingParty = getRelyingParty(provider);
      // Bound to the browser that began it, and to the provider it went to (RFC 9700 §4.4: mix-up).
      if (pending?.provider !== provider) throw invalidSignInError();
      const identity = await withFailureLog(provider, relyingParty.finishAuthorization(callback, pending));
      await authorizeSignIn(deps, identity, { invitation: parseInvitationToken(pending.returnTo) });
      const user = await resolveUser(deps, identity);
      return [await sessions.start(user.id, cookies)];
    },
  };
}

/** Someone on the way to an invitation's page may sign in by its token. */
function parseInvitationToken(returnTo: string): string | undefined {
  return /^\/join\/([\w-]+)$/.exec(returnTo)?.[1];
}
