import type { IncomingHttpHeaders } from "node:http";
import { after, before } from "node:test";
import { createAuthenticator } from "#auth/authenticate.ts";
import { createMetrics } from "#http/health-routes.ts";
import { createMcpRoute } from "#http/mcp-route.ts";
import { createHttpServer } from "#http/server.ts";
import { createMcpEndpoint, type McpEndpoint } from "#mcp/endpoint.ts";
import type { Extension } from "#mcp/extension.ts";
import type { Tool } from "#mcp/define-tool.ts";
import { tools as productTools } from "#mcp/tool-list.ts";
import { type CallLimitCheck, unlimitedCalls } from "#domain/access/call-limiter.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { Log } from "#lib/log.ts";
import { silentLog } from "./engines.ts";
import { listenLocally } from "./local-server.ts";
import { createTestGrant, type TestGrant } from "./tokens.ts";
import { newStudio } from "./users.ts";

export interface TestMcpServer {
  url: string;
  endpoint: McpEndpoint;
  close(): Promise<void>;
}

interface McpServerOptions {
  tools?: readonly Tool[];
  extension?: Extension;
  chatAppHtml?: string;
  checkMessageLimit?: CallLimitCheck;
  checkCallLimit?: CallLimitCheck;
  log?: Log;
}

/** Starts an HTTP server with only the MCP endpoint, on a real socket and a real database. */
export async function startMcpServer({ deps }: { deps: Deps }, options: McpServerOptions = {}): Promise<TestMcpServer> {
  const endpoint = createMcpEndpoint({
    deps,
    authenticate: createAuthenticator(deps, silentLog),
    tools: options.tools ?? productTools,
    log: options.log ?? silentLog,
    checkMessageLimit: options.checkMessageLimit ?? unlimitedCalls.check,
    checkCallLimit: options.checkCallLimit ?? unlimitedCalls.check,
    recordCall: () => {},
    version: "0.0.0-test",
    chatAppHtml: options.chatAppHtml,
    extension: options.extension,
  });
  // The real HTTP server, with the guards of the product.
  const urls = { base: deps.baseUrl, uploadPage: deps.baseUrl, isLoopback: true, mcpOrigins: [] };
  const { nodeServer } = createHttpServer({
    routes: () => [createMcpRoute(endpoint, deps.baseUrl)],
    urls,
    metrics: createMetrics(silentLog),
    newId: deps.newId,
    log: silentLog,
  });
  const { url, close } = await listenLocally(nodeServer);
  return {
    url: `${url}/mcp`,
    endpoint,
    close: async () => {
      endpoint.streamSlots.close();
      void endpoint.tasks.drain();
      await endpoint.tasks.stopAll();
      await close();
    },
  };
}

/** Starts a server before the tests of a suite and closes it after them. Its fields are set before the first test. */
export function useMcpServer(fixture: { deps: Deps }, options?: McpServerOptions): TestMcpServer {
  const server = {} as TestMcpServer;
  before(async () => void Object.assign(server, await startMcpServer(fixture, options)));
  after(() => server.close());
  return server;
}

export interface TestMcpClient extends TestGrant {
  owner: Caller;
  caller: McpCaller & { token: string };
  /** Calls a tool in protocol version 2026-07-28. */
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
}

/** Creates a client of this user, by default of the owner of a new studio. */
export async function newMcpClient(
  { deps }: { deps: Deps },
  { url }: Pick<TestMcpServer, "url">,
  user?: Caller,
  options?: Parameters<typeof createTestGrant>[2],
): Promise<TestMcpClient> {
  const owner = user ?? (await newStudio(deps));
  const grant = await createTestGrant(deps, owner, options);
  const caller = { url, token: grant.token };
  return {
    ...grant,
    owner,
    caller,
    call: async (name, args = {}) => (await callModern(caller, "tools/call", { name, arguments: args })).json.result,
  };
}

interface NamedRef {
  id: string;
  name: string;
}

/** The fields of all results that tests read; a missing field fails the test's assertion. */
interface StructuredResult {
  code: string;
  message: string;
  hint: string;
  id: string;
  title: string;
  body: string;
  revision: number;
  validation: unknown[];
  publications: unknown[];
  user: NamedRef & { email: string | null };
  studio: NamedRef;
  role: string;
  scopes: string[];
  client: NamedRef;
  limits: {
    inlineBytes: number;
    kinds: Record<"image" | "video" | "document", { mimeTypes: string[]; maxBytes: number }>;
  };
  activity: { action: string; client: NamedRef | null }[];
}

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: string; additionalProperties: boolean };
  outputSchema: { type: string };
  annotations: Record<string, boolean | string>;
}

export interface Result {
  content: [{ text: string }];
  structuredContent: StructuredResult;
  isError?: boolean;
  tools: ListedTool[];
  instructions: string;
  protocolVersion: string;
  resultType: string;
  ttlMs?: number;
  cacheScope?: string;
  _meta: { "atelier/studio": NamedRef; "io.modelcontextprotocol/serverInfo": { name: string } };
}

/** A JSON-RPC message, typed as if every field were present. */
export interface Message {
  id: string | number | null;
  result: Result;
  error: { code: number; message: string; data: unknown };
}

export interface McpResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The last message of the body. */
  json: Message;
  /** All messages, if the body is a batch or an event stream. */
  messages: Message[];
}

export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The `_meta` of a client that shows in-chat apps. */
export const appsMeta = {
  "io.modelcontextprotocol/clientCapabilities": {
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  },
};

export interface McpCaller {
  url: string;
  token?: string | undefined;
  session?: string | undefined;
}

/** Sends a POST with any body. */
export async function postMcp(
  { url, token, session }: McpCaller,
  body: string | Uint8Array | ReadableStream,
  headers: IncomingHttpHeaders | Record<string, string> = {},
): Promise<McpResponse> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...(headers as Record<string, string>),
    },
    body,
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  });
  return toMcpResponse(response);
}

async function toMcpResponse(response: Response): Promise<McpResponse> {
  const text = await response.text();
  const isEventStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const parsed = isEventStream
    ? text
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => tryParse(line.slice(6)))
    : tryParse(text);
  const messages = (Array.isArray(parsed) ? parsed : [parsed]) as Message[];
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: messages.at(-1) ?? ({} as Message),
    messages,
  };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Creates a request of protocol version 2026-07-28, with its required headers and metadata. */
export function createModernRequest(
  { token }: Pick<McpCaller, "token">,
  method: string,
  params: Record<string, unknown> = {},
  id: string | number = 1,
): { headers: Record<string, string>; body: string } {
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  const _meta = { ...modernMeta, ...(params["_meta"] as object | undefined) };
  return {
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
  };
}

/** Sends a request in protocol version 2026-07-28. */
export function callModern(
  caller: McpCaller,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  id: string | number = 1,
): Promise<McpResponse> {
  const request = createModernRequest(caller, method, params, id);
  return postMcp(caller, request.body, { ...request.headers, ...headers });
}

/** Sends a request in protocol version 2025-11-25. */
export function callLegacy(
  caller: McpCaller,
  method: string,
  params?: Record<string, unknown>,
  headers: Record<string, string> = {},
  id: string | number = 1,
): Promise<McpResponse> {
  return postMcp(caller, JSON.stringify({ jsonrpc: "2.0", id, method, params }), {
    ...(method === "initialize" ? {} : { "mcp-protocol-version": "2025-11-25" }),
    ...headers,
  });
}

/** Opens a session of a 2025 protocol version. */
export async function initialize(
  caller: McpCaller,
  protocolVersion = "2025-11-25",
): Promise<{ session: string; response: McpResponse }> {
  const response = await callLegacy(caller, "initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error(`no session: ${response.status} ${response.text}`);
  return { session, response };
}
