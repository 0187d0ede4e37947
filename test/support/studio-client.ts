import { signIn } from "./http-browser.ts";
import { callModern } from "./mcp.ts";
import {
  connectClient,
  createStudio,
  refreshTokens,
  createOAuthBrowser,
  type Connection,
  type OAuthClient,
  type Tokens,
} from "./oauth-client.ts";

/** A user with a studio and an AI client's tokens, created through the pages of a running service. */
export interface StudioClient extends Pick<Connection, "browser" | "client" | "tokens"> {
  studioId: string;
  /** Calls a tool with protocol version 2026-07-28; throws if the call fails. */
  call<T = any>(tool: string, input?: Record<string, unknown>): Promise<T>;
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
  return {
    ...connection,
    studioId,
    async call<T>(tool: string, input: Record<string, unknown> = {}) {
      const { status, text, json } = await callModern(caller, "tools/call", { name: tool, arguments: input });
      if (status !== 200 || json.result.isError) throw new Error(`${tool}: ${status} ${text}`);
      return json.result.structuredContent as T;
    },
    async refreshTokens() {
      const { status, text, body } = await refreshTokens(base, connection.client, refreshToken);
      if (status !== 200) throw new Error(`refresh: ${status} ${text}`);
      const tokens = body as Tokens;
      [caller.token, refreshToken] = [tokens.access_token, tokens.refresh_token];
    },
  };
}
