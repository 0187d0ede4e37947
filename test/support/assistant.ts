import { auth, Client, StreamableHTTPClientTransport, type OAuthClientProvider } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { listenLocally } from "./local-server.ts";

/** An AI client that uses the MCP SDK, with a grant that a user gave on the consent page in a real browser. */
export interface Assistant {
  /** Throws if the call fails. */
  call(tool: string, input?: Record<string, unknown>): Promise<Record<string, any>>;
  /** Returns the status of a call with the current access token, without refreshing it. */
  getCallStatus(): Promise<number>;
  /** Connects again with the stored tokens, as a client does after a restart. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Connects a client that knows only the URL of the MCP endpoint; the user is signed in on `page`. */
export async function connectAssistant(mcpUrl: string, page: Page, name: string): Promise<Assistant> {
  const callbackServer = await listenForCallback();
  const provider = createOAuthProvider(name, callbackServer.url);
  assert.equal(await auth(provider, { serverUrl: mcpUrl }), "REDIRECT");
  await page.goto(provider.getAuthorizationUrl());
  await page.getByRole("button", { name: "Approve" }).click();
  const searchParams = await callbackServer.callbackParams;
  await page.getByText("You can close this page").waitFor();
  await callbackServer.close();
  const iss = searchParams.get("iss");
  const authorizationCode = searchParams.get("code") ?? "";
  assert.equal(await auth(provider, { serverUrl: mcpUrl, authorizationCode, ...(iss ? { iss } : {}) }), "AUTHORIZED");
  let client = await connect(mcpUrl, provider);
  return {
    async call(tool, input = {}) {
      const result = await client.callTool({ name: tool, arguments: input });
      if (result.isError) throw new Error(`${tool}: ${JSON.stringify(result.content)}`);
      return result.structuredContent as Record<string, unknown>;
    },
    async getCallStatus() {
      const authorization = `Bearer ${provider.getAccessToken()}`;
      const { status, body } = await fetch(mcpUrl, { method: "POST", headers: { authorization } });
      await body?.cancel();
      return status;
    },
    async reconnect() {
      await client.close();
      client = await connect(mcpUrl, provider);
    },
    close: () => client.close(),
  };
}

/** Receives the OAuth callback on loopback, as most installed clients do. */
async function listenForCallback(): Promise<{
  url: string;
  callbackParams: Promise<URLSearchParams>;
  close(): Promise<void>;
}> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? "/", "http://127.0.0.1");
    if (pathname === "/callback") resolve(searchParams);
    res.setHeader("content-type", "text/html").end("<p>You can close this page.</p>");
  });
  const { url, close } = await listenLocally(server);
  return { url: `${url}/callback`, callbackParams: promise, close };
}

async function connect(mcpUrl: string, authProvider: OAuthClientProvider): Promise<Client> {
  const client = new Client({ name: "assistant", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider }));
  return client;
}

/** An OAuth client provider for both versions of the SDK that stores its state in memory. */
export function createOAuthProvider(name: string, redirectUrl: string) {
  let authorizationUrl = "";
  const store = new Map<string, unknown>();
  const read = <T>(key: string): T | undefined => store.get(key) as T | undefined;
  return {
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => read<{ client_id: string }>("client"),
    saveClientInformation: (client: { client_id: string }) => void store.set("client", client),
    tokens: () => read<{ access_token: string; token_type: string; refresh_token?: string }>("tokens"),
    saveTokens: (tokens: { access_token: string; token_type: string }) => void store.set("tokens", tokens),
    redirectToAuthorization: (url: URL) => void (authorizationUrl = url.href),
    saveCodeVerifier: (verifier: string) => void store.set("verifier", verifier),
    codeVerifier: () => read<string>("verifier") ?? "",
    saveDiscoveryState: (state: { authorizationServerUrl: string }) => void store.set("discovery", state),
    discoveryState: () => read<{ authorizationServerUrl: string }>("discovery"),
    getAuthorizationUrl: () => authorizationUrl,
    getAccessToken: () => read<{ access_token: string }>("tokens")?.access_token ?? "",
  };
}
