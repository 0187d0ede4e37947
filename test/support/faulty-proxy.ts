import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { listenLocally } from "./local-server.ts";

/**
 * What the proxy does with a request:
 * - a number: responds with this status, without forwarding the request
 * - `reset`: closes the connection, without forwarding the request
 * - `lost`: forwards the request, then closes the connection instead of responding
 * - `hang`: never responds
 * - `cut`: closes the connection in the middle of the response
 * - `stall`: stops in the middle of the response and keeps the connection open
 * - `short`: responds with half of the content, and a `content-length` that matches it
 * - `altered`: responds with different bytes of the same length
 * - `other-etag`: responds with another ETag
 */
export type Fault = number | "reset" | "lost" | "hang" | "cut" | "stall" | "short" | "altered" | "other-etag";

export interface FaultyProxy {
  endpoint: string;
  /** Every request received, as `METHOD /path?query`. */
  requests: string[];
  /** Chooses the fault of each request; undefined forwards it unchanged. */
  chooseFault: (req: IncomingMessage) => Fault | undefined | Promise<Fault | undefined>;
  /** Runs after the server has executed a request whose response is `lost`, before the connection is closed. */
  onLost: () => void | Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy that forwards requests to another server and injects faults. */
export async function startFaultyProxy(targetUrl: string): Promise<FaultyProxy> {
  const target = new URL(targetUrl);
  const server = createServer((req, res) => void serve(req, res).catch(() => res.destroy()));
  // Otherwise the server might close an idle connection while a client sends the next request. That would be a fault
  // that no test chose.
  server.keepAliveTimeout = 0;
  const { url: endpoint, close } = await listenLocally(server);

  const proxy: FaultyProxy = {
    endpoint,
    requests: [],
    chooseFault: () => undefined,
    onLost: () => {},
    close,
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
    // Forwards the host header unchanged, because the request's signature covers it.
    const upstreamRequest = request({
      host: target.hostname,
      port: target.port,
      method: req.method,
      path: req.url,
      headers: req.headers,
      // Uses a new connection, because the target might close an idle one while the request is sent.
      agent: false,
    });
    req.pipe(upstreamRequest);
    const [upstreamResponse] = (await once(upstreamRequest, "response")) as [IncomingMessage];
    if (fault === "lost") {
      for await (const _ of upstreamResponse) continue;
      await proxy.onLost();
      return void res.destroy();
    }
    if (fault === "short" || fault === "altered" || fault === "other-etag")
      return sendWrongResponse(fault, upstreamResponse, res);
    res.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
    if (fault === undefined) return void upstreamResponse.pipe(res);
    const halfLength = Math.floor(Number(upstreamResponse.headers["content-length"]) / 2);
    let sentBytes = 0;
    for await (const chunk of upstreamResponse as AsyncIterable<Buffer>) {
      const piece = chunk.subarray(0, halfLength - sentBytes);
      sentBytes += piece.length;
      await new Promise((resolve) => res.write(piece, resolve));
      if (sentBytes >= halfLength) break;
    }
    if (fault === "cut") res.destroy();
  }

  return proxy;
}

/** Sends a well-formed response with the wrong content or ETag. */
async function sendWrongResponse(
  fault: "short" | "altered" | "other-etag",
  upstreamResponse: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of upstreamResponse as AsyncIterable<Buffer>) chunks.push(chunk);
  const original = Buffer.concat(chunks);
  const content = fault === "short" ? original.subarray(0, original.length / 2) : original;
  if (fault === "altered") content.forEach((byte, index) => (content[index] = byte ^ 0x55));
  const { "content-length": length, etag, ...headers } = upstreamResponse.headers;
  res.writeHead(upstreamResponse.statusCode ?? 502, {
    ...headers,
    "content-length": original.length > 0 ? content.length : length, // a HEAD response has a length and no content
    ...(etag === undefined ? {} : { etag: fault === "other-etag" ? `"${"1".repeat(32)}"` : etag }),
  });
  res.end(content);
}
