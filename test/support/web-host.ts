import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { documentLimits } from "#auth/provider.ts";
import {
  createPublicFetch,
  createPublicUrlOpener,
  type PublicUrlOpener,
  type PublicHostOptions,
  type PublicFetch,
} from "#lib/public-fetch.ts";
import { createCertificate } from "./certificate.ts";

type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;

/** Someone's https server on the web, under the names that our look-ups know it by. */
export interface WebHost {
  url(path: string, host?: string): string;
  /** What it answers there, an object as JSON; a path nobody set is 404. */
  serve(path: string, handler: RequestHandler | object): void;
  /** Serves these bytes under this type. */
  serveFile(path: string, content: Uint8Array, type?: string): void;
  /** How often each path was asked for. */
  requestCounts: Map<string, number>;
  /** Connections it has taken so far. */
  readonly connections: number;
  /** The product's opener, with this server's names and authority; addresses are judged as given. */
  createOpener(options?: PublicHostOptions & { timeoutMs?: number }): PublicUrlOpener;
  /** The same for clients' documents. */
  createFetch(options?: PublicHostOptions): PublicFetch;
  close(): Promise<void>;
}

export async function startWebHost(names: [string, ...string[]] = ["files.test", "other.test"]): Promise<WebHost> {
  const { key, cert } = createCertificate(names);
  const handlers = new Map<string, RequestHandler>();
  const requestCounts = new Map<string, number>();
  let connections = 0;
  const server = createServer({ key, cert }, (req, res) => {
    const path = req.url ?? "";
    requestCounts.set(path, (requestCounts.get(path) ?? 0) + 1);
    const handler = handlers.get(path);
    if (handler) handler(req, res);
    else res.writeHead(404).end();
  });
  server.on("connection", () => void connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const testNetwork = {
    tls: { ca: cert },
    resolve: async () => ["127.0.0.1"],
    isAllowed: (address: string) => address === "127.0.0.1",
  };
  const host: WebHost = {
    requestCounts,
    get connections() {
      return connections;
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
    createFetch: (options = {}) => createPublicFetch({ ...documentLimits, ...testNetwork, ...options }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return host;
}
