import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createAuthenticate } from "#auth/authenticate.ts";
import { createMetrics } from "#http/metrics.ts";
import { mcpRoute } from "#http/mcp-route.ts";
import { createEdge } from "#http/server.ts";
import { createMcpEndpoint, type McpEndpoint } from "#mcp/endpoint.ts";
import type { Extension } from "#mcp/exchange.ts";
import type { Tool } from "#mcp/tool.ts";
import { tools as productTools } from "#mcp/tools.ts";
import { noLimit, type CountCall } from "#domain/access/call-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { createSigner } from "#lib/signed-token.ts";
import type { Log } from "#lib/log.ts";
import { silent } from "./engines.ts";

export interface McpServer {
  url: string;
  endpoint: McpEndpoint;
  close(): Promise<void>;
}

/** The endpoint behind a plain `node:http` server: a real socket, a real database, nobody in between. */
export async function startMcp(
  { deps }: { deps: Deps },
  options: { tools?: readonly Tool[]; extension?: Extension; countCall?: CountCall; log?: Log } = {},
): Promise<McpServer> {
  const endpoint = createMcpEndpoint({
    deps,
    authenticate: createAuthenticate(deps, silent),
    tools: options.tools ?? productTools,
    signer: createSigner(["a secret of at least thirty-two bytes"], deps.clock),
    log: options.log ?? silent,
    countCall: options.countCall ?? noLimit,
    noteCall: () => {},
    version: "0.0.0-test",
    extension: options.extension,
  });
  // The guards of the real door stand in front, as they will in the product.
  const addresses = { base: deps.base, uploadPage: deps.base, loopback: true, mcpOrigins: [] };
  const { server } = createEdge({
    routes: () => [mcpRoute(endpoint)],
    addresses,
    metrics: createMetrics(silent),
    newId: deps.newId,
    log: silent,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    endpoint,
    close: async () => {
      endpoint.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Named {
  id: string;
  name: string;
}

/** The fields of all results that tests look at; one that is not there fails its assertion. */
interface Structured {
  code: string;
  message: string;
  hint: string;
  id: string;
  title: string;
  body: string;
  revision: number;
  validation: unknown[];
  user: Named & { email: string | null };
  studio: Named;
  role: string;
  scopes: string[];
  client: Named;
  limits: {
    inlineBytes: number;
    kinds: Record<"image" | "video" | "document", { mimeTypes: string[]; maxBytes: number }>;
  };
  activity: { action: string; client: Named | null }[];
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
  structuredContent: Structured;
  isError?: boolean;
  tools: ListedTool[];
  instructions: string;
  protocolVersion: string;
  resultType: string;
  ttlMs?: number;
  cacheScope?: string;
  _meta: { "atelier/studio": Named; "io.modelcontextprotocol/serverInfo": { name: string } };
}

/** A JSON-RPC message as tests read it: as if every field were there. */
export interface Message {
  id: string | number | null;
  result: Result;
  error: { code: number; message: string; data: unknown };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The message of the body. */
  json: Message;
  /** All of them, where it was a batch or an event stream. */
  messages: Message[];
}

export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface Caller {
  url: string;
  token?: string | undefined;
  session?: string | undefined;
}

/** Any POST, as raw as a test wants it. */
export async function post(
  { url, token, session }: Caller,
  body: string | Uint8Array | ReadableStream,
  headers: IncomingHttpHeaders | Record<string, string> = {},
): Promise<Answer> {
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
  return toAnswer(response);
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const stream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const found = stream
    ? text
        .split("\n")
        .filter((one) => one.startsWith("data: "))
        .map((one) => tryParse(one.slice(6)))
    : tryParse(text);
  const messages = (Array.isArray(found) ? found : [found]) as Message[];
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

/** A request of the new wire, with everything it must carry. */
export function modern(
  caller: Caller,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  id: string | number = 1,
): Promise<Answer> {
  const name = params["name"] ?? params["uri"];
  return post(caller, JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: modernMeta } }), {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers,
  });
}

/** A request of the 2025 wire. */
export function legacy(
  caller: Caller,
  method: string,
  params?: Record<string, unknown>,
  headers: Record<string, string> = {},
  id: string | number = 1,
): Promise<Answer> {
  return post(caller, JSON.stringify({ jsonrpc: "2.0", id, method, params }), {
    ...(method === "initialize" ? {} : { "mcp-protocol-version": "2025-11-25" }),
    ...headers,
  });
}

/** Opens a session of the 2025 wire. */
export async function initialize(
  caller: Caller,
  protocolVersion = "2025-11-25",
): Promise<{ session: string; answer: Answer }> {
  const answer = await legacy(caller, "initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const session = answer.headers.get("mcp-session-id");
  if (session === null) throw new Error(`no session: ${answer.status} ${answer.text}`);
  return { session, answer };
}
