import { authorizeSignIn, resolveUser } from "#domain/studios/authorize-sign-in.ts";
import { linkIdentity } from "#domain/access/linked-identities.ts";
import { endSession, findSessionUser, sessionLifetime, startSession, type WebUser } from "#domain/access/sessions.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createHostCookie, createPendingCookie } from "#lib/cookies.ts";
import { edgeError, type AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { invalidSignInError, toLogFields } from "./sign-in-errors.ts";
import { createRelyingParty, type IdentityProvider, type PendingSignIn } from "./relying-party.ts";

/** Web sessions in browser cookies. */
export interface Sessions {
  /** The user who is signed in, by `Cookie` header. */
  find(cookieHeader: string | undefined): Promise<WebUser | undefined>;
  /** Whether the browser sent the cookie of a session, which may have ended. */
  hasCookie(cookieHeader: string | undefined): boolean;
  /** Starts a session, ends the browser's previous one, and returns the `Set-Cookie` value. */
  start(userId: string, previousCookieHeader: string | undefined): Promise<string>;
  /** Ends the session on the server and returns the `Set-Cookie` value. */
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
    hasCookie: (header) => cookie.read(header) !== undefined,
    async start(userId, previousHeader) {
      const token = await startSession(deps, { id: userId }, { previousToken: cookie.read(previousHeader) });
      return cookie.toSetCookie(token, sessionLifetime / 1000);
    },
    async end(header) {
      await endSession(deps, cookie.read(header));
      return cookie.toClearCookie();
    },
  };
}

/** Sign-in at identity providers. Callers must check that `returnTo` is a path of this server. */
export interface SignIn {
  readonly providers: readonly Pick<IdentityProvider, "id" | "name" | "issuer">[];
  /** The issuers where users do not sign in, but can link their account. */
  readonly linkable: readonly Pick<IdentityProvider, "id" | "name" | "issuer">[];
  start(input: {
    provider: string;
    returnTo: string;
    isSwitchingAccount: boolean;
    /** Links the account to this signed-in user instead of signing in. */
    linksTo?: string;
    cookies: string | undefined;
  }): Promise<{ location: string; setCookie: string }>;
  /** The pending sign-in of a callback. Callers must send `setCookie` even if the sign-in fails. */
  consumePending(callback: URL, cookies: string | undefined): { pending: PendingSignIn | undefined; setCookie: string };
  /**
   * Signs the user in and returns the session’s `Set-Cookie` value. Starts no session if any check fails, or if the user
   * linked their account.
   */
  finish(input: {
    provider: string;
    callback: URL;
    pending: PendingSignIn | undefined;
    cookies: string | undefined;
  }): Promise<string | undefined>;
}

export function createSignIn(
  deps: Pick<Deps, "users" | "invitations" | "transact" | "clock" | "newId" | "signInAllow" | "baseUrl" | "signer">,
  providers: readonly IdentityProvider[],
  linkable: readonly (IdentityProvider & { domains: readonly string[] })[],
  sessions: Sessions,
  log: Log,
): SignIn {
  const { baseUrl: base, signer, clock } = deps;
  const pendingSignIns = createPendingCookie<PendingSignIn>({ signer, clock, base }, "sign-in", 3);
  const relyingParties = new Map(
    [...providers, ...linkable].map((identityProvider) => [
      identityProvider.id,
      createRelyingParty(identityProvider, `${base}/api/auth/callback/${identityProvider.id}`),
    ]),
  );
  const getRelyingParty = (id: string) => {
    const relyingParty = relyingParties.get(id);
    if (!relyingParty) throw unknownProviderError();
    return relyingParty;
  };
  const withFailureLog = <T>(provider: string, work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      log.warn({ provider, ...toLogFields(error) }, "sign-in failed");
      throw error;
    });

  return {
    providers,
    linkable,
    async start({ provider, returnTo, isSwitchingAccount, linksTo, cookies }) {
      const canStart = (linksTo === undefined ? providers : linkable).some(({ id }) => id === provider);
      if (!canStart) throw unknownProviderError();
      const { location, ...secrets } = await withFailureLog(
        provider,
        getRelyingParty(provider).startAuthorization(isSwitchingAccount),
      );
      return { location, setCookie: pendingSignIns.add({ provider, returnTo, linksTo, ...secrets }, cookies) };
    },
    consumePending: (callback, cookies) => pendingSignIns.consume(callback.searchParams.get("state"), cookies),
    async finish({ provider, callback, pending, cookies }) {
      const relyingParty = getRelyingParty(provider);
      // A sign-in is bound to the browser that started it and to its provider (RFC 9700 §4.4, mix-up attacks).
      if (pending?.provider !== provider) throw invalidSignInError();
      const identity = await withFailureLog(provider, relyingParty.finishAuthorization(callback, pending));
      if (pending.linksTo !== undefined) {
        const webUser = await sessions.find(cookies);
        if (webUser?.user.id !== pending.linksTo) throw invalidSignInError();
        const { domains } = linkable.find(({ id }) => id === provider) ?? { domains: [] };
        await linkIdentity(deps, webUser, identity, domains);
        return undefined;
      }
      await authorizeSignIn(deps, identity, { invitation: parseInvitationToken(pending.returnTo) });
      const user = await resolveUser(deps, identity);
      return sessions.start(user.id, cookies);
    },
  };
}

const unknownProviderError = (): AppError => edgeError("not_found", "This identity provider does not exist.");

/** The token of the invitation that the user opened. An invitation can let in users who are not on the allowlist. */
function parseInvitationToken(returnTo: string): string | undefined {
  return /^\/join\/([\w-]+)$/.exec(returnTo)?.[1];
}
