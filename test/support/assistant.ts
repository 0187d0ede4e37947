import { auth, Client, StreamableHTTPClientTransport, type OAuthClientProvider } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import type { Page } from "playwright-core";

const redirectUrl = "http://127.0.0.1:53998/callback";

/** A real MCP client, let in by a person at a real browser. */
export interface Assistant {
  call(tool: string, input?: Record<string, unknown>): Promise<Record<string, any>>;
  /** What the server answers to its next call, before it tries to help itself with its refresh token. */
  nextStatus(): Promise<number>;
  /** Connects anew with what it was given, as a client does when it is started again. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Knows nothing but the address of the MCP endpoint; `page` is where its person is signed in. */
export async function connectAssistant(mcp: string, page: Page, name: string): Promise<Assistant> {
  const provider = createMemory(name);
  assert.equal(await auth(provider, { serverUrl: mcp }), "REDIRECT");
  const back = page.waitForRequest((request) => request.url().startsWith(redirectUrl));
  await page.goto(provider.opened());
  await page.getByRole("button", { name: "Approve" }).click();
  const { searchParams } = new URL((await back).url());
  const iss = searchParams.get("iss");
  const authorizationCode = searchParams.get("code") ?? "";
  assert.equal(await auth(provider, { serverUrl: mcp, authorizationCode, ...(iss ? { iss } : {}) }), "AUTHORIZED");
  let client = await connect(mcp, provider);
  return {
    async call(tool, input = {}) {
      const result = await client.callTool({ name: tool, arguments: input });
      return result.structuredContent as Record<string, unknown>;
    },
    async nextStatus() {
      const authorization = `Bearer ${provider.access()}`;
      const { status, body } = await fetch(mcp, { method: "POST", headers: { authorization } });
      await body?.cancel();
      return status;
    },
    async reconnect() {
      await client.close();
      client = await connect(mcp, provider);
    },
    close: () => client.close(),
  };
}

async function connect(mcp: string, authProvider: OAuthClientProvider): Promise<Client> {
  const client = new Client({ name: "assistant", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { authProvider }));
  return client;
}

function createMemory(name: string): OAuthClientProvider & { opened(): string; access(): string } {
  let opened = "";
  let verifier = "";
  const kept = new Map<"client" | "tokens", unknown>();
  return {
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.get("client") as never,
    saveClientInformation: (client) => void kept.set("client", client),
    tokens: () => kept.get("tokens") as never,
    saveTokens: (tokens) => void kept.set("tokens", tokens),
    redirectToAuthorization: (url) => void (opened = url.href),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    opened: () => opened,
    access: () => (kept.get("tokens") as { access_token: string }).access_token,
  };
}
