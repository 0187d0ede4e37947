import type { IncomingMessage, ServerResponse } from "node:http";
import type { Deps } from "#domain/deps.ts";
import { createStartedConsents } from "./begun-approvals.ts";
import { createConsent, type Consent } from "./consent.ts";
import { createProvider, type ProviderOptions } from "./provider.ts";

export interface OAuthServer {
  /** Answers any request to one of the paths of the authorization server. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  consent: Consent;
}

export interface OAuthServerOptions extends ProviderOptions {
  deps: ProviderOptions["deps"] & Pick<Deps, "base">;
}

export function createOAuthServer(options: OAuthServerOptions): OAuthServer {
  const provider = createProvider(options);
  const startedConsents = createStartedConsents(options.base);
  provider.use(startedConsents.recordStart);
  const callback = provider.callback();
  return {
    handle: (req, res) => callback(req, res),
    consent: createConsent(provider, startedConsents, options.deps),
  };
}
