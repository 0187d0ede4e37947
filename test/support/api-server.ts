import assert from "node:assert/strict";
import { request } from "node:http";
import { createSessions } from "#auth/sign-in.ts";
import type { SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { Problem } from "#http/problem.ts";
import type { Log } from "#lib/log.ts";
import { silentLog } from "./engines.ts";
import { startService, type RunningService } from "./service.ts";

/** The service, with a shortcut to sign in users. */
export interface ApiServer extends RunningService {
  /** Stores a session in the database and returns its `Cookie` header. */
  signIn(user: SignedInUser): Promise<string>;
}

export async function startApiServer(deps: Deps, log: Log = silentLog): Promise<ApiServer> {
  const service = await startService(deps, { log });
  const sessions = createSessions({ deps: service.deps, base: service.base });
  return {
    ...service,
    signIn: async ({ user }) => (await sessions.start(user.id, undefined)).split(";", 1)[0] ?? "",
  };
}

export interface ApiResponse<T = Problem> {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; a problem document unless the caller names another type. */
  json: T;
}

export interface CallOptions {
  cookie?: string | undefined;
  body?: unknown;
  /** Headers that replace the defaults; undefined removes a header. */
  headers?: Record<string, string | undefined>;
}

/** Sends a request with the headers that the web app sends, unless `options` override them. */
export async function call<T = Problem>(
  server: Pick<ApiServer, "base">,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse<T>> {
  const isWrite = method !== "GET" && method !== "HEAD";
  const headerValues: Record<string, string | undefined> = {
    cookie: options.cookie,
    ...(isWrite ? { origin: server.base, "sec-fetch-site": "same-origin" } : {}),
    ...(options.body === undefined ? {} : { "content-type": "application/json" }),
    ...options.headers,
  };
  const headers = Object.fromEntries(
    Object.entries(headerValues).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const body =
    typeof options.body === "string" || options.body instanceof Uint8Array
      ? options.body
      : JSON.stringify(options.body);
  return send(server.base, path, method, headers, body);
}

/** Uses `node:http`, because `fetch` restricts cookie and origin headers and normalizes paths. */
function send<T>(
  base: string,
  path: string,
  method: string,
  headers: Record<string, string>,
  body: string | Uint8Array | undefined,
): Promise<ApiResponse<T>> {
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
      const { "content-type": contentType = "" } = res.headers;
      // A stream ends only when its client ends it.
      if (contentType === "text/event-stream")
        res.once("data", () => res.destroy()).once("close", () => res.emit("end"));
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = contentType.includes("json") && text !== "";
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

/** Asserts a complete problem document (RFC 9457): not cacheable, not readable cross-origin, with the request's id. */
export function assertProblem(response: ApiResponse<unknown>, status: number, code: string, note = ""): void {
  const problem = response.json as Partial<Problem> | undefined;
  assert.deepEqual([response.status, problem?.code], [status, code], `${note} ${response.text}`);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(problem?.status, status);
  assert.equal(problem.requestId, response.headers.get("x-request-id"));
  assert.equal(response.headers.get("access-control-allow-origin"), null);
  assert.ok(problem.title && problem.detail);
}
