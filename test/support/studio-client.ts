import { signIn } from "./http-browser.ts";
import { callModern, type McpCaller } from "./mcp.ts";
import {
  connectClient,
  createStudio,
  refreshTokens,
  createOAuthBrowser,
  type ConnectedClient,
  type OAuthClient,
  type Tokens,
} from "./oauth-client.ts";

/** A user with a studio and an AI client's tokens, created through the pages of a running service. */
export interface StudioClient extends Pick<ConnectedClient, "browser" | "client" | "tokens"> {
  studioId: string;
  /** The endpoint with the current access token. */
  caller: Readonly<McpCaller>;
  /** Calls a tool with protocol version 2026-07-28; throws if the call fails. */
  call<T = any>(tool: string, input?: Record<string, unknown>): Promise<T>;
  /** Calls the API of the web app in the user's session; throws if the call fails. `path` follows `/api`. */
  callApi<T = any>(method: string, path: string, body?: unknown): Promise<T>;
  /** Connects an account of the sandbox platform, as the user would on its page. */
  connectSandbox(account: string): Promise<void>;
  /** Refreshes the tokens, like a client that runs for more than an hour. */
  refreshTokens(): Promise<void>;
}

/** Registers a new OAuth client unless one is passed. */
export async function newStudioClient(
  base: string,
  email = "someone@example.com",
  client?: OAuthClient,
): Promise<StudioClient> {
  const browser = createOAuthBrowser(base);
  await signIn(base, email, browser);
  const studioId = await createStudio(base, browser);
  const connection = await connectClient(base, { browser, email, ...(client ? { client } : {}) });
  const caller = { url: `${base}/mcp`, token: connection.tokens.access_token };
  let refreshToken = connection.tokens.refresh_token;

  async function callApi<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await browser.send(`${base}/api${path}`, {
      method,
      headers: { "content-type": "application/json", origin: base, "sec-fetch-site": "same-origin" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }

  return {
    ...connection,
    studioId,
    caller,
    async call<T>(tool: string, input: Record<string, unknown> = {}) {
      const { status, text, json } = await callModern(caller, "tools/call", { name: tool, arguments: input });
      if (status !== 200 || json.result.isError) throw new Error(`${tool}: ${status} ${text}`);
      return json.result.structuredContent as T;
    },
    callApi,
    async connectSandbox(account) {
      const path = `/studios/${studioId}/platforms/connect`;
      const { connectUrl } = await callApi<{ connectUrl: string }>("POST", path, { platform: "sandbox" });
      const page = await browser.submit(await browser.open(connectUrl));
      await browser.submit(page, { account, decision: "allow" });
    },
    async refreshTokens() {
      const { status, text, body } = await refreshTokens(base, connection.client, refreshToken);
      if (status !== 200) throw new Error(`refresh: ${status} ${text}`);
      const tokens = body as Tokens;
      [caller.token, refreshToken] = [tokens.access_token, tokens.refresh_token];
    },
  };
}
