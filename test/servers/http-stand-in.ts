import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What all stand-ins have in common: HTTP and faults. Those for LinkedIn and X also share what they report to tests. */

/** Faults that tests inject. Each counter applies to the next n requests of its kind and counts down. */
const noFaults = {
  /** Requests that make a post public: do the work, then close the connection without a response. */
  dropPublishResponses: 0,
  /** Requests that make a post public: do the work, then respond with 503. */
  failPublishResponses: 0,
  /** Requests that make a post public: close the connection without doing the work. */
  dropPublishRequests: 0,
  rateLimitedPublishes: 0,
  /** All requests that need an access token: respond with 503 without doing the work. */
  unavailableRequests: 0,
  /** All requests that need an access token: reject them because of a rate limit, without doing the work. */
  rateLimitedRequests: 0,
  /** Media: accept it, then fail to process it. Facebook rejects a photo at once, as if it were invalid. */
  failProcessing: 0,
};

export type Faults = typeof noFaults;

export const createFaults = (): Faults => ({ ...noFaults });

/** Counts a fault down and returns whether it applies. */
export function takeFault<Name extends string>(faults: Record<Name, number>, name: Name): boolean {
  if (faults[name] <= 0) return false;
  faults[name]--;
  return true;
}

/** A file on a public post. */
export interface PublicMedia {
  mimeType: string;
  sha256: string;
  altText: string | undefined;
}

export const hashBytes = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export interface StandInRequest {
  method: string;
  /** The path as sent, without decoding and without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface StandInResponse {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as they are. */
  bytes?: Uint8Array;
}

/** Ends a request with an error response. */
export class Rejection extends Error {
  readonly response: StandInResponse;

  constructor(response: StandInResponse) {
    super(`${response.status} ${JSON.stringify(response.json)}`);
    this.response = response;
  }
}

export interface RunningStandIn {
  origin: string;
  close(): Promise<void>;
}

/** Starts a server on 127.0.0.1. A responder that returns undefined closes the connection without a response. */
export async function serve(
  respond: (request: StandInRequest) => Promise<StandInResponse | undefined>,
): Promise<RunningStandIn> {
  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => {
      if (!res.headersSent) res.writeHead(500, { "content-type": "text/plain" });
      res.end(`The stand-in failed: ${String(error)}`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = Buffer.concat((await req.toArray()) as Buffer[]);
    const [path = "", query = ""] = (req.url ?? "").split("?", 2);
    const request = {
      method: req.method ?? "",
      path,
      query: new URLSearchParams(query),
      headers: req.headers,
      body,
    };
    const response = await respond(request).catch((error: unknown) => {
      if (error instanceof Rejection) return error.response;
      throw error;
    });
    if (!response) return void req.socket.destroy();
    const { status, headers, json, bytes = "" } = response;
    const type = json === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
    res.writeHead(status, { ...type, ...headers }).end(json === undefined ? bytes : JSON.stringify(json));
  }

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Runs a request that needs an access token, with the faults that tests injected. */
export async function runWithFaults(
  faults: Faults,
  request: {
    isPublishing: boolean;
    unavailable: StandInResponse;
    rateLimited: () => StandInResponse;
    run: () => Promise<StandInResponse>;
  },
): Promise<StandInResponse | undefined> {
  const { isPublishing, unavailable, rateLimited, run } = request;
  const takePublishFault = (name: keyof Faults): boolean => isPublishing && takeFault(faults, name);
  if (takePublishFault("dropPublishRequests")) return undefined;
  if (takeFault(faults, "unavailableRequests")) return unavailable;
  if (takeFault(faults, "rateLimitedRequests") || takePublishFault("rateLimitedPublishes")) return rateLimited();
  const response = await run();
  if (takePublishFault("dropPublishResponses")) return undefined;
  return takePublishFault("failPublishResponses") ? unavailable : response;
}

export function readBearer(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The media type of a request without its parameters. */
export const readContentType = (headers: IncomingHttpHeaders): string =>
  (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
