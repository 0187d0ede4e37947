import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createPublicFetch } from "#lib/public-fetch.ts";
import { documentLimits } from "#auth/provider.ts";
import { makeCertificate } from "./certificate.ts";

/** A client's own https server, where its metadata document is, and our fetch as it sees it. */
export interface DocumentServer {
  /** An address of it, by a name that only our fetch can look up. */
  url(path: string): string;
  /** What it answers there; a path nobody set is 404. */
  serve(path: string, answer: object | ((req: IncomingMessage, res: ServerResponse) => void)): void;
  /** Connections it has taken so far. */
  readonly connections: number;
  /** The product's fetch, with the names and the authority of this server; addresses are judged as given. */
  fetchWith(options?: {
    isAllowed?: (address: string) => boolean;
    resolve?: (host: string) => Promise<string[]>;
  }): (url: string) => Promise<Response>;
  close(): Promise<void>;
}

const host = "client.test";

export async function startDocumentServer(): Promise<DocumentServer> {
  const { key, cert } = makeCertificate([host]);
  const answers = new Map<string, (req: IncomingMessage, res: ServerResponse) => void>();
  let connections = 0;
  const server: Server = createServer({ key, cert }, (req, res) => {
    const answer = answers.get(req.url ?? "");
    if (answer) answer(req, res);
    else res.writeHead(404).end();
  });
  server.on("connection", () => void connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `https://${host}:${port}${path}`,
    serve(path, answer) {
      const json = (_req: IncomingMessage, res: ServerResponse) =>
        void res.setHeader("content-type", "application/json").end(JSON.stringify(answer));
      answers.set(path, typeof answer === "function" ? (answer as typeof json) : json);
    },
    get connections() {
      return connections;
    },
    fetchWith: (options = {}) =>
      createPublicFetch({
        ...documentLimits,
        tls: { ca: cert },
        resolve: async () => ["127.0.0.1"],
        isAllowed: (address) => address === "127.0.0.1",
        ...options,
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
