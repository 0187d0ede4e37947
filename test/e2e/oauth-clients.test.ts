import {
  auth as auth2,
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from "@modelcontextprotocol/client";
import { auth as auth1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as oauth from "oauth4webapi";
import * as oidc from "openid-client";
import { tools } from "#mcp/tool-list.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "../support/engines.ts";
import { openDatabase } from "#db/open-database.ts";
import { callMcp, createStudio, openConsent, createOAuthBrowser } from "../support/oauth-client.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl } from "../support/service.ts";

const redirectUri = "http://127.0.0.1:53999/callback";
const metadata = {
  client_name: "A strict client",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};
const toolNames = tools.map(({ name }) => name).toSorted();

/** What a person does once the client has opened the address: signs in, has a studio, approves. */
type Person = (authorizationUrl: string) => Promise<URL>;

interface Got {
  access: string;
  refreshed: string;
  /** The tools as the client itself lists them, where it is an MCP client. */
  listed?: string[];
}

/** Everything that is known beforehand is the address of the MCP endpoint. */
const clients: Record<string, (mcp: string, person: Person) => Promise<Got>> = {
  async "SDK 2.4"(mcp, person) {
    const memory = createMemory();
    assert.equal(await auth2(memory, { serverUrl: mcp }), "REDIRECT");
    const back = await person(memory.opened());
    const iss = back.searchParams.get("iss") ?? undefined;
    const authorizationCode = back.searchParams.get("code") ?? "";
    assert.equal(await auth2(memory, { serverUrl: mcp, authorizationCode, ...(iss ? { iss } : {}) }), "AUTHORIZED");
    const access = memory.access();
    assert.equal(await auth2(memory, { serverUrl: mcp }), "AUTHORIZED", "by its refresh token");
    const client = new Client2({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new Transport2(new URL(mcp), { authProvider: memory }));
    const listed = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
    return { access, refreshed: memory.access(), listed };
  },

  async "SDK 1.32"(mcp, person) {
    const memory = createMemory();
    assert.equal(await auth1(memory, { serverUrl: mcp }), "REDIRECT");
    const back = await person(memory.opened());
    const authorizationCode = back.searchParams.get("code") ?? "";
    assert.equal(await auth1(memory, { serverUrl: mcp, authorizationCode }), "AUTHORIZED");
    const access = memory.access();
    assert.equal(await auth1(memory, { serverUrl: mcp }), "AUTHORIZED", "by its refresh token");
    const client = new Client1({ name: "test", version: "1" });
    const transport = new Transport1(new URL(mcp), { authProvider: memory });
    await client.connect(transport as Parameters<Client1["connect"]>[0]);
    const listed = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
    return { access, refreshed: memory.access(), listed };
  },

  async "openid-client"(mcp, person) {
    const { resource, authorization_servers: servers } = await protectedResource(mcp);
    const options = { execute: [oidc.allowInsecureRequests] };
    const config = await oidc.dynamicClientRegistration(new URL(servers[0] ?? ""), metadata, oidc.None(), options);
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
    const back = await person(url.href);
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(config, back, checks);
    assert.match(tokens.claims()?.sub ?? "", /^usr_/);
    const again = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "", { resource });
    return { access: tokens.access_token, refreshed: again.access_token };
  },

  async oauth4webapi(mcp, person) {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const found = await oauth.resourceDiscoveryRequest(new URL(mcp), insecure);
    const resource = await oauth.processResourceDiscoveryResponse(new URL(mcp), found);
    const issuer = new URL(resource.authorization_servers?.[0] ?? "");
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }),
    );
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, metadata, insecure),
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
    const answer = oauth.validateAuthResponse(server, client, await person(url.href), state);
    const none = oauth.None();
    const granted = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      none,
      answer,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, granted);
    const renewed = await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token ?? "", insecure);
    const again = await oauth.processRefreshTokenResponse(server, client, renewed);
    const ended = await oauth.revocationRequest(server, client, none, "never given out", insecure);
    await oauth.processRevocationResponse(ended);
    return { access: tokens.access_token, refreshed: again.access_token };
  },
};

for (const issuerKind of ["the built-in issuer", "a separate issuer"]) {
  describe(`oauth clients, sign-in at ${issuerKind}`, () => {
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
      test(`${name}: from nothing to a token, through a refresh, to the tools (AUTH-1, AUTHZ-2, META-2)`, async () => {
        const { base } = server;
        const browser = createOAuthBrowser(base);
        const person: Person = async (url) => {
          const page = await openConsent(browser, url, `${name.replaceAll(" ", "-").toLowerCase()}@example.com`);
          if (issuer) assert.ok(page.redirects.some((one) => one.startsWith(`${base}/api/auth/callback/oidc?`)));
          await createStudio(base, browser);
          return (await browser.submit(page, { decision: "approve" })).url;
        };
        const { access, refreshed, listed } = await connect(`${base}/mcp`, person);
        assert.notEqual(refreshed, access);
        if (listed) assert.deepEqual(listed.toSorted(), toolNames);
        for (const token of [access, refreshed]) {
          const { status, body } = await callMcp(base, token);
          assert.equal(status, 200);
          assert.deepEqual((body.result.tools as { name: string }[]).map((tool) => tool.name).toSorted(), toolNames);
        }
      });
    }
  });
}

async function protectedResource(mcp: string): Promise<{ resource: string; authorization_servers: string[] }> {
  const challenge = (await fetch(mcp, { method: "POST" })).headers.get("www-authenticate") ?? "";
  const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  return (await (await fetch(address)).json()) as { resource: string; authorization_servers: string[] };
}

/** What the SDKs ask a program to remember for them; the same for both lines. */
function createMemory() {
  const kept = new Map<string, unknown>();
  let opened: URL | undefined;
  const read = <T>(name: string): T | undefined => kept.get(name) as T | undefined;
  return {
    redirectUrl: redirectUri,
    clientMetadata: metadata,
    clientInformation: () => read<{ client_id: string }>("client"),
    saveClientInformation: (client: { client_id: string }) => void kept.set("client", client),
    tokens: () => read<{ access_token: string; token_type: string; refresh_token?: string }>("tokens"),
    saveTokens: (tokens: { access_token: string; token_type: string }) => void kept.set("tokens", tokens),
    redirectToAuthorization: (url: URL) => void (opened = url),
    saveCodeVerifier: (verifier: string) => void kept.set("verifier", verifier),
    codeVerifier: () => read<string>("verifier") ?? "",
    saveDiscoveryState: (state: { authorizationServerUrl: string }) => void kept.set("discovery", state),
    discoveryState: () => read<{ authorizationServerUrl: string }>("discovery"),
    opened: () => opened?.href ?? "",
    access: () => read<{ access_token: string }>("tokens")?.access_token ?? "",
  };
}
