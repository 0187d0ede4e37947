import type { Deps } from "#domain/deps.ts";
import type { Log } from "#lib/log.ts";
import type { Signer } from "#lib/signed-token.ts";
import { createDevIssuer, type DevIssuer } from "./dev-issuer.ts";
import type { RenderErrorPage } from "./local-provider.ts";
import type { IdentityProvider } from "./relying-party.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";

/** How people get in and stay in. */
export interface People {
  sessions: Sessions;
  signIn: SignIn;
  /** Where no identity provider is configured, which settings allow on loopback only. */
  devIssuer: DevIssuer | undefined;
}

export interface PeopleSettings {
  base: string;
  identityProviders: readonly IdentityProvider[];
  deps: Deps;
  signer: Signer;
  log: Log;
  renderErrorPage: RenderErrorPage;
}

export function createPeople({ base, identityProviders, deps, signer, log, renderErrorPage }: PeopleSettings): People {
  const sessions = createSessions({ deps, base });
  const devIssuer =
    identityProviders.length === 0 ? createDevIssuer({ base, clock: deps.clock, log, renderErrorPage }) : undefined;
  const providers = devIssuer ? [devIssuer.provider] : identityProviders;
  return {
    sessions,
    devIssuer,
    signIn: createSignIn({ deps, base, providers, sessions, signer, log }),
  };
}
