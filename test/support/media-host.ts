import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves files over http, for platforms that fetch media by URL. */
export interface MediaHost {
  /** Returns the URL of the bytes. */
  add(name: string, content: Uint8Array, type?: string): string;
  /** The URL of a file that does not exist. */
  missingUrl: string;
  close(): Promise<void>;
}

export async function startMediaHost(): Promise<MediaHost> {
  const files = new Map<string, { content: Uint8Array; type: string }>();
  const server = createServer((req, res) => {
    const file = files.get(req.url ?? "");
    if (file) res.writeHead(200, { "content-type": file.type }).end(file.content);
    else res.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    add: (name, content, type = "application/octet-stream") => {
      files.set(`/${name}`, { content, type });
      return `${origin}/${name}`;
    },
    missingUrl: `${origin}/missing`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
