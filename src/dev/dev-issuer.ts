import type { IncomingMessage, ServerResponse } from "node:http";
import { interactionPolicy } from "oidc-provider";
import type { IdentityProvider } from "#auth/relying-party.ts";
import { edgeError } from "#lib/errors.ts";
import {
  createInProcessProvider,
  createMemoryAdapter,
  type DevDeps,
  type InProcessProvider,
} from "./in-process-provider.ts";

export const devIssuerPath = "/dev-idp";

/** The built-in OpenID issuer, used when no identity provider is configured. */
export interface DevIssuer extends Pick<InProcessProvider, "handle" | "assertPending"> {
  /** Its entry in the list of identity providers. */
  provider: IdentityProvider;
  /** Signs in the user with this email and redirects the browser. */
  finish(req: IncomingMessage, res: ServerResponse, email: string): Promise<void>;
}

export function createDevIssuer(deps: DevDeps): DevIssuer {
  const { issuer, client, handle, assertPending, finish } = createInProcessProvider(deps, {
    name: "the dev issuer",
    path: devIssuerPath,
    cookiePrefix: "atelier_dev",
    redirectUri: `${deps.baseUrl}/api/auth/callback/dev`,
    grantTypes: ["authorization_code"],
    adapter: createMemoryAdapter(deps.clock),
    features: { userinfo: { enabled: false } },
    configuration: {
      scopes: ["openid", "profile", "email"],
      claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
      // Puts all claims into the ID token, which saves the userinfo request.
      conformIdTokenClaims: false,
      routes: { authorization: "/auth", token: "/token", jwks: "/jwks" },
      interactions: {
        policy: createSignInOnlyPolicy(),
        url: (_ctx, interaction) => `${devIssuerPath}/sign-in/${interaction.uid}`,
      },
      findAccount: (_ctx, email) => ({ accountId: email, claims: () => createDevClaims(email) }),
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
    describeError: (error) => ({ title: "Sign-in failed", message: `The sign-in failed (${error}).` }),
    createNotPendingError: () =>
      edgeError("invalid_input", "This sign-in has expired.", "Start again from the sign-in page."),
  });

  return {
    // A fixed issuer id keeps users across a change of port, which changes the issuer URL.
    provider: {
      id: "dev",
      name: "development sign-in",
      issuer,
      ...client,
      identityIssuer: "urn:atelier:dev-idp",
      // The provider is this process, so it responds, unless the base URL leads somewhere else.
      createUnavailableError: (cause) =>
        edgeError(
          "url_unreachable",
          `The server can’t reach its own development sign-in at BASE_URL (${deps.baseUrl}).`,
          "Set BASE_URL to the URL at which the server itself listens, not to that of a proxy. To use a proxy, set OIDC_ISSUER to sign in with an identity provider.",
          { cause },
        ),
    },
    handle,
    assertPending,
    finish: (req, res, email) => finish(req, res, { login: { accountId: email, remember: false } }),
  };
}

/** Atelier is the only client, so there is nothing to consent to. */
function createSignInOnlyPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}

/** Normalizes an email. Returns undefined if it is not a valid one. */
export function parseEmail(input: string): string | undefined {
  const email = input.trim().toLowerCase();
  return email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? email : undefined;
}

/** Derives a display name: `grace.hopper@example.com` becomes Grace Hopper. */
export function deriveNameFromEmail(email: string): string {
  const words = email
    .slice(0, email.indexOf("@"))
    .split(/[._+-]+/)
    .filter(Boolean);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") || email;
}

/** The subject is the email itself, so a user keeps their identity across restarts. */
function createDevClaims(email: string): { sub: string; name: string; email: string; email_verified: true } {
  return { sub: email, name: deriveNameFromEmail(email), email, email_verified: true };
}
