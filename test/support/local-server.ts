import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  /** `http://127.0.0.1:<port>`, also of an https server. */
  url: string;
  port: number;
  /** Closes every connection; resolves when the server is closed. */
  close(): Promise<void>;
}

/** Listens on this machine, on any free port unless one is passed. */
export async function listenLocally(server: HttpServer | HttpsServer, port = 0): Promise<LocalServer> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${boundPort}`,
    port: boundPort,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
