import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What happens to a request on its way:
 * - a number: that status, and the server behind never hears of it
 * - `reset`: the connection breaks before the server hears of it
 * - `lost`: the server does it, and the connection breaks before the answer arrives
 * - `hang`: nobody ever answers
 * - `cut`: the answer breaks off in the middle
 * - `stall`: the answer stops in the middle and stays open
 * - `short`: half of the content, as if that were all
 * - `altered`: other bytes than those asked for, as many
 * - `other-tag`: the ETag of something else
 */
export type Fault = number | "reset" | "lost" | "hang" | "cut" | "stall" | "short" | "altered" | "other-tag";

export interface FaultyProxy {
  endpoint: string;
  /** Every request that came, `METHOD /path?query`. */
  requests: string[];
  /** Decides what happens to each request; undefined lets it pass. */
  chooseFault: (req: IncomingMessage) => Fault | undefined | Promise<Fault | undefined>;
  close(): Promise<void>;
}

/** A server between us and another one, as bad as a test wants it. */
export async function startFaultyProxy(targetUrl: string): Promise<FaultyProxy> {
  const target = new URL(targetUrl);
  const server = createServer((req, res) => void serve(req, res).catch(() => res.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const proxy: FaultyProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    chooseFault: () => undefined,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    proxy.requests.push(`${req.method} ${req.url}`);
    const fault = await proxy.chooseFault(req);
    if (fault === "reset") return void res.destroy();
    if (fault === "hang") return void req.resume();
    if (typeof fault === "number") {
      req.resume();
      const code = fault === 412 ? "PreconditionFailed" : "InternalError";
      const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${req.url}</Message></Error>`;
      return void res.writeHead(fault, { "content-type": "application/xml" }).end(req.method === "HEAD" ? "" : xml);
    }
    // The host header stays as it was signed.
    const upstreamRequest = request({
      host: target.hostname,
      port: target.port,
      method: req.method,
      path: req.url,
      headers: req.headers,
    });
    req.pipe(upstreamRequest);
    const [upstreamResponse] = (await once(upstreamRequest, "response")) as [IncomingMessage];
    if (fault === "lost") {
      for await (const _ of upstreamResponse) continue;
      return void res.destroy();
    }
    if (fault === "short" || fault === "altered" || fault === "other-tag")
      return respondAltered(fault, upstreamResponse, res);
    res.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
    if (fault === undefined) return void upstreamResponse.pipe(res);
    const half = Math.floor(Number(upstreamResponse.headers["content-length"]) / 2);
    let sent = 0;
    for await (const chunk of upstreamResponse as AsyncIterable<Buffer>) {
      const rest = chunk.subarray(0, half - sent);
      sent += rest.length;
      res.write(rest);
      if (sent >= half) break;
    }
    if (fault === "cut") setTimeout(() => res.destroy(), 50);
  }

  return proxy;
}

/** A whole answer, with nothing in it to show that it is not the truth. */
async function respondAltered(
  alteration: "short" | "altered" | "other-tag",
  upstreamResponse: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of upstreamResponse as AsyncIterable<Buffer>) chunks.push(chunk);
  const original = Buffer.concat(chunks);
  const content = alteration === "short" ? original.subarray(0, original.length / 2) : original;
  if (alteration === "altered") content.forEach((byte, at) => (content[at] = byte ^ 0x55));
  const { "content-length": length, etag, ...headers } = upstreamResponse.headers;
  res.writeHead(upstreamResponse.statusCode ?? 502, {
    ...headers,
    "content-length": original.length > 0 ? content.length : length, // a HEAD has a length and no content
    ...(etag === undefined ? {} : { etag: alteration === "other-tag" ? `"${"1".repeat(32)}"` : etag }),
  });
  res.end(content);
}
