import type { IncomingMessage, ServerResponse } from "node:http";
import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { createLocalProvider, type LocalProvider, type LocalProviderParts } from "./local-provider.ts";

export const sandboxPath = "/sandbox";

/** A social platform in this process: an OAuth server with accounts of any name. */
export interface SandboxPlatform extends Pick<LocalProvider, "handle" | "checkPending"> {
  /** Its address, and ourselves as an application there. */
  origin: string;
  app: { clientId: string; clientSecret: string };
  /** Gives access to the account of this handle, or says no, and sends the browser on. */
  finish(req: IncomingMessage, res: ServerResponse, handle: string | undefined): Promise<void>;
}

export interface SandboxParts extends LocalProviderParts {
  /** Where it sends people back to. */
  redirectUri: string;
}

const lifetime = hours(1) / 1000;

export function createSandboxPlatform({ redirectUri, ...parts }: SandboxParts): SandboxPlatform {
  const { provider, issuer, client, handle, checkPending, finish } = createLocalProvider(parts, {
    name: "the sandbox platform",
    path: sandboxPath,
    cookiePrefix: "atelier_sandbox",
    redirectUri,
    grantTypes: ["authorization_code", "refresh_token"],
    features: {
      userinfo: { enabled: true },
      // There is one client, and every token is its own.
      revocation: { enabled: true, allowedPolicy: async () => true },
    },
    configuration: {
      scopes: ["openid", "profile", "offline_access"],
      claims: { openid: ["sub"], profile: ["name", "preferred_username"] },
      // A refresh token serves once, as with the strictest platforms.
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
        Grant: 90 * 24 * lifetime,
        AuthorizationCode: 60,
        AccessToken: lifetime,
        RefreshToken: 30 * 24 * lifetime,
        IdToken: lifetime,
      },
    },
    failed: (error) => ({ title: "Sandbox", message: `This did not work (${error}).` }),
    gone: () =>
      new AppError(
        "invalid_input",
        "There is nothing to answer here any more.",
        "Start again from the Platforms page.",
      ),
  });

  async function grantTo(accountId: string): Promise<string> {
    const grant = new provider.Grant({ accountId, clientId: client.clientId });
    grant.addOIDCScope("openid profile offline_access");
    return grant.save();
  }

  return {
    origin: issuer,
    app: client,
    handle,
    checkPending,
    async finish(req, res, account) {
      if (account === undefined)
        return finish(req, res, { error: "access_denied", error_description: "the person said no" });
      await checkPending(req, res);
      return finish(req, res, {
        login: { accountId: account, remember: false },
        consent: { grantId: await grantTo(account) },
      });
    },
  };
}
