import type { IdentityProvider } from "#auth/relying-party.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { Log } from "#lib/log.ts";
import { startService, type RunningService } from "./service.ts";

export type SignInServer = RunningService;

export interface SignInServerOptions {
  deps: Deps;
  base?: string;
  identityProviders?: readonly IdentityProvider[];
  signInAllow?: readonly string[];
  log?: Log;
  secrets?: [string, ...string[]];
}

/** Starts the service with these identity providers. */
export function startSignInServer(options: SignInServerOptions): Promise<SignInServer> {
  const { deps, identityProviders = [], signInAllow = ["*"], ...rest } = options;
  return startService(deps, { ...rest, config: { identityProviders, signInAllow, areRateLimitsEnabled: false } });
}
