import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { documentLimits } from "#auth/provider.ts";
import {
  createPublicFetch,
  createPublicOpener,
  type OpenPublicUrl,
  type PublicAddressOptions,
  type PublicFetch,
} from "#lib/public-fetch.ts";
import { makeCertificate } from "./certificate.ts";

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** Someone's https server on the web, under the names that our look-ups know it by. */
export interface WebHost {
  url(path: string, host?: string): string;
  /** What it answers there, an object as JSON; a path nobody set is 404. */
  serve(path: string, answer: Answer | object): void;
  /** Serves these bytes under this type. */
  serveFile(path: string, content: Uint8Array, type?: string): void;
  /** How often each path was asked for. */
  hits: Map<string, number>;
  /** Connections it has taken so far. */
  readonly connections: number;
  /** The product's opener, with this server's names and authority; addresses are judged as given. */
  openWith(options?: PublicAddressOptions & { patienceMs?: number }): OpenPublicUrl;
  /** The same for clients' documents. */
  fetchWith(options?: PublicAddressOptions): PublicFetch;
  close(): Promise<void>;
}

export async function startWebHost(names: [string, ...string[]] = ["files.test", "other.test"]): Promise<WebHost> {
  const { key, cert } = makeCertificate(names);
  const answers = new Map<string, Answer>();
  const hits = new Map<string, number>();
  let connections = 0;
  const server = createServer({ key, cert }, (req, res) => {
    const path = req.url ?? "";
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const answer = answers.get(path);
    if (answer) answer(req, res);
    else res.writeHead(404).end();
  });
  server.on("connection", () => void connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ours = {
    tls: { ca: cert },
    resolve: async () => ["127.0.0.1"],
    isAllowed: (address: string) => address === "127.0.0.1",
  };
  const host: WebHost = {
    hits,
    get connections() {
      return connections;
    },
    url: (path, name = names[0]) => `https://${name}:${port}${path}`,
    serve(path, answer) {
      const json: Answer = (_req, res) =>
        void res.setHeader("content-type", "application/json").end(JSON.stringify(answer));
      answers.set(path, typeof answer === "function" ? (answer as Answer) : json);
    },
    serveFile: (path, content, type) =>
      host.serve(path, (_req: IncomingMessage, res: ServerResponse) => {
        res.writeHead(200, {
          ...(type === undefined ? {} : { "content-type": type }),
          "content-length": content.length,
        });
        res.end(content);
      }),
    openWith: ({ patienceMs = 20_000, ...options } = {}) =>
      createPublicOpener({ patienceMs, maxRedirects: 5, accept: "*/*", ...ours, ...options }),
    fetchWith: (options = {}) => createPublicFetch({ ...documentLimits, ...ours, ...options }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return host;
}
