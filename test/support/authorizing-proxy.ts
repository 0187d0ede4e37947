import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  url: string;
  close(): Promise<void>;
}

/** Adds a bearer token to whatever passes, for clients that cannot; Host and Origin go through as they came. */
export async function startAuthorizingProxy(target: string, token: string): Promise<Proxy> {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((req, res) => {
    const headers = { ...req.headers, authorization: `Bearer ${token}` };
    const onward = request({ hostname, port, path: pathname, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy());
    res.on("close", () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
