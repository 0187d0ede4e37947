import type { IncomingMessage, ServerResponse } from "node:http";
import { interactionPolicy } from "oidc-provider";
import { AppError } from "#lib/errors.ts";
import { devClaims } from "./dev-people.ts";
import { createLocalProvider, type LocalProvider, type LocalProviderParts } from "./local-provider.ts";
import type { IdentityProvider } from "./relying-party.ts";

export const devIssuerPath = "/dev-idp";

/** An OpenID issuer in this process, for who has none configured. */
export interface DevIssuer extends Pick<LocalProvider, "handle" | "checkPending"> {
  /** As our own sign-in knows it. */
  provider: IdentityProvider;
  /** Signs in the person at this address and sends the browser on. */
  finish(req: IncomingMessage, res: ServerResponse, address: string): Promise<void>;
}

export function createDevIssuer(parts: LocalProviderParts): DevIssuer {
  const { issuer, client, handle, checkPending, finish } = createLocalProvider(parts, {
    name: "the development issuer",
    path: devIssuerPath,
    cookiePrefix: "atelier_dev",
    redirectUri: `${parts.base}/api/auth/callback/dev`,
    grantTypes: ["authorization_code"],
    features: { userinfo: { enabled: false } },
    configuration: {
      scopes: ["openid", "profile", "email"],
      claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
      // Everything is in the ID token: one request less.
      conformIdTokenClaims: false,
      routes: { authorization: "/auth", token: "/token", jwks: "/jwks" },
      interactions: { policy: askWhoItIs(), url: (_ctx, interaction) => `${devIssuerPath}/sign-in/${interaction.uid}` },
      findAccount: (_ctx, address) => ({ accountId: address, claims: () => devClaims(address) }),
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          accountId: oidc.session?.accountId ?? "",
          clientId: oidc.client?.clientId ?? "",
        });
        grant.addOIDCScope("openid profile email");
        await grant.save();
        return grant;
      },
      ttl: { Session: 600, Interaction: 600, Grant: 600, AuthorizationCode: 60, AccessToken: 600, IdToken: 600 },
    },
    failed: (error) => ({ title: "Not signed in", message: `This sign-in could not go on (${error}).` }),
    gone: () => new AppError("invalid_input", "This sign-in is over.", "Start again from the sign-in page."),
  });

  return {
    // The port may change, and with it the address; the people of this data folder stay.
    provider: { id: "dev", name: "development sign-in", issuer, ...client, knownAs: "urn:atelier:dev-idp" },
    handle,
    checkPending,
    finish: (req, res, address) => finish(req, res, { login: { accountId: address, remember: false } }),
  };
}

/** One question, who it is, and none about consent: the only client is ourselves. */
function askWhoItIs(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}
