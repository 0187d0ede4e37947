import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import type { Deps } from "#domain/deps.ts";
import type { SignedIn } from "#domain/caller.ts";
import { createApi, type Api } from "#http/api/app.ts";
import type { SessionReader } from "#http/api/context.ts";
import { mountApi } from "#http/api/mount.ts";
import { createMetrics } from "#http/metrics.ts";
import type { Problem } from "#http/problem.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge, type Edge, type Route } from "#http/server.ts";
import { days } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import { silent } from "./engines.ts";

const cookieName = "session";

/** The edge with the JSON API behind it, on a port of its own. */
export interface ApiServer {
  base: string;
  edge: Edge;
  api: Api;
  /** Every route of the edge. */
  routes: readonly Route[];
  /** A cookie header of a session that is in the database. */
  signIn(person: SignedIn): Promise<string>;
  close(): Promise<void>;
}

export async function startApiServer(deps: Deps, log: Log = silent): Promise<ApiServer> {
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const started = await startEdge({ ...deps, base }, base, log, port);
  return {
    base,
    ...started,
    async signIn({ user }) {
      const cookie = randomBytes(32).toString("base64url");
      await deps.sessions.insert(hash(cookie), user.id, deps.clock(), deps.clock() + days(30));
      return `${cookieName}=${cookie}`;
    },
    close: () =>
      new Promise((resolve) => {
        started.edge.server.close(() => resolve());
        started.edge.server.closeAllConnections();
      }),
  };
}

async function startEdge(
  deps: Deps,
  base: string,
  log: Log,
  port: number,
): Promise<Pick<ApiServer, "edge" | "api" | "routes">> {
  const api = createApi({ deps, sessions: cookieSessions(deps), log });
  const metrics = createMetrics();
  const makeRoutes = createRoutes({
    base,
    api: mountApi(api),
    metrics,
    metricsToken: undefined,
    needs: [],
    webFiles: { find: () => undefined },
  });
  let routes: readonly Route[] = [];
  const edge = createEdge({
    routes: (made) => (routes = makeRoutes(made)),
    addresses: { base, uploadPage: base, loopback: true, mcpOrigins: [] },
    metrics,
    newId: deps.newId,
    log,
  });
  edge.server.listen(port, "127.0.0.1");
  await once(edge.server, "listening");
  return { edge, api, routes };
}

/** The base address names the port, so the port comes first. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Sessions as the service keeps them: rows found by the digest of a cookie. */
function cookieSessions(deps: Deps): SessionReader {
  return {
    find: async (header) => {
      const cookie = /(?:^|; )session=([\w-]{43})(?:;|$)/.exec(header ?? "")?.[1];
      return cookie === undefined ? undefined : deps.sessions.findUser(hash(cookie), deps.clock());
    },
  };
}

const hash = (cookie: string): string => createHash("sha256").update(cookie).digest("hex");

export interface Answer<T = Problem> {
  status: number;
  headers: Headers;
  text: string;
  /** What the test takes the body for; a problem unless it says more. */
  json: T;
}

export interface Call {
  cookie?: string | undefined;
  body?: unknown;
  /** Over the usual ones; undefined takes one away. */
  headers?: Record<string, string | undefined>;
}

/** A request as our own pages make it, unless told otherwise. */
export async function call<T = Problem>(
  server: Pick<ApiServer, "base">,
  method: string,
  path: string,
  options: Call = {},
): Promise<Answer<T>> {
  const isWrite = method !== "GET" && method !== "HEAD";
  const given: Record<string, string | undefined> = {
    cookie: options.cookie,
    ...(isWrite ? { origin: server.base, "sec-fetch-site": "same-origin" } : {}),
    ...(options.body === undefined ? {} : { "content-type": "application/json" }),
    ...options.headers,
  };
  const headers = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const body =
    typeof options.body === "string" || options.body instanceof Uint8Array
      ? options.body
      : JSON.stringify(options.body);
  return send(server.base, path, method, headers, body);
}

/** By hand rather than `fetch`, which has its own mind about cookies, origins and the spelling of paths. */
function send<T>(
  base: string,
  path: string,
  method: string,
  headers: Record<string, string>,
  body: string | Uint8Array | undefined,
): Promise<Answer<T>> {
  return new Promise((resolve, reject) => {
    const { host, port } = new URL(base);
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const req = request({
      host: "127.0.0.1",
      port,
      method,
      path,
      headers: { host, ...length, ...headers },
      agent: false,
    });
    req.on("error", reject);
    req.on("response", (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = (res.headers["content-type"] ?? "").includes("json") && text !== "";
        resolve({
          status: res.statusCode ?? 0,
          headers: new Headers(res.headers as Record<string, string>),
          text,
          json: (isJson ? JSON.parse(text) : undefined) as T,
        });
      });
    });
    req.end(body);
  });
}

/** A problem document, whole: RFC 9457, not cached, under the request's id. */
export function assertProblem(answer: Answer<unknown>, status: number, code: string, note = ""): void {
  const problem = answer.json as Partial<Problem> | undefined;
  assert.deepEqual([answer.status, problem?.code], [status, code], `${note} ${answer.text}`);
  assert.equal(answer.headers.get("content-type"), "application/problem+json");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(problem?.status, status);
  assert.equal(problem.requestId, answer.headers.get("x-request-id"));
  assert.equal(answer.headers.get("access-control-allow-origin"), null);
  assert.ok(problem.title && problem.detail);
}
