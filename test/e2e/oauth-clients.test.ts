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
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { tools } from "#mcp/tool-list.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "../support/engines.ts";
import { openDatabase } from "#db/open-database.ts";
import { listTools, createStudio, openConsent, createOAuthBrowser } from "../support/oauth-client.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl } from "../support/service.ts";

const redirectUri = "http://127.0.0.1:53999/callback";
const clientMetadata = {
  client_name: "A strict client",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};
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
  async "SDK 2.4"(mcpUrl, allowAccess) {
    const provider = createMemoryProvider();
    assert.equal(await authV2(provider, { serverUrl: mcpUrl }), "REDIRECT");
    const redirect = await allowAccess(provider.getOpenedUrl());
    const iss = redirect.searchParams.get("iss") ?? undefined;
    const authorizationCode = redirect.searchParams.get("code") ?? "";
    assert.equal(
      await authV2(provider, { serverUrl: mcpUrl, authorizationCode, ...(iss ? { iss } : {}) }),
      "AUTHORIZED",
    );
    const accessToken = provider.getAccessToken();
    assert.equal(await authV2(provider, { serverUrl: mcpUrl }), "AUTHORIZED", "with its refresh token");
    const client = new ClientV2({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new TransportV2(new URL(mcpUrl), { authProvider: provider }));
    const listedTools = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
    return { accessToken, refreshedToken: provider.getAccessToken(), listedTools };
  },

  async "SDK 1.32"(mcpUrl, allowAccess) {
    const provider = createMemoryProvider();
    assert.equal(await authV1(provider, { serverUrl: mcpUrl }), "REDIRECT");
    const redirect = await allowAccess(provider.getOpenedUrl());
    const authorizationCode = redirect.searchParams.get("code") ?? "";
    assert.equal(await authV1(provider, { serverUrl: mcpUrl, authorizationCode }), "AUTHORIZED");
    const accessToken = provider.getAccessToken();
    assert.equal(await authV1(provider, { serverUrl: mcpUrl }), "AUTHORIZED", "with its refresh token");
    const client = new ClientV1({ name: "test", version: "1" });
    const transport = new TransportV1(new URL(mcpUrl), { authProvider: provider });
    await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
    const listedTools = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
    return { accessToken, refreshedToken: provider.getAccessToken(), listedTools };
  },

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
    return { accessToken: tokens.access_token, refreshedToken: refreshedTokens.access_token };
  },

  async oauth4webapi(mcpUrl, allowAccess) {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const resourceResponse = await oauth.resourceDiscoveryRequest(new URL(mcpUrl), insecure);
    const resource = await oauth.processResourceDiscoveryResponse(new URL(mcpUrl), resourceResponse);
    const issuer = new URL(resource.authorization_servers?.[0] ?? "");
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
    );
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, clientMetadata, insecure),
    );
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint ?? "");
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
      resource: resource.resource,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    const authResponse = oauth.validateAuthResponse(server, client, await allowAccess(url.href), state);
    const noClientAuth = oauth.None();
    const codeResponse = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      noClientAuth,
      authResponse,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, codeResponse);
    const refreshResponse = await oauth.refreshTokenGrantRequest(
      server,
      client,
      noClientAuth,
      tokens.refresh_token ?? "",
      insecure,
    );
    const refreshedTokens = await oauth.processRefreshTokenResponse(server, client, refreshResponse);
    const revocation = await oauth.revocationRequest(server, client, noClientAuth, "never issued", insecure);
    await oauth.processRevocationResponse(revocation);
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
      const deps = createDeps(database, () => Date.now());
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

async function fetchResourceMetadata(mcpUrl: string): Promise<{ resource: string; authorization_servers: string[] }> {
  const challenge = (await fetch(mcpUrl, { method: "POST" })).headers.get("www-authenticate") ?? "";
  const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  return (await (await fetch(url)).json()) as { resource: string; authorization_servers: string[] };
}

/** An OAuth client provider for both SDK versions that stores its state in memory. */
function createMemoryProvider() {
  const store = new Map<string, unknown>();
  let openedUrl: URL | undefined;
  const read = <T>(name: string): T | undefined => store.get(name) as T | undefined;
  return {
    redirectUrl: redirectUri,
    clientMetadata,
    clientInformation: () => read<{ client_id: string }>("client"),
    saveClientInformation: (client: { client_id: string }) => void store.set("client", client),
    tokens: () => read<{ access_token: string; token_type: string; refresh_token?: string }>("tokens"),
    saveTokens: (tokens: { access_token: string; token_type: string }) => void store.set("tokens", tokens),
    redirectToAuthorization: (url: URL) => void (openedUrl = url),
    saveCodeVerifier: (verifier: string) => void store.set("verifier", verifier),
    codeVerifier: () => read<string>("verifier") ?? "",
    saveDiscoveryState: (state: { authorizationServerUrl: string }) => void store.set("discovery", state),
    discoveryState: () => read<{ authorizationServerUrl: string }>("discovery"),
    getOpenedUrl: () => openedUrl?.href ?? "",
    getAccessToken: () => read<{ access_token: string }>("tokens")?.access_token ?? "",
  };
}
