import {
  auth as authV2,
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { auth as authV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oidc from "openid-client";
import { systemClock } from "#lib/clock.ts";
import { tools } from "#mcp/tool-list.ts";
import { createOAuthProvider } from "../support/assistant.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "../support/engines.ts";
import { openDatabase } from "#db/open-database.ts";
import { listTools, createStudio, openConsent, createOAuthBrowser } from "../support/oauth-client.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl } from "../support/service.ts";

const redirectUri = "http://127.0.0.1:53999/callback";
const { clientMetadata } = createOAuthProvider("A strict client", redirectUri);
const toolNames = tools.map(({ name }) => name).toSorted();

/** Signs in at the URL that the client opened, creates a studio, allows access, and returns the redirect URL. */
type AllowAccess = (authorizationUrl: string) => Promise<URL>;

interface ClientResult {
  accessToken: string;
  refreshedToken: string;
  /** The tools that the client lists, if it is an MCP client. */
  listedTools?: string[];
}

/** Each client knows only the URL of the MCP endpoint. */
const clients: Record<string, (mcpUrl: string, allowAccess: AllowAccess) => Promise<ClientResult>> = {
  "SDK 2.4": (mcpUrl, allowAccess) =>
    connectSdk(mcpUrl, allowAccess, authV2, async (authProvider) => {
      const client = new ClientV2({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      await client.connect(new TransportV2(new URL(mcpUrl), { authProvider }));
      return client;
    }),

  "SDK 1.32": (mcpUrl, allowAccess) =>
    connectSdk(mcpUrl, allowAccess, authV1, async (authProvider) => {
      const client = new ClientV1({ name: "test", version: "1" });
      const transport = new TransportV1(new URL(mcpUrl), { authProvider });
      await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
      return client;
    }),

  async "openid-client"(mcpUrl, allowAccess) {
    const { resource, authorization_servers: servers } = await fetchResourceMetadata(mcpUrl);
    const options = { execute: [oidc.allowInsecureRequests] };
    const config = await oidc.dynamicClientRegistration(
      new URL(servers[0] ?? ""),
      clientMetadata,
      oidc.None(),
      options,
    );
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const expectedState = oidc.randomState();
    const expectedNonce = oidc.randomNonce();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: "openid studio:read studio:write",
      resource,
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const redirect = await allowAccess(url.href);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(config, redirect, checks);
    assert.match(tokens.claims()?.sub ?? "", /^usr_/);
    const refreshedTokens = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "", { resource });
    await oidc.tokenRevocation(config, "never issued");
    return { accessToken: tokens.access_token, refreshedToken: refreshedTokens.access_token };
  },
};

for (const issuerKind of ["the built-in issuer", "a separate issuer"]) {
  describe(`OAuth clients, with sign-in at ${issuerKind}`, () => {
    let issuer: TestIssuer | undefined;
    let server: SignInServer;
    let close: () => Promise<void>;
    before(async () => {
      const base = await findFreeBaseUrl();
      if (issuerKind === "a separate issuer")
        issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
      const location = await createTemporaryDatabase("sqlite");
      const database = await openDatabase({ ...location, log: silentLog });
      const deps = createDeps(database, systemClock);
      server = await startSignInServer({ deps, base, identityProviders: issuer ? [issuer.settings] : [] });
      close = async () => {
        await server.close();
        await issuer?.close();
        await database.close();
        await location.remove();
      };
    });
    after(() => close());

    for (const [name, connect] of Object.entries(clients)) {
      test(`${name} discovers the server, gets and refreshes a token, and lists the tools (AUTH-1, AUTHZ-2, META-2)`, async () => {
        const { base } = server;
        const browser = createOAuthBrowser(base);
        const allowAccess: AllowAccess = async (url) => {
          const page = await openConsent(browser, url, `${name.replaceAll(" ", "-").toLowerCase()}@example.com`);
          if (issuer)
            assert.ok(page.visitedUrls.some((visitedUrl) => visitedUrl.startsWith(`${base}/api/auth/callback/oidc?`)));
          await createStudio(base, browser);
          return (await browser.submit(page, { decision: "approve" })).url;
        };
        const { accessToken, refreshedToken, listedTools } = await connect(`${base}/mcp`, allowAccess);
        assert.notEqual(refreshedToken, accessToken);
        if (listedTools) assert.deepEqual(listedTools.toSorted(), toolNames);
        for (const token of [accessToken, refreshedToken]) {
          const { status, body } = await listTools(base, token);
          assert.equal(status, 200);
          assert.deepEqual((body.result.tools as { name: string }[]).map((tool) => tool.name).toSorted(), toolNames);
        }
      });
    }
  });
}

type OAuthProvider = ReturnType<typeof createOAuthProvider>;

/** Connects a client of either version of the MCP SDK. */
async function connectSdk(
  mcpUrl: string,
  allowAccess: AllowAccess,
  auth: typeof authV1 | typeof authV2,
  connect: (provider: OAuthProvider) => Promise<ClientV1 | ClientV2>,
): Promise<ClientResult> {
  const provider = createOAuthProvider(clientMetadata.client_name, redirectUri);
  assert.equal(await auth(provider, { serverUrl: mcpUrl }), "REDIRECT");
  const { searchParams } = await allowAccess(provider.getAuthorizationUrl());
  const iss = searchParams.get("iss");
  const authorizationCode = searchParams.get("code") ?? "";
  const options = { serverUrl: mcpUrl, authorizationCode, ...(iss === null ? {} : { iss }) };
  assert.equal(await auth(provider, options), "AUTHORIZED");
  const accessToken = provider.getAccessToken();
  assert.equal(await auth(provider, { serverUrl: mcpUrl }), "AUTHORIZED", "with its refresh token");
  const client = await connect(provider);
  const listedTools = (await client.listTools()).tools.map(({ name }) => name);
  await client.close();
  return { accessToken, refreshedToken: provider.getAccessToken(), listedTools };
}

async function fetchResourceMetadata(mcpUrl: string): Promise<{ resource: string; authorization_servers: string[] }> {
  const challenge = (await fetch(mcpUrl, { method: "POST" })).headers.get("www-authenticate") ?? "";
  const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  return (await (await fetch(url)).json()) as { resource: string; authorization_servers: string[] };
}
