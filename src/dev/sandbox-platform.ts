import type { IncomingMessage, ServerResponse } from "node:http";
import { hours } from "#lib/clock.ts";
import { edgeError } from "#lib/errors.ts";
import {
  createDatabaseAdapter,
  createInProcessProvider,
  type DevDeps,
  type InProcessProvider,
} from "./in-process-provider.ts";

export const sandboxPath = "/sandbox";

/** A social platform inside this process: an OAuth server that has an account for every handle. */
export interface SandboxPlatform extends Pick<InProcessProvider, "handle" | "assertPending"> {
  origin: string;
  /** Atelier's credentials at the sandbox. */
  app: { clientId: string; clientSecret: string };
  /** The account that an access token gives access to. */
  findAccount(token: string): Promise<string | undefined>;
  /** Grants access to the account with this handle, or denies access without a handle. Redirects the browser. */
  finish(req: IncomingMessage, res: ServerResponse, handle: string | undefined): Promise<void>;
}

const secondsPerHour = hours(1) / 1000;

export function createSandboxPlatform(deps: DevDeps, redirectUri: string): SandboxPlatform {
  const { provider, issuer, client, handle, assertPending, finish } = createInProcessProvider(deps, {
    name: "the sandbox platform",
    path: sandboxPath,
    cookiePrefix: "atelier_sandbox",
    redirectUri,
    grantTypes: ["authorization_code", "refresh_token"],
    adapter: createDatabaseAdapter(deps),
    features: {
      userinfo: { enabled: true },
      // Atelier is the only client, so it may revoke every token.
      revocation: { enabled: true, allowedPolicy: async () => true },
    },
    configuration: {
      scopes: ["openid", "profile", "offline_access"],
      claims: { openid: ["sub"], profile: ["name", "preferred_username"] },
      // Single-use refresh tokens, like the strictest real platforms.
      rotateRefreshToken: true,
      issueRefreshToken: async () => true,
      routes: { authorization: "/auth", token: "/token", jwks: "/jwks", userinfo: "/me", revocation: "/revoke" },
      interactions: { url: (_ctx, interaction) => `${sandboxPath}/access/${interaction.uid}` },
      findAccount: (_ctx, account) => ({
        accountId: account,
        claims: () => ({ sub: account, name: account, preferred_username: account }),
      }),
      ttl: {
        Session: 600,
        Interaction: 600,
        Grant: 90 * 24 * secondsPerHour,
        AuthorizationCode: 60,
        AccessToken: secondsPerHour,
        RefreshToken: 30 * 24 * secondsPerHour,
        IdToken: secondsPerHour,
      },
    },
    describeError: (error) => ({ title: "Sandbox", message: `The request failed (${error}).` }),
    createNotPendingError: () =>
      edgeError("invalid_input", "This access request has expired.", "Start again from the Platforms page."),
  });

  async function createGrant(accountId: string): Promise<string> {
    const grant = new provider.Grant({ accountId, clientId: client.clientId });
    grant.addOIDCScope("openid profile offline_access");
    return grant.save();
  }

  return {
    origin: issuer,
    app: client,
    handle,
    assertPending,
    findAccount: async (token) => (await provider.AccessToken.find(token))?.accountId,
    async finish(req, res, account) {
      if (account === undefined)
        return finish(req, res, { error: "access_denied", error_description: "the user denied access" });
      await assertPending(req, res);
      return finish(req, res, {
        login: { accountId: account, remember: false },
        consent: { grantId: await createGrant(account) },
      });
    },
  };
}
