import { createServer, request } from "node:http";
import { listenLocally } from "./local-server.ts";

export interface AuthorizingProxy {
  url: string;
  close(): Promise<void>;
}

/** Adds a bearer token to every request, for clients that cannot. Forwards Host and Origin unchanged. */
export async function startAuthorizingProxy(target: string, token: string): Promise<AuthorizingProxy> {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((req, res) => {
    const headers = { ...req.headers, authorization: `Bearer ${token}` };
    const upstreamRequest = request(
      { hostname, port, path: pathname, method: req.method, headers },
      (upstreamResponse) => {
        res.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
        res.flushHeaders();
        upstreamResponse.pipe(res);
      },
    );
    upstreamRequest.on("error", () => res.destroy());
    res.on("close", () => upstreamRequest.destroy());
    req.pipe(upstreamRequest);
  });
  const { url, close } = await listenLocally(server);
  return { url: `${url}${pathname}`, close };
}
