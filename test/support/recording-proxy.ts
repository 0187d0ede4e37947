import { once } from "node:events";
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { listenLocally } from "./local-server.ts";

export interface RecordedResponse {
  request: string;
  status: number;
  hasRetryAfter: boolean;
}

/** A post that the service sent to the sandbox platform. */
export interface SandboxCommit {
  text: string;
  /** The idempotency key. */
  key: string;
  status: number;
}

export interface RecordingProxy {
  /** The ports of the services, which receive the requests in turn. */
  targetPorts: number[];
  /** Every response with a status of 500 or more. */
  serverErrors: RecordedResponse[];
  /** Requests whose connection a service closed instead of responding. */
  droppedRequests: string[];
  responseCount: number;
  /** What the sandbox platform received. Its database can't prove this, because the tests make the database fail. */
  commits: SandboxCommit[];
  close(): Promise<void>;
}

/** Listens on the port of the base URL, so that it also records what services send to their own sandbox platform. */
export async function startRecordingProxy(base: string, targetPorts: number[]): Promise<RecordingProxy> {
  const agent = new Agent({ keepAlive: false });
  const server = createServer((req, res) => void serve(req, res));
  server.keepAliveTimeout = 0;
  const { close } = await listenLocally(server, Number(new URL(base).port));
  let requestCount = 0;

  const proxy: RecordingProxy = {
    targetPorts,
    serverErrors: [],
    droppedRequests: [],
    responseCount: 0,
    commits: [],
    close,
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const label = `${req.method} ${req.url?.replace(/\?.*/, "")}`;
    const port = proxy.targetPorts[requestCount++ % proxy.targetPorts.length];
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const upstreamRequest = request({ host: "127.0.0.1", port, method: req.method, path: req.url, agent });
      for (const [name, value] of Object.entries(req.headers)) if (value) upstreamRequest.setHeader(name, value);
      upstreamRequest.removeHeader("transfer-encoding");
      upstreamRequest.setHeader("content-length", body.length);
      upstreamRequest.end(body);
      const [response] = (await once(upstreamRequest, "response")) as [IncomingMessage];
      const status = response.statusCode ?? 0;
      proxy.responseCount++;
      if (status >= 500)
        proxy.serverErrors.push({
          request: label,
          status,
          hasRetryAfter: response.headers["retry-after"] !== undefined,
        });
      if (label === "POST /sandbox/api/posts") {
        const { text } = JSON.parse(body.toString()) as { text: string };
        proxy.commits.push({ text, key: String(req.headers["idempotency-key"]), status });
      }
      res.writeHead(status, response.headers);
      response.pipe(res);
    } catch {
      if (!req.destroyed || req.complete) proxy.droppedRequests.push(label);
      res.destroy();
    }
  }
  return proxy;
}
