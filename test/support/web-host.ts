import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { documentLimits } from "#auth/provider.ts";
import {
  createPublicFetch,
  createPublicUrlOpener,
  type PublicUrlOpener,
  type PublicHostOptions,
  type PublicFetch,
} from "#lib/public-fetch.ts";
import { createCertificate } from "./certificate.ts";
import { listenLocally } from "./local-server.ts";

type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * A local https server for imports and client metadata documents. It represents public hosts with the names passed to
 * `startWebHost`.
 */
export interface WebHost {
  url(path: string, host?: string): string;
  /** Sets the response for a path: a handler, or an object to send as JSON. Other paths respond with 404. */
  serve(path: string, handler: RequestHandler | object): void;
  /** Serves bytes, with this content type if one is passed. */
  serveFile(path: string, content: Uint8Array, type?: string): void;
  /** The number of requests per path. */
  requestCounts: Map<string, number>;
  /** The number of connections accepted so far. */
  readonly connectionCount: number;
  /** The product's URL opener, which resolves every name to this server and trusts its certificate. */
  createOpener(options?: PublicHostOptions & { timeoutMs?: number }): PublicUrlOpener;
  /** The product's fetch for client metadata documents, on the same test network. */
  createFetch(options?: PublicHostOptions & { timeoutMs?: number }): PublicFetch;
  close(): Promise<void>;
}

export async function startWebHost(names: [string, ...string[]] = ["files.test", "other.test"]): Promise<WebHost> {
  const { key, cert } = createCertificate(names);
  const handlers = new Map<string, RequestHandler>();
  const requestCounts = new Map<string, number>();
  let connectionCount = 0;
  const server = createServer({ key, cert }, (req, res) => {
    const path = req.url ?? "";
    requestCounts.set(path, (requestCounts.get(path) ?? 0) + 1);
    const handler = handlers.get(path);
    if (handler) handler(req, res);
    else res.writeHead(404).end();
  });
  server.on("connection", () => void connectionCount++);
  const { port, close } = await listenLocally(server);
  const testNetwork = {
    tls: { ca: cert },
    resolve: async () => ["127.0.0.1"],
    isAllowed: (ip: string) => ip === "127.0.0.1",
  };
  const host: WebHost = {
    requestCounts,
    get connectionCount() {
      return connectionCount;
    },
    url: (path, name = names[0]) => `https://${name}:${port}${path}`,
    serve(path, handler) {
      const json: RequestHandler = (_req, res) =>
        void res.setHeader("content-type", "application/json").end(JSON.stringify(handler));
      handlers.set(path, typeof handler === "function" ? (handler as RequestHandler) : json);
    },
    serveFile: (path, content, type) =>
      host.serve(path, (_req: IncomingMessage, res: ServerResponse) => {
        res.writeHead(200, {
          ...(type === undefined ? {} : { "content-type": type }),
          "content-length": content.length,
        });
        res.end(content);
      }),
    createOpener: ({ timeoutMs = 20_000, ...options } = {}) =>
      createPublicUrlOpener({ timeoutMs, maxRedirects: 5, accept: "*/*", ...testNetwork, ...options }),
    createFetch: (options = {}) =>
      createPublicFetch({ ...documentLimits, timeoutMs: 20_000, ...testNetwork, ...options }),
    close,
  };
  return host;
}
