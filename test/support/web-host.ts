import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createPublicOpener, type OpenPublicUrl, type PublicAddressOptions } from "#lib/public-fetch.ts";
import { makeCertificate } from "./certificate.ts";

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** Someone's https server on the web, under the names that our look-ups know it by. */
export interface WebHost {
  url(path: string, host?: string): string;
  serve(path: string, answer: Answer): void;
  /** Serves these bytes under this type. */
  serveFile(path: string, content: Uint8Array, type?: string): void;
  /** How often each path was asked for. */
  hits: Map<string, number>;
  /** The product's opener, with this server's names and authority; addresses are judged as given. */
  openWith(options?: PublicAddressOptions & { patienceMs?: number }): OpenPublicUrl;
  close(): Promise<void>;
}

const names = ["files.test", "other.test"];

export async function startWebHost(): Promise<WebHost> {
  const { key, cert } = makeCertificate(names);
  const answers = new Map<string, Answer>();
  const hits = new Map<string, number>();
  const server = createServer({ key, cert }, (req, res) => {
    const path = req.url ?? "";
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const answer = answers.get(path);
    if (answer) answer(req, res);
    else res.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const host: WebHost = {
    hits,
    url: (path, name = "files.test") => `https://${name}:${port}${path}`,
    serve: (path, answer) => void answers.set(path, answer),
    serveFile: (path, content, type) =>
      host.serve(path, (_req, res) => {
        res.writeHead(200, {
          ...(type === undefined ? {} : { "content-type": type }),
          "content-length": content.length,
        });
        res.end(content);
      }),
    openWith: ({ patienceMs = 20_000, ...options } = {}) =>
      createPublicOpener({
        patienceMs,
        maxRedirects: 5,
        accept: "*/*",
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
  return host;
}
